// The playground in a real browser, opened as a file.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LOOKS, flawless, memory, open as opened } from "./browser.mjs";

const page_url = new URL("../../crates/playground/assets/index.html", import.meta.url).href;

async function open({ hash = "", ...look } = {}) {
  const found = await opened(page_url + hash, look);
  await found.page.locator("#controls .range").first().waitFor();
  return found;
}

const fast = (page) => page.locator("#speed").selectOption("Infinity");
const done = (page, count = 1) => page.waitForFunction((count) => document.querySelectorAll(".results table").length === count, count);
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
  const second = () => page.evaluate(() => new Promise((resolve) => {
    let frames = 0;
    const end = performance.now() + 1000;
    const count = () => (performance.now() < end ? (frames++, requestAnimationFrame(count)) : resolve(frames));
    count();
  }));
  // The best of three seconds: what else a machine does costs frames, and nothing adds any.
  const frames = Math.max(await second(), await second(), await second());
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
  // By keys: what a run draws above moves the place of a click.
  await page.locator("#text summary").press("Enter");
  await page.locator("#by-hand").press("Space");
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

/** What a page may hold while runs follow each other [MB]: measured 60 to 90; a hundred runs of 2000 samples that were kept would be a GB. */
const MOST_MB = 250;

test("presets of the arena: on the controls, and as text where they have more than these; two controllers are compared in both", async () => {
  const { page, close } = await open();
  await fast(page);
  const groups = await page.locator("#preset optgroup").evaluateAll((groups) => groups.map((group) => group.label));
  assert.ok(groups.filter((group) => group.startsWith("Arena: ")).length > 12, groups.join());
  await page.locator("#compare").selectOption("cubic");
  for (const [group, byHand] of [["Arena: one flow", false], ["Arena: ACK path", true]]) {
    await page.locator(`#preset optgroup[label="${group}"] option`).first().evaluate((option) => {
      option.selected = true;
      option.closest("select").dispatchEvent(new Event("change"));
    });
    await page.waitForFunction((group) => document.querySelector("#preset option:checked")?.parentElement.label === group, group);
    assert.equal(await page.locator("#by-hand").isChecked(), byHand, group);
    await done(page, 2);
    const controllers = await page.locator(".results tbody tr:first-child td:nth-child(2)").allTextContents();
    assert.deepEqual(controllers, ["symbiosis", "cubic"], group);
  }
  await close();
});

test("memory is bounded: runs that follow each other, two beside each other", async () => {
  const { page, close } = await open();
  await fast(page);
  await page.locator("#preset").selectOption({ label: "Bufferbloat: CUBIC alone" });
  await page.locator("#compare").selectOption("symbiosis");
  await done(page, 2);
  const held = [];
  for (let run = 1; run <= 20; run++) {
    await page.evaluate(() => document.querySelectorAll(".results table").forEach((table) => (table.dataset.old = "yes")));
    await page.locator("#again").click();
    await page.waitForFunction(() => document.querySelectorAll(".results table:not([data-old])").length === 2);
    if (run % 5 === 0) held.push(await memory(page));
  }
  console.log(`the playground holds ${held.map((mb) => Math.round(mb)).join(", ")} MB after 5, 10, 15, 20 runs of two controllers beside each other`);
  assert.ok(Math.max(...held) < MOST_MB, `${held} MB`);
  assert.ok(held[3] < 1.5 * held[0], `it grows: ${held} MB`);
  await close();
});

for (const [name, look] of LOOKS) {
  test(`axe finds nothing: ${name}`, async () => {
    const { page, close } = await open(look);
    await fast(page);
    await page.locator("#again").click();
    await done(page);
    await page.locator("#text summary").click();
    await flawless(page, name);
    await close();
  });
}
