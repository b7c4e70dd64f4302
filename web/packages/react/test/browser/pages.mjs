// The pages of ../../dev and the gallery, from build.mjs.
import { fileURLToPath } from "node:url";
import { inject } from "vitest";

/** The path of a file, from this folder. */
export const beside = (path) => fileURLToPath(new URL(path, import.meta.url));

/**
 * `urlOf({ entry, theme, … })` is a state of the gallery, `pageOf(name)` a page of ../../dev. As
 * for development they are slower, and React complains.
 */
export function builtPages(mode = "development") {
  const url = `${inject("pages")}/${mode}`;
  return {
    urlOf: (query) => `${url}/apps/gallery/stage.html?${new URLSearchParams(query)}`,
    pageOf: (name) => `${url}/packages/react/dev/${name}`,
  };
}
