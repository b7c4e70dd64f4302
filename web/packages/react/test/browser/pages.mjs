// The pages of ../../dev and the gallery, built and served for the tests of a file.
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll } from "vitest";
import { servePages } from "../../../../scripts/browser.mjs";
import { chromium } from "../../../../scripts/stage.ts";

/** The path of a file, from this folder. */
export const beside = (path) => fileURLToPath(new URL(path, import.meta.url));

/**
 * `urlOf({ entry, theme, … })` is a state of the gallery, `pageOf(name)` a page of ../../dev. As
 * for development they are slower, and React complains.
 */
export function builtPages(mode = "development") {
  let served;
  beforeAll(async () => {
    if (chromium) served = await servePages("harness", configOf(mode));
  });
  afterAll(() => served?.stop());
  return {
    urlOf: (query) => `${served.url}/apps/gallery/stage.html?${new URLSearchParams(query)}`,
    pageOf: (name) => `${served.url}/packages/react/dev/${name}`,
  };
}

function configOf(mode) {
  process.env.NODE_ENV = mode;
  return {
    configFile: beside("../../dev/vite.config.ts"),
    root: beside("../../../.."),
    mode,
    build: {
      minify: false,
      rollupOptions: {
        input: ["apps/gallery/stage.html", "packages/react/dev/page.html", "packages/react/dev/open.html"].map((page) =>
          beside(`../../../../${page}`),
        ),
      },
    },
  };
}
