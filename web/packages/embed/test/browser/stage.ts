/** What the tests of this folder share: a Chromium, servers that end with a file's tests, pages. */
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, test } from "vitest";
import { findChromium, launch } from "../../../../scripts/chromium.mjs";
import { startPage, type Running } from "./servers.js";

const chromium = findChromium();
/** `test` where there is a Chromium. */
export const inBrowser = test.runIf(chromium);
/** `describe` where there is one. */
export const describeInBrowser = describe.runIf(chromium);

/** How long a step may take on a busy machine, in milliseconds: a guard, not a measure. */
const PATIENCE = 180_000;

export interface Opened {
  page: Page;
  /** What the console has of errors and warnings, and errors that nobody caught. */
  complaints: string[];
  close(): Promise<void>;
}

export interface OpenOptions extends BrowserContextOptions {
  /** Called before the page goes anywhere. */
  prepare?: (page: Page) => Promise<unknown>;
}

/** Starts a Chromium and a server before the tests of a file, and ends both after them. */
export function staged(start: () => Promise<Running>) {
  let browser: Browser;
  let running: Running;
  beforeAll(async () => {
    if (chromium) [browser, running] = await Promise.all([launch(chromium), start()]);
  });
  afterAll(async () => {
    await browser?.close();
    await running?.stop();
  });

  /** Opens an address, by default the server's. */
  async function open({ prepare, ...options }: OpenOptions = {}, url = running.url): Promise<Opened> {
    const context = await browser.newContext({ viewport: { width: 1100, height: 800 }, ...options });
    context.setDefaultTimeout(PATIENCE);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => {
      if (/error|warning/.test(message.type())) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    await prepare?.(page);
    await page.goto(url);
    return { page, complaints, close: () => context.close() };
  }

  /** Opens a page of the given HTML in front of the server. */
  async function openHtml(html: string, headers?: Record<string, string>, options?: OpenOptions): Promise<Opened> {
    const host = await startPage(html, running.url, headers);
    const opened = await open(options, host.url);
    return { ...opened, close: () => opened.close().then(host.stop) };
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
