/**
 * What tests in a real browser share: a Chromium, pages and what they complain of, and what a page
 * showed when its test failed.
 */
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { describe, onTestFinished, test } from "vitest";
import { describe as shownOn } from "./browser.mjs";
import { findChromium, launch } from "./chromium.mjs";

/** The path of the Chromium; undefined where there is none. */
export const chromium = findChromium();
/** `test` where there is a Chromium. */
export const inBrowser = test.runIf(chromium);
/** `describe` where there is one. */
export const describeInBrowser = describe.runIf(chromium);

/** How long a step may take on a busy machine, in milliseconds: a guard, not a measure. */
const PATIENCE = 180_000;

/** Where pictures go. */
export const shots = fileURLToPath(new URL("../test-results/", import.meta.url));
mkdirSync(shots, { recursive: true });

let started: Promise<Browser> | undefined;

/** The browser of this process. Its test files share it, one after the other. */
export const theBrowser = (): Promise<Browser> => (started ??= launch(chromium));

export interface Opened {
  page: Page;
  /** What the console has of errors and warnings, and errors that nobody caught. */
  complaints: string[];
  close(): Promise<void>;
}

export interface OpenOptions extends BrowserContextOptions {
  /** Called before the page goes anywhere. */
  prepare?: ((page: Page) => Promise<unknown>) | undefined;
}

/** Opens an address as a visitor who was never there. Whoever opens it closes it. */
export async function openPage(url: string, { prepare, ...options }: OpenOptions = {}): Promise<Opened> {
  const context = await (await theBrowser()).newContext({ viewport: { width: 1100, height: 800 }, ...options });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  const complaints = complaintsOf(page);
  await prepare?.(page);
  await page.goto(url);
  return { page, complaints, close: () => context.close() };
}

/** The same for one test: closed at its end. If it fails, the log has what the page showed. */
export async function visit(url: string, options?: OpenOptions): Promise<Opened> {
  const opened = await openPage(url, options);
  onTestFinished(async ({ task }) => {
    if (task.result?.state === "fail") await tell(opened, task.name);
    await opened.close();
  });
  return opened;
}

/** Says what a page shows, so that a log alone tells what happened, and takes a picture of it. */
async function tell({ page, complaints }: Opened, test: string): Promise<void> {
  const name = test.replace(/\W+/g, "-").slice(0, 60);
  await page.screenshot({ path: `${shots}failed-${name}.png`, timeout: 30_000 }).catch(() => undefined);
  const said = complaints.join("\n") || "nothing";
  console.error(`${test}: the console said: ${said}\n${await shownOn(page)}`);
}

/** Said by the browser of a page that is slow, and no fault of it. */
const OF_SLOWNESS = /was preloaded using link preload but not used|\[Violation\]/;

function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on("console", (message) => {
    const isComplaint = message.type() === "error" || message.type() === "warning";
    if (isComplaint && !OF_SLOWNESS.test(message.text())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  return complaints;
}

/** Resolves when what moves on a page, and has an end, has come to it. */
export async function still(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
    const ending = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    await Promise.allSettled(ending.map(({ finished }) => finished));
  });
}

/** The accessibility rules the page breaks, one line each; empty if there are none. */
export async function violations(page: Page): Promise<string[]> {
  await still(page);
  // Evaluated rather than added as a script, which the page's content security policy would refuse.
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { axe: inPage } = window as unknown as { axe: typeof axe };
    const results = await inPage.run(document, {
      resultTypes: ["violations"],
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    });
    return results.violations.flatMap(({ id, help, nodes }) =>
      nodes.map((node) => `${id}: ${help}: ${node.target.join(" ")} ${node.any[0]?.message ?? ""}`),
    );
  });
}
