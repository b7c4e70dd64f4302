// The gallery, built, served, and a Chromium to look at it with.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { build } from "vite";

const types = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css" };
const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"]; // prettier-ignore

/** Runs `work({ browser, urlOf })` and puts everything away. */
export async function withGallery(work) {
  const folder = await mkdtemp(join(tmpdir(), "pageside-gallery-"));
  const config = fileURLToPath(new URL("../vite.config.ts", import.meta.url));
  await build({ configFile: config, logLevel: "error", base: "./", build: { outDir: folder, emptyOutDir: true } });
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://gallery");
    try {
      const content = await readFile(join(folder, pathname === "/" ? "index.html" : pathname));
      const type = types[extname(pathname)] ?? "application/octet-stream";
      response.writeHead(200, { "Content-Type": type, "Cache-Control": "max-age=3600" }).end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const executablePath = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";
  const browser = await chromium.launch({ executablePath, args: flags });
  const base = `http://127.0.0.1:${server.address().port}`;
  try {
    return await work({ browser, urlOf: (query) => `${base}/stage.html?${new URLSearchParams(query)}` });
  } finally {
    await browser.close();
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true });
  }
}

/** An empty stage, in a context with those options. */
export async function stageOf(browser, urlOf, options, query = {}) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
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

/** Shows a state and waits until it is there, with the parts that are loaded when they are needed. */
export async function show(page, id, query) {
  await page.evaluate(([state, how]) => globalThis.gallery.show(state, how), [id, query]);
  await page.waitForLoadState("networkidle");
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}
