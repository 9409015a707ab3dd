// The arena's page in a real browser, opened as a file: the one that ARENA names, or target/arena.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { LOOKS, flawless, open as opened } from "./browser.mjs";

const folder = process.env.ARENA ?? new URL("../../target/arena", import.meta.url).pathname;
assert.ok(existsSync(join(folder, "index.html")), `there is no page in ${folder}: cargo run --release -- arena --quick --cc cubic --out target/arena`);
const open = (look) => opened(pathToFileURL(join(folder, "index.html")).href, look);

for (const [name, look] of LOOKS) {
  test(`every entry opens its cell, and axe finds nothing: ${name}`, async () => {
    const { page, close } = await open(look);
    assert.ok((await page.locator(".matrix tbody tr").count()) > 0);
    await page.locator(".plot.ready").first().waitFor();
    await flawless(page, "index.html");
    // By the key: while plots are drawn around it, a link may move away from under a pointer.
    await page.locator(".cells td a:visible").first().press("Enter");
    await page.waitForURL(/cells\/.*\.html$/);
    assert.ok((await page.locator(".traces svg").count()) > 0);
    assert.match(await page.locator(".again code").first().textContent(), /^symbiosis arena --cc /);
    await flawless(page, page.url());
    await close();
  });
}
