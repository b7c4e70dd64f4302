// What the scripts share that look at built pages in Chromium: none of them depends on how fast the
// machine is.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { launch } from "./chromium.mjs";
import { listen } from "./listen.mjs";

const types = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css" };
/** How long anything on a page may take, in milliseconds: a guard, not a measure. */
export const PATIENCE = 300_000;

export { launch };

/** Builds pages into a folder of their own and serves them at `url`, until `stop` is called. */
export async function servePages(name, config) {
  const pages = await buildPages(name, config);
  const { url, stop } = await listen((request, response) => void pages.answer(request.url, response));
  return { url, stop: () => stop().then(pages.remove) };
}

/** Builds pages into a folder of their own, for `answer(address, response)` until `remove()`. */
export async function buildPages(name, config) {
  const folder = await mkdtemp(join(tmpdir(), `pageside-${name}-`));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const { build } = await import("vite");
    await build({
      ...config,
      logLevel: "error",
      base: "./",
      build: { ...config.build, outDir: folder, emptyOutDir: true },
    });
    return { answer: (address, response) => answer(folder, address, response), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function answer(folder, address, response) {
  const { pathname } = new URL(address, "http://pages");
  const file = pathname === "/" ? "/index.html" : pathname;
  try {
    const content = await readFile(join(folder, file));
    const type = types[extname(file)] ?? "application/octet-stream";
    response.writeHead(200, { "Content-Type": type, "Cache-Control": "max-age=3600" }).end(content);
  } catch {
    response.writeHead(404).end();
  }
}

/** Serves pages and calls `work(address, browser)`. Puts everything away. */
export async function withPages(name, config, work) {
  const { url, stop } = await servePages(name, config);
  let browser;
  try {
    browser = await launch();
    return await work(url, browser);
  } finally {
    await browser?.close();
    await stop();
  }
}

/** Ends the process where it hangs, and says where it was. */
export function guard(what, seconds, where = () => "") {
  setTimeout(() => {
    console.error(`${what} did not end within ${seconds} s ${where()}`);
    process.exit(1);
  }, seconds * 1000).unref();
}

/**
 * Checks until it holds: what is on screen soon is there when a person looks. Throws what was wrong
 * at last.
 */
export async function eventually(check) {
  for (const end = Date.now() + PATIENCE; ; await sleep(50)) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
}

const fetching = new WeakMap();

/**
 * Keeps what a page is fetching, or only what is of a type such as "script", for `settled`. To be
 * called before the page goes anywhere.
 */
export function watch(page, type) {
  const open = new Set();
  page.on("request", (request) => (type ?? request.resourceType()) === request.resourceType() && open.add(request));
  for (const name of ["requestfinished", "requestfailed"]) page.on(name, (request) => open.delete(request));
  page.on("framenavigated", (frame) => frame === page.mainFrame() && open.clear());
  fetching.set(page, open);
  return page;
}

/**
 * Waits until a page has fetched what it asked for, the parts that are loaded when they are needed,
 * and has drawn it.
 */
export async function settled(page) {
  const open = fetching.get(page);
  const frames = () => page.evaluate(async () => { for (let n = 0; n < 3; n++) await new Promise(requestAnimationFrame); }); // prettier-ignore
  for (const end = Date.now() + PATIENCE; ; await sleep(20)) {
    await frames();
    if (open.size === 0) return;
    if (Date.now() > end) throw new Error(`still fetching ${[...open].map((request) => request.url()).join(" ")}`);
  }
}

/** What a page shows, as text, for whoever reads a log. */
export async function describe(page) {
  const shown = await page.locator("body").ariaSnapshot({ timeout: 30_000 }).catch(String);
  return `the page was ${page.url()} and showed:\n${shown.slice(0, 8000)}`;
}
