// The example without a framework, as it is run: the core alone, in a page without a build.
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { startPlain } from "./servers.js";
import { ask, inBrowser, staged } from "./stage.js";

const { open } = staged(startPlain);

inBrowser("a hand-written chat box answers from the page, acts in it, and goes on after a reload", async () => {
  const asked: string[] = [];
  const prepare = async (page: Page) => {
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  };
  const { page, complaints } = await open({ prepare });
  await ask(page, "Switch the light on");
  await page.getByText("The light is on now.").waitFor();
  await expect.poll(() => page.locator("#light").textContent()).toBe("on");
  await page.getByText("switch_light: complete").waitFor();
  expect(asked).not.toContain("/pageside.js"); // no tray, no React

  await page.reload();
  await page.getByText("The light is on now.").waitFor();
  await expect.poll(() => page.locator("#log .tool").count()).toBe(1);
  await ask(page, "Is the light burning?");
  await page.getByText("The light is off.").waitFor(); // a new page: it is dark again
  expect(complaints).toEqual([]);
});
