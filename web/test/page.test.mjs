// The playground in a real browser, opened as a file.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";

const page_url = new URL("../../crates/playground/assets/index.html", import.meta.url).href;
const axe = readFileSync(new URL("../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
let browser;
before(async () => { browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] }); });
after(() => browser.close());

/** A page that must not fail, and loads nothing from anywhere but its folder. */
async function open({ hash = "", width = 1280, colorScheme = "light" } = {}) {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
  const faults = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  page.on("request", (request) => /^(file|blob|data):/.test(request.url()) || faults.push(`loads ${request.url()}`));
  await page.goto(page_url + hash);
  await page.locator("#controls .range").first().waitFor();
  return { page, faults, async close() { assert.deepEqual(faults, []); await page.close(); } };
}

const fast = (page) => page.locator("#speed").selectOption("Infinity");
const done = (page, count = 1) => page.waitForFunction((count) => document.querySelectorAll(".results table").length === count, count, { timeout: 60_000 });
const cells = (page, row) => page.locator(`.results tbody tr:nth-child(${row}) td`).allTextContents();

test("it loads, runs a preset, and says what it found", async () => {
  const { page, close } = await open();
  await fast(page);
  await page.locator("#preset").selectOption({ label: "Two flows, the second after 50 s (T Fig 3)" });
  await done(page);
  const [first, second] = [await cells(page, 1), await cells(page, 2)];
  assert.equal(first[1], "symbiosis");
  assert.ok(Number(first[2]) > 60 && Number(second[2]) > 40, `${first[2]} and ${second[2]} Mbit/s`);
  // What is drawn is no empty canvas.
  const drawn = await page.locator('[data-chart="window"] canvas').evaluate((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return data.reduce((sum, value) => sum + (value > 0 ? 1 : 0), 0);
  });
  assert.ok(drawn > 5000, `${drawn}`);
  await close();
});

test("the queue is shown packet by packet", async () => {
  const { page, close } = await open();
  await page.locator("#preset").selectOption({ label: "Bufferbloat: CUBIC alone" });
  await page.waitForFunction(() => Number(/bottleneck: (\d+)/.exec(document.querySelector(".packets figcaption")?.textContent ?? "")?.[1] ?? 0) > 50);
  const inked = await page.locator(".packets canvas").evaluate((canvas) =>
    canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.filter((value) => value > 0).length);
  assert.ok(inked > 50 * 64, `${inked}`);
  await close();
});

test("a slider moves while it runs, the page stays responsive, and the run goes on where it was", async () => {
  const { page, close } = await open();
  await page.waitForFunction(() => /^[1-9][\d.]* of/.test(document.querySelector(".status")?.textContent ?? ""));
  const before = Number((await page.locator(".status").textContent()).split(" ")[0]);
  await page.locator("#rate").focus();
  for (let step = 0; step < 10; step++) await page.keyboard.press("ArrowLeft");
  assert.match(await page.locator("output[for=rate]").textContent(), /^[5-9]\d(\.\d)? Mbit/);
  await page.waitForFunction((before) => Number((document.querySelector(".status")?.textContent ?? "0").split(" ")[0]) >= before, before);
  assert.match(await page.locator("#toml").inputValue(), /rate_mbps = [5-9]\d/);
  // The frame rate with a simulation under way.
  const frames = await page.evaluate(() => new Promise((resolve) => {
    let frames = 0;
    const end = performance.now() + 1000;
    const count = () => (performance.now() < end ? (frames++, requestAnimationFrame(count)) : resolve(frames));
    count();
  }));
  assert.ok(frames >= 5, `${frames} frames in a second`);
  await close();
});

test("a link opens the same scenario, also when it is compared or edited as text", async () => {
  const { page, close } = await open();
  await fast(page);
  await page.locator("#preset").selectOption({ label: "Bufferbloat: CUBIC alone" });
  await page.locator("#compare").selectOption("symbiosis");
  await done(page, 2);
  const hash = new URL(page.url()).hash;
  const other = await open({ hash });
  await fast(other.page);
  await done(other.page, 2);
  assert.equal(await other.page.locator("#toml").inputValue(), await page.locator("#toml").inputValue());
  const rtts = await other.page.locator(".results tbody tr td:nth-child(4)").allTextContents();
  assert.ok(Number(rtts[0]) > 2 * Number(rtts[1]), `CUBIC's RTT ${rtts[0]} ms, symbiosis' ${rtts[1]} ms`);
  await other.close();
  await close();
});

