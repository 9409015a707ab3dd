// A report in a real browser, opened as a file: the one that REPORT names, or target/report.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { LOOKS, flawless, memory, open as opened } from "./browser.mjs";

const folder = process.env.REPORT ?? new URL("../../target/report", import.meta.url).pathname;
assert.ok(existsSync(join(folder, "index.html")), `there is no report in ${folder}: cargo run --release -- reproduce --quick --out target/report`);
const experiments = readdirSync(join(folder, "experiments"));
const open = (file, { search = "", ...look } = {}) => opened(pathToFileURL(join(folder, file)).href + search, look);

const rows = (page) => page.locator(".row:visible").count();

test("the overview paints within a second, and each chapter shows its figures", async () => {
  // The best of three: what else a machine does makes a page later, and nothing makes it earlier.
  const paints = [];
  for (let opened = 0; opened < 3; opened++) {
    const { page, close } = await open("index.html");
    paints.push(await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Infinity));
    await close();
  }
  assert.ok(Math.min(...paints) < 1000, `${paints} ms`);
  const { page, close } = await open("index.html");
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

test("the pointer is told values", async () => {
  const { page, close } = await open(`experiments/${experiments[0]}`);
  const canvas = page.locator(".plot.ready canvas").first();
  await canvas.waitFor();
  const box = await canvas.boundingBox();
  await page.evaluate(() => {
    window.told = "";
    new MutationObserver(() => {
      const told = document.getElementById("vg-tooltip-element");
      if (told?.classList.contains("visible")) window.told = told.textContent;
    }).observe(document.body, { subtree: true, childList: true, attributes: true });
  });
  // Across the curves: somewhere on the way there is a point.
  for (const part of [0.4, 0.6, 0.8]) {
    await page.mouse.move(box.x + box.width * part, box.y + box.height * 0.85);
    await page.mouse.move(box.x + box.width * part, box.y + box.height * 0.15, { steps: 100 });
  }
  assert.match(await page.evaluate(() => window.told), /series.*\d/);
  await close();
});

test("figures are drawn when they come into view", async () => {
  const many = experiments.find((file) => readFileSync(join(folder, "experiments", file), "utf8").split("<figure").length > 5);
  const { page, close } = await open(`experiments/${many}`);
  await page.locator(".plot.ready").first().waitFor();
  const all = await page.locator(".plot").count();
  assert.ok((await page.locator(".plot.ready").count()) < all, "those far below wait");
  await page.locator(".plot").last().scrollIntoViewIfNeeded();
  await page.locator(".plot").last().locator("canvas").waitFor();
  await close();
});

test("everything can be reached with the keyboard", async () => {
  const { page, close } = await open(`experiments/${experiments[0]}`);
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to the content");
  await page.keyboard.press("Enter");
  const seen = new Set();
  for (let press = 0; press < 40; press++) {
    await page.keyboard.press("Tab");
    seen.add(await page.evaluate(() => document.activeElement.closest("nav, .around, figure, .again, footer, details")?.className || document.activeElement.closest("nav, figure, footer, details")?.tagName));
  }
  assert.ok(seen.has("around") && seen.has("again"), [...seen].join());
  await close();
});

test("on paper there is what is read, and nothing to click", async () => {
  const { page, close } = await open(`experiments/${experiments[0]}`);
  await page.emulateMedia({ media: "print" });
  for (const part of ["nav", "footer", ".around"]) assert.equal(await page.locator(part).first().isVisible(), false, part);
  assert.ok(await page.locator("figure").first().isVisible());
  assert.ok((await page.pdf({ format: "A4" })).length > 10_000);
  await close();
});

/** Most that a page may be high [pixels]: all in one page were 173 000. */
const MOST_HIGH = 40_000;
/** What a page may hold with all its plots drawn [MB]: the one that holds most has 116. */
const MOST_MB = 300;

test("every page, from its top to its end: it ends, its plots are drawn, memory is bounded, and axe finds nothing", async () => {
  let most = [0, ""];
  for (const file of ["index.html", ...experiments.map((file) => `experiments/${file}`)]) {
    const { page, close } = await open(file);
    for (const plot of await page.locator(".plot").all()) {
      await plot.scrollIntoViewIfNeeded();
      await plot.locator("canvas").waitFor();
    }
    const high = await page.evaluate(() => document.documentElement.scrollHeight);
    assert.ok(high < MOST_HIGH, `${file}: ${high} pixels`);
    const held = await memory(page);
    if (held > most[0]) most = [held, file];
    await flawless(page, file);
    await close();
  }
  console.log(`of the report's pages ${most[1]} holds most: ${Math.round(most[0])} MB, all plots drawn`);
  assert.ok(most[0] < MOST_MB, `${most[1]}: ${most[0]} MB`);
});

// Other looks are a matter of the style sheet that all pages share.
for (const [name, look] of LOOKS.slice(1)) {
  test(`axe finds nothing: ${name}`, async () => {
    for (const file of ["index.html", ...experiments.slice(0, 4).map((file) => `experiments/${file}`)]) {
      const { page, close } = await open(file, look);
      if (await page.locator(".plot").count()) await page.locator(".plot.ready").first().waitFor();
      const high = await page.evaluate(() => document.documentElement.scrollHeight);
      assert.ok(high < MOST_HIGH, `${file}: ${high} pixels`);
      await flawless(page, file);
      await close();
    }
  });
}
