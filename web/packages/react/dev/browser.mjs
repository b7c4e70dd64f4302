// The harness, built, and a Chromium to look at it with.
import { fileURLToPath } from "node:url";
import { withPages } from "../../../scripts/browser.mjs";

const file = (name) => fileURLToPath(new URL(name, import.meta.url));

/**
 * Runs `work(browser, urlOf, pageOf)` and puts everything away. `urlOf({ entry, theme, … })` is a
 * state of the gallery, `pageOf(name)` a page of this folder. As for development it is slower, and
 * React complains.
 */
export function withHarness(work, mode = "development") {
  process.env.NODE_ENV = mode;
  const stage = "../../../apps/gallery/stage.html";
  const config = {
    configFile: file("vite.config.ts"),
    root: file("../../.."),
    mode,
    build: {
      minify: false,
      rollupOptions: { input: [stage, "composer.html", "journey.html", "open.html"].map(file) },
    },
  };
  return withPages("harness", config, (base, browser) =>
    work(
      browser,
      (query) => `${base}/apps/gallery/stage.html?${new URLSearchParams(query)}`,
      (name) => `${base}/packages/react/dev/${name}`,
    ),
  );
}
