// What the scripts share that look at built pages in Chromium: none of them depends on how fast the
// machine is.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { build } from "vite";
import { launch } from "./chromium.mjs";

const types = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css" };
/** How long anything on a page may take, in milliseconds: a guard, not a measure. */
export const PATIENCE = 300_000;

export { launch };

/**
 * Builds pages into a folder of their own, serves them, and calls `work(address, browser)`. Puts
 * everything away.
 */
export async function withPages(name, config, work) {
  const folder = await mkdtemp(join(tmpdir(), `pageside-${name}-`));
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://pages");
    if (pathname === "/favicon.ico") return void response.writeHead(204).end();
    const file = pathname === "/" ? "/index.html" : pathname;
    try {
      const content = await readFile(join(folder, file));
      const type = types[extname(file)] ?? "application/octet-stream";
      response.writeHead(200, { "Content-Type": type, "Cache-Control": "max-age=3600" }).end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  let browser;
  try {
    await build({
      ...config,
      logLevel: "error",
      base: "./",
      build: { ...config.build, outDir: folder, emptyOutDir: true },
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    browser = await launch();
    return await work(`http://127.0.0.1:${server.address().port}`, browser);
  } finally {
    await browser?.close();
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
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

/** Keeps what a page is fetching, for `settled`. To be called before the page goes anywhere. */
export function watch(page) {
  const open = new Set();
  page.on("request", (request) => open.add(request));
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