test("the time line is moved by keys and by dragging", async () => {
  const { page, close } = await open();
  const handle = page.locator('[data-handle="flows-1-start"]');
  await handle.focus();
  await page.keyboard.press("ArrowLeft");
  assert.match(await page.locator("#toml").inputValue(), /start_s = 49/);
  const box = await page.locator('[data-handle="flows-1-start"]').boundingBox();
  await page.mouse.move(box.x + 4, box.y + 8);
  await page.mouse.down();
  await page.mouse.move(box.x - 150, box.y + 8, { steps: 5 });
  await page.mouse.up();
  const start = Number(/start_s = ([\d.]+)/.exec(await page.locator("#toml").inputValue())[1]);
  assert.ok(start > 20 && start < 45, `${start}`);
  await close();
});

test("a text that is no scenario gets one message with its line", async () => {
  const { page, close } = await open();
  await page.locator("#text summary").click();
  await page.locator("#by-hand").check();
  await page.locator("#toml").fill('duration_s = 5\n[bottleneck]\nrate_mbps = 10\ndelay_ms = 10\nqueue_bdp = 1\n[[flow]]\ncc = "kubic"\n');
  await page.waitForFunction(() => !document.getElementById("problem").hidden);
  const message = await page.locator("#problem").textContent();
  assert.match(message, /^Line 7: .*kubic.*cubic/s);
  await page.locator("#toml").fill('duration_s = 5\n[bottleneck]\nrate_mbps = 10\ndelay_ms = 10\nqueue_bdp = 1\n[[flow]]\ncc = "cubic"\n');
  await page.waitForFunction(() => document.getElementById("problem").hidden);
  await close();
});

test("zoom is linked over the charts", async () => {
  const { page, close } = await open();
  await fast(page);
  await page.locator("#again").click();
  await done(page);
  const plot = await page.locator('[data-chart="rate"] .u-over').boundingBox();
  await page.mouse.move(plot.x + plot.width * 0.5, plot.y + 20);
  await page.mouse.down();
  await page.mouse.move(plot.x + plot.width * 0.6, plot.y + 20, { steps: 4 });
  await page.mouse.up();
  const shot = () => page.locator('[data-chart="queue"] canvas').evaluate((canvas) => canvas.toDataURL());
  const zoomed = await shot();
  await page.locator("#zoom-out").click();
  assert.notEqual(await shot(), zoomed);
  await close();
});

test("a Mahimahi trace becomes the rate, and a measured transfer is drawn beside", async () => {
  const { page, close } = await open();
  await fast(page);
  const trace = Array.from({ length: 100 }, (_, at) => `${at + 1}\n`).join("");
  await page.locator("#trace").setInputFiles({ name: "my.trace", mimeType: "text/plain", buffer: Buffer.from(trace) });
  await page.waitForFunction(() => document.getElementById("toml").value.includes('trace = "my.trace"'));
  await done(page);
  assert.ok(Number((await cells(page, 1))[2]) < 12.1);
  const csv = "time_s,flow,cwnd_packets,srtt_ms,delivered_bytes\n" + Array.from({ length: 50 }, (_, at) => `${at},mine,${at},40,${at * 1e6}\n`).join("");
  await page.locator("#trace").setInputFiles({ name: "flows.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
  await page.locator('[data-chart="rtt"] .u-legend', { hasText: "flows.csv" }).waitFor();
  await close();
});

for (const [name, options] of [["wide", {}], ["dark", { colorScheme: "dark" }], ["phone", { width: 390 }], ["phone, dark", { width: 390, colorScheme: "dark" }]]) {
  test(`axe finds nothing: ${name}`, async () => {
    const { page, close } = await open(options);
    await fast(page);
    await page.locator("#again").click();
    await done(page);
    await page.locator("#text summary").click();
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => window.axe.run(document, { preload: false }));
    assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html.slice(0, 90))]), []);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${wide} pixels wider than the window`);
    await close();
  });
}
