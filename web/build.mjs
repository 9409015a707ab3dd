// Bundles the two front ends: the playground (one script with its worker and the simulator inside) and what a report's pages share. Nothing
// is loaded from anywhere else, so both open from a disk.
import { build } from "esbuild";
import { copyFile, mkdir, readFile, readdir, writeFile } from "node:fs/promises";

const [playground, report] = process.argv.slice(2);
const common = { bundle: true, minify: true, target: "es2022", format: "iife", legalComments: "none", write: false };
const bundle = async (entry, options = {}) => (await build({ ...common, entryPoints: [entry], ...options })).outputFiles[0].text;

/** Licences of packages that a bundle has inside. */
async function licences(metafile) {
  const names = new Set(Object.keys(metafile.inputs).flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []));
  const one = async (name) => {
    const file = (await readdir(`node_modules/${name}`)).find((file) => /^licen[cs]e/i.test(file));
    const { version, license } = JSON.parse(await readFile(`node_modules/${name}/package.json`, "utf8"));
    return `${name} ${version} (${license})\n\n${file ? (await readFile(`node_modules/${name}/${file}`, "utf8")).trim() : ""}\n`;
  };
  return (await Promise.all([...names].sort().map(one))).join("\n----\n\n");
}

const worker = await bundle("playground/worker.ts", { define: { "import.meta.url": '""' }, loader: { ".wasm": "binary" } });
const inline = {
  name: "worker-source",
  setup(bundler) {
    bundler.onResolve({ filter: /^worker-source$/ }, ({ path }) => ({ path, namespace: "worker-source" }));
    bundler.onLoad({ filter: /.*/, namespace: "worker-source" }, () => ({ contents: worker, loader: "text" }));
  },
};
await mkdir(playground, { recursive: true });
const page = await build({ ...common, entryPoints: ["playground/page.ts"], plugins: [inline], metafile: true });
await writeFile(`${playground}/playground.js`, page.outputFiles[0].text);
await writeFile(`${playground}/playground.css`, await bundle("playground/style.css", { format: undefined }));
await copyFile("playground/index.html", `${playground}/index.html`);
await writeFile(`${playground}/LICENSES.txt`, await licences(page.metafile));

await mkdir(report, { recursive: true });
const vega = await build({ ...common, entryPoints: ["report/vega.ts"], metafile: true });
await writeFile(`${report}/report.js`, await bundle("report/report.ts"));
await writeFile(`${report}/vega.js`, vega.outputFiles[0].text);
await writeFile(`${report}/report.css`, await bundle("report/report.css", { format: undefined }));
await writeFile(`${report}/LICENSES.txt`, await licences(vega.metafile));
