// The simulator in the page gives the native program's results, byte for byte: every scenario of the repository, and every preset.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { buildSync } from "esbuild";
import { Simulated, initSync } from "../generated/symbiosis_web.js";

const root = new URL("../..", import.meta.url).pathname;
const native = process.env.SYMBIOSIS ?? join(root, "target/release/symbiosis");
const work = mkdtempSync(join(tmpdir(), "same-bytes-"));
after(() => rmSync(work, { recursive: true }));
initSync({ module: readFileSync(new URL("../generated/symbiosis_web_bg.wasm", import.meta.url)) });

/** Name, text, and the texts of files that it names. */
function scenarios() {
  const folder = join(root, "scenarios");
  const own = readdirSync(folder).filter((name) => name.endsWith(".toml")).map((name) => {
    const text = readFileSync(join(folder, name), "utf8");
    const traces = [...text.matchAll(/^\s*trace = "(.*)"/gm)].map(([, file]) => [file, readFileSync(join(folder, file), "utf8")]);
    return { name: name.replace(".toml", ""), text, files: Object.fromEntries(traces) };
  });
  const bundle = join(work, "presets.mjs");
  const contents = 'export { PRESETS } from "./playground/presets"; export { toml } from "./playground/model";';
  buildSync({ stdin: { contents, resolveDir: join(root, "web") }, bundle: true, format: "esm", outfile: bundle });
  return import(bundle).then(({ PRESETS, toml }) => [...own, ...PRESETS.map(({ model }) => ({ name: model.name, text: toml(model), files: {} }))]);
}

/** The native result without what a machine adds to it. */
function printed(name, text, files) {
  const path = join(work, `${name}.toml`);
  writeFileSync(path, text);
  for (const [file, content] of Object.entries(files)) {
    execFileSync("mkdir", ["-p", join(work, file, "..")]);
    writeFileSync(join(work, file), content);
  }
  const json = execFileSync(native, ["simulate", path, "--json"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  return json.replace(/,\n  "wall_s": [^\n]*\n/, "\n").trimEnd();
}

const all = await scenarios();
test("there are twenty scenarios at least", () => assert.ok(all.length >= 20, `${all.length}`));
let wasm_ms = 0;
let native_ms = 0;
for (const { name, text, files } of all) {
  test(name, () => {
    let begun = performance.now();
    const expected = printed(name, text, files);
    native_ms += performance.now() - begun;
    begun = performance.now();
    const run = new Simulated(/^name = /m.test(text.split("\n[")[0]) ? text : `name = "${name}"\n${text}`, JSON.stringify(files), 500);
    // In steps, as the page does it.
    const end = JSON.parse(run.description()).duration_s;
    for (let at = 0; at < 1000; at += 1) { run.advance(at); run.waiting(at); if (at > end) break; }
    const found = run.finish();
    wasm_ms += performance.now() - begun;
    run.free();
    assert.equal(found, expected);
  });
}
after(() => console.log(`native ${Math.round(native_ms)} ms, as WebAssembly ${Math.round(wasm_ms)} ms: ${(native_ms / wasm_ms).toFixed(2)} of native speed`));
