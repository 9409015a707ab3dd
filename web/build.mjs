// `node build.mjs playground|report FOLDER` bundles a front end into a folder. Nothing is loaded from anywhere else, so pages open from a disk.
import { build } from "esbuild";
import { copyFile, mkdir, readFile, readdir, writeFile } from "node:fs/promises";

const [what, folder] = process.argv.slice(2);
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

/** The playground: one script with its worker and the simulator inside. */
async function playground() {
  const worker = await bundle("playground/worker.ts", { define: { "import.meta.url": '""' }, loader: { ".wasm": "binary" } });
  const inline = {
    name: "worker-source",
    setup(bundler) {
      bundler.onResolve({ filter: /^worker-source$/ }, ({ path }) => ({ path, namespace: "worker-source" }));
      bundler.onLoad({ filter: /.*/, namespace: "worker-source" }, () => ({ contents: worker, loader: "text" }));
    },
  };
  const page = await build({ ...common, entryPoints: ["playground/page.ts"], plugins: [inline], metafile: true });
  await writeFile(`${folder}/playground.js`, page.outputFiles[0].text);
  await writeFile(`${folder}/playground.css`, await bundle("playground/style.css", { format: undefined }));
  await copyFile("playground/index.html", `${folder}/index.html`);
  await writeFile(`${folder}/LICENSES.txt`, await licences(page.metafile));
}

/** What the pages of a report, and of the arena, share. */
async function report() {
  const vega = await build({ ...common, entryPoints: ["report/vega.ts"], metafile: true });
  await writeFile(`${folder}/report.js`, await bundle("report/report.ts"));
  await writeFile(`${folder}/vega.js`, vega.outputFiles[0].text);
  await writeFile(`${folder}/report.css`, await bundle("report/report.css", { format: undefined }));
  await writeFile(`${folder}/LICENSES.txt`, await licences(vega.metafile));
}

await mkdir(folder, { recursive: true });
await { playground, report }[what]();
