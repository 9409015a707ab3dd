// What tests of pages share: a browser, pages that must not fail, what axe says of them, and how much memory they hold.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { after, before } from "node:test";
import { chromium } from "playwright-core";

const axe = readFileSync(new URL("../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
const executablePath = process.env.CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
assert.ok(executablePath, "there is no browser: apt-get install chromium, or say in CHROMIUM where one is");

export let browser;
before(async () => { browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] }); });
after(() => browser.close());

/** How pages are looked at. */
export const LOOKS = [["wide", {}], ["dark", { colorScheme: "dark" }], ["phone", { width: 390 }], ["phone, dark", { width: 390, colorScheme: "dark" }]];

/** A page that must not fail, and loads nothing from anywhere but its folder. */
export async function open(url, { width = 1280, colorScheme = "light" } = {}) {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
  // A page that hangs fails; a machine that has other things to do does not.
  page.setDefaultTimeout(180_000);
  const faults = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  page.on("request", (request) => /^(file|blob|data):/.test(request.url()) || faults.push(`loads ${request.url()}`));
  await page.goto(url);
  return { page, faults, async close() { assert.deepEqual(faults, []); await page.close(); } };
}

/** Axe finds nothing in a page, and it is no wider than the window. */
export async function flawless(page, name) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document, { preload: false }));
  assert.deepEqual(violations.map(({ id, nodes }) => [name, id, nodes.slice(0, 3).map((node) => node.html.slice(0, 120))]), []);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `${name}: ${wide} pixels wider than the window`);
}

/** Memory of the process that draws the page, its workers, canvases and WebAssembly included, which no other process shares [MB]. */
export async function memory(page) {
  const client = await page.context().newCDPSession(page);
  await client.send("HeapProfiler.collectGarbage");
  await client.detach();
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  // Each page has a process of its own; that of the largest is the one looked at, as others are blank.
  const held = processInfo.filter(({ type }) => type === "renderer").map(({ id }) => {
    const status = readFileSync(`/proc/${id}/status`, "utf8");
    return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)[1]) / 1000;
  });
  return Math.max(...held);
}
