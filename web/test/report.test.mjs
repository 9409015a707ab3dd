// A report in a real browser, opened as a file: the one that REPORT names, or target/report.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const folder = process.env.REPORT ?? new URL("../../target/report", import.meta.url).pathname;
assert.ok(existsSync(join(folder, "index.html")), `there is no report in ${folder}: cargo run --release -- reproduce --quick --out target/report`);
const url = (file) => pathToFileURL(join(folder, file)).href;
const axe = readFileSync(new URL("../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
const experiments = readdirSync(join(folder, "experiments"));
let browser;
before(async () => { browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] }); });
after(() => browser.close());

async function open(file, { width = 1280, colorScheme = "light", search = "" } = {}) {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
  const faults = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  page.on("request", (request) => /^(file|blob|data):/.test(request.url()) || faults.push(`loads ${request.url()}`));
  await page.goto(url(file) + search);
  return { page, faults, async close() { assert.deepEqual(faults, []); await page.close(); } };
}

const rows = (page) => page.locator(".row:visible").count();

test("the overview paints within a second, and each chapter shows its figures", async () => {
  const { page, close } = await open("index.html");
  const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Infinity);
  assert.ok(paint < 1000, `${paint} ms`);
  const chapters = await page.locator(".chapter").count();
  assert.ok(chapters > 0);
  for (let at = 0; at < chapters; at++) assert.ok((await page.locator(".chapter").nth(at).locator("img").count()) > 0, `chapter ${at} has no figure`);
  await close();
});

test("search and filters find experiments and claims, and stand in the address", async () => {
  const { page, close } = await open("index.html");
  const all = await rows(page);
  await page.locator("#search").fill("no loss");
  const found = await rows(page);
  assert.ok(found > 0 && found < all, `${found} of ${all}`);
  for (const text of await page.locator(".row:visible li:visible").allTextContents()) assert.match(text.toLowerCase(), /no/);
  await page.locator("#search").fill("");
  await page.locator("#by-verdict").selectOption("differs");
  const verdicts = await page.locator(".row:visible li:visible .verdict").allTextContents();
  assert.ok(verdicts.length > 0 && verdicts.every((verdict) => verdict === "differs"));
  await page.locator("#by-basis").selectOption("published");
  await page.locator("#by-paper").selectOption("S");
  const ids = await page.locator(".row:visible h3 b").allTextContents();
  assert.ok(ids.every((id) => id.startsWith("S")), ids.join());
  assert.match(page.url(), /by-verdict=differs/);
  const other = await open("index.html", { search: new URL(page.url()).search });
  assert.deepEqual(await other.page.locator(".row:visible h3 b").allTextContents(), ids);
  await other.close();
  await page.getByRole("button", { name: "Everything" }).click();
  await page.waitForFunction((all) => [...document.querySelectorAll(".row")].filter((row) => !row.hidden).length === all, all);
  await close();
});

test("an experiment's plots answer, are zoomed together, and neighbours are a click away", async () => {
  const over = (file) => [...readFileSync(join(folder, "experiments", file), "utf8").matchAll(/<script type="application\/json">(.*?)<\/script>/gs)]
    .map(([, spec]) => JSON.parse(spec).encoding.x.title);
  const timed = experiments.find((file) => over(file).slice(0, 2).filter((title) => title === "time [s]").length === 2);
  const { page, close } = await open(`experiments/${timed}`);
  await page.locator(".plot.ready canvas").first().waitFor();
  await page.locator("figure").nth(1).scrollIntoViewIfNeeded();
  await page.locator(".plot.ready").nth(1).waitFor();
  const picture = (at) => page.locator(".plot canvas").nth(at).evaluate((canvas) => canvas.toDataURL());
  const before = [await picture(0), await picture(1)];
  await page.evaluate(() => scrollTo(0, 0));
  await page.waitForTimeout(300);
  const box = await page.locator(".plot canvas").first().boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 3, box.y + box.height / 2, { steps: 5 });
  await page.mouse.up();
  const changed = async (at) => {
    for (let wait = 0; wait < 100; wait++) {
      if ((await picture(at)) !== before[at]) return true;
      await page.waitForTimeout(100);
    }
    return false;
  };
  assert.ok(await changed(0), "the first plot is moved");
  assert.ok(await changed(1), "the second plot follows the first");
  await page.locator(".around a").first().click();
  await page.waitForURL(/experiments\/.*\.html$/);
  assert.ok((await page.locator("nav [aria-current]").count()) === 1);
  await close();
});

test("no page is endless", async () => {
  for (const [file, width] of [["index.html", 1280], ["index.html", 390], ...experiments.map((file) => [`experiments/${file}`, 1280])]) {
    const { page, close } = await open(file, { width });
    const { height, wide } = await page.evaluate(() => ({ height: document.documentElement.scrollHeight, wide: document.documentElement.scrollWidth - innerWidth }));
    // All in one page were 173 000 pixels.
    assert.ok(height < 40_000, `${file} at ${width}: ${height} pixels`);
    assert.ok(wide <= 0, `${file} at ${width} is ${wide} pixels too wide`);
    await close();
  }
});

for (const [name, options] of [["wide", {}], ["dark", { colorScheme: "dark" }], ["phone", { width: 390 }]]) {
  test(`axe finds nothing: ${name}`, async () => {
    for (const file of ["index.html", ...experiments.slice(0, 4).map((file) => `experiments/${file}`)]) {
      const { page, close } = await open(file, options);
      await page.waitForTimeout(800);
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => window.axe.run(document, { preload: false }));
      assert.deepEqual(violations.map(({ id, nodes }) => [file, id, nodes.slice(0, 3).map((node) => node.html.slice(0, 120))]), []);
      await close();
    }
  });
}
