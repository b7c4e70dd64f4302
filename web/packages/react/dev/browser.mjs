// The harness, built, and a Chromium to look at it with.
import { fileURLToPath } from "node:url";
import { withPages } from "../../../scripts/browser.mjs";

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
