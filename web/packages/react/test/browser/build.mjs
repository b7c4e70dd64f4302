// The pages of ../../dev and the gallery: served to all test files of a run, and built when the
// first one asks for them.
import { fileURLToPath } from "node:url";
import { buildPages } from "../../../../scripts/browser.mjs";
import { listen } from "../../../../scripts/listen.mjs";

const beside = (path) => fileURLToPath(new URL(path, import.meta.url));
const MODES = ["development", "production"];

export default async function serveWhatIsAskedFor({ provide }) {
  const built = new Map();
  let before = Promise.resolve();
  const pagesOf = (mode) => {
    if (!built.has(mode)) built.set(mode, (before = before.then(() => build(mode))));
    return built.get(mode);
  };
  const { url, stop } = await listen((request, response) => {
    const [mode] = request.url.slice(1).split("/");
    if (!MODES.includes(mode)) return void response.writeHead(404).end();
    pagesOf(mode).then(
      (pages) => pages.answer(request.url.slice(mode.length + 1), response),
      (error) => response.writeHead(500).end(String(error)),
    );
  });
  provide("pages", url);
  return async () => {
    await stop();
    for (const pages of built.values()) await (await pages).remove();
  };
}

/** React and its plugin go by the variable: one build after the other. */
async function build(mode) {
  const before = process.env.NODE_ENV;
  process.env.NODE_ENV = mode;
  try {
    return await buildPages("harness", configOf(mode));
  } finally {
    process.env.NODE_ENV = before;
  }
}

const configOf = (mode) => ({
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
});
