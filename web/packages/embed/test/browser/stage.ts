/** What the tests of this folder share: servers that end with a file's tests, pages, questions. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { chromium, visit, type Opened, type OpenOptions } from "../../../../scripts/stage.js";
import { startPage, type Running } from "./servers.js";

export { describeInBrowser, inBrowser, type Opened } from "../../../../scripts/stage.js";

/** Starts a server before the tests of a file, and ends it after them. */
export function staged(start: () => Promise<Running>) {
  let running: Running;
  beforeAll(async () => {
    if (chromium) running = await start();
  });
  afterAll(() => running?.stop());

  /** Opens an address, by default the server's, until the end of the test. */
  const open = (options: OpenOptions = {}, url = running.url): Promise<Opened> => visit(url, options);

  /** Opens a page of the given HTML in front of the server. */
  async function openHtml(html: string, headers?: Record<string, string>, options?: OpenOptions): Promise<Opened> {
    const host = await startPage(html, running.url, headers);
    onTestFinished(host.stop);
    return open(options, host.url);
  }

  return { open, openHtml, url: () => running.url };
}

/** Asks the assistant in the tray. */
export async function ask(page: Page, question: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).fill(question);
  await page.keyboard.press("Enter");
}

/** The last answer in the tray. */
export const answerIn = (page: Page) => page.locator(".ps-turn").last().locator(".ps-answer-body").last();
