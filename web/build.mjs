// Bundles the page: one script with its worker and the simulator inside, so that the folder opens from anywhere, without a server.
import { build } from "esbuild";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";

const out = process.argv[2] ?? "dist";
const common = { bundle: true, minify: true, target: "es2022", legalComments: "none", write: false, loader: { ".wasm": "binary" } };
const worker = await build({ ...common, entryPoints: ["src/worker.ts"], format: "iife", define: { "import.meta.url": '""' } });
const inline = {
  name: "worker-source",
  setup(bundler) {
    bundler.onResolve({ filter: /^worker-source$/ }, ({ path }) => ({ path, namespace: "worker-source" }));
    bundler.onLoad({ filter: /.*/, namespace: "worker-source" }, () => ({ contents: worker.outputFiles[0].text, loader: "text" }));
  },
};
const page = await build({ ...common, entryPoints: ["src/page.ts"], format: "iife", plugins: [inline] });
const css = await build({ ...common, entryPoints: ["src/style.css"] });
await mkdir(out, { recursive: true });
await writeFile(`${out}/playground.js`, page.outputFiles[0].text);
await writeFile(`${out}/playground.css`, css.outputFiles[0].text);
await copyFile("src/index.html", `${out}/index.html`);
const licences = ["uplot"].map(async (name) => `${name}\n\n${await readFile(`node_modules/${name}/LICENSE`, "utf8")}`);
await writeFile(`${out}/LICENSES.txt`, (await Promise.all(licences)).join("\n"));
