// The example without a framework, as it is run: the core alone, in a page without a build.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findChromium, launch } from "../../../../scripts/chromium.mjs";
import { startPlain, type Running } from "./servers.js";

const chromium = findChromium();
let browser: Browser;
let plain: Running;

beforeAll(async () => {
  if (!chromium) return;
  [browser, plain] = await Promise.all([launch(chromium), startPlain()]);
});

afterAll(async () => {
  await browser?.close();
  await plain?.stop();
});

test.runIf(chromium)(
  "a hand-written chat box answers from the page, acts in it, and goes on after a reload",
  async () => {
    const page = await browser.newPage();
    page.setDefaultTimeout(180_000);
    const complaints: string[] = [];
    const asked: string[] = [];
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => {
      if (/error|warning/.test(message.type())) complaints.push(message.text());
    });
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(plain.url);
    await page.getByLabel("Message").fill("Switch the light on");
    await page.keyboard.press("Enter");
    await page.getByText("The light is on now.").waitFor();
    await expect.poll(() => page.locator("#light").textContent()).toBe("on");
    await page.getByText("switch_light: complete").waitFor();
    expect(asked).not.toContain("/pageside.js"); // no tray, no React

    await page.reload();
    await page.getByText("The light is on now.").waitFor();
    await expect.poll(() => page.locator("#log .tool").count()).toBe(1);
    await page.getByLabel("Message").fill("Is the light burning?");
    await page.keyboard.press("Enter");
    await page.getByText("The light is off.").waitFor(); // a new page: it is dark again
    expect(complaints).toEqual([]);
    await page.close();
  },
);
