// The harness, built, and a Chromium to look at it with.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { PATIENCE, settled, watch, withPages } from "../../../scripts/browser.mjs";

const page = (name) => fileURLToPath(new URL(name, import.meta.url));

/**
 * Runs `work(browser, urlOf)` and puts everything away. `urlOf({ state, theme, … })` is a page of
 * the harness. As for development it is slower, and React complains.
 */
export function withHarness(work, mode = "development") {
  process.env.NODE_ENV = mode;
  const input = ["index.html", "composer.html", "journey.html", "open.html"].map(page);
  const config = {
    configFile: page("vite.config.ts"),
    mode,
    build: { minify: false, rollupOptions: { input } },
  };
  return withPages("harness", config, (base, browser) =>
    work(
      browser,
      (query) => `${base}/?${new URLSearchParams({ dir: query.state === "rtl" ? "rtl" : "ltr", ...query })}`,
    ),
  );
}

/** Opens a page where nothing moves by itself, once `until` is there and all is loaded. */
export async function openPage(browser, url, { until, before, ...options }) {
  const page = watch(await browser.newPage({ reducedMotion: "reduce", viewport: { width: 900, height: 800 }, ...options })); // prettier-ignore
  page.setDefaultTimeout(PATIENCE);
  if (before) await page.addInitScript(before);
  await page.goto(String(url));
  await page.waitForSelector(until);
  await settled(page);
  return page;
}

/** Opens the long thread of open.html; `before` runs in the page, before its own scripts. */
export async function openLongThread(browser, url, before) {
  const page = await openPage(browser, url, { until: ".ps-scroller", before });
  await page.evaluate(() => globalThis.client.openThread("long"));
  await page.waitForSelector(".ps-turn[data-last] .ps-md");
  await settled(page);
  return page;
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Axe finds nothing in the tray, by all of its rules or by those with a tag. */
export async function checkAccess(page, what, tags) {
  await page.evaluate(axe);
  const found = await page.evaluate(async (tags) => {
    const { violations } = await globalThis.axe.run(".ps-root", tags && { runOnly: tags });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  }, tags);
  assert.deepEqual(found, [], what);
}
