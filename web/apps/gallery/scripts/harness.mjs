// The gallery, built, served, and a Chromium to look at it with.
import { fileURLToPath } from "node:url";
import { PATIENCE, settled, watch, withPages } from "../../../scripts/browser.mjs";

/** Runs `work({ browser, urlOf })` and puts everything away. */
export function withGallery(work) {
  const configFile = fileURLToPath(new URL("../vite.config.ts", import.meta.url));
  return withPages("gallery", { configFile }, (base, browser) =>
    work({ browser, urlOf: (query) => `${base}/stage.html?${new URLSearchParams(query)}` }),
  );
}

/** An empty stage, in a context with those options. */
export async function stageOf(browser, urlOf, options, query = {}) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE);
  const page = watch(await context.newPage());
  await page.goto(urlOf(query));
  await page.waitForSelector("html[data-ready]", { state: "attached" });
  return page;
}

/** The list of states, as the gallery has it. */
export async function entriesOf(browser, urlOf) {
  const page = await stageOf(browser, urlOf, {});
  const entries = await page.evaluate(() => globalThis.gallery.entries);
  await page.context().close();
  return entries;
}

/**
 * Shows a state and waits until it is there, with the parts that are loaded when they are needed.
 */
export async function show(page, id, query) {
  await page.evaluate(([state, how]) => globalThis.gallery.show(state, how), [id, query]);
  await settled(page);
}
