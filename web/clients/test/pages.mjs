// Builds the pages in ../src, serves them as an application that is not Pageside's, and opens them
// in Chromium.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { describe as shown, launch, PATIENCE } from "../../scripts/browser.mjs";
import { listen } from "../../scripts/listen.mjs";
import { startServer } from "./server.mjs";

const source = fileURLToPath(new URL("../src", import.meta.url));

const html = (name) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>${name}</title>
    <link rel="icon" href="data:," />
  </head>
  <body><div id="root"></div><script type="module" src="/${name}.js"></script></body>
</html>
`;

/** Starts a server, an application with these pages, and a browser. */
export async function startPages(names, { config, ...options }) {
  const put = [];
  const stop = async () => {
    for (const away of put.splice(0).reverse()) await away();
  };
  try {
    const origin = await serve(await bundle(names, put), put);
    const server = await startServer({ ...options, config: { ...config, origins: [origin] } });
    put.push(server.stop);
    const browser = await launch();
    put.push(() => browser.close());
    return { origin, server, browser, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function bundle(names, put) {
  const folder = await mkdtemp(join(tmpdir(), "pageside-pages-"));
  put.push(() => rm(folder, { recursive: true, force: true }));
  await build({
    entryPoints: names.map((name) => join(source, `${name}.jsx`)),
    outdir: folder,
    bundle: true,
    splitting: true,
    format: "esm",
    target: "es2022",
    jsx: "automatic",
    jsxDev: true,
    // React and the front ends warn only in development.
    define: { "process.env.NODE_ENV": '"development"' },
    logLevel: "error",
  });
  return folder;
}

/** Serves /NAME as the page of NAME.js. */
async function serve(folder, put) {
  const { url, stop } = await listen(async (request, response) => {
    const { pathname } = new URL(request.url, "http://pages");
    if (!pathname.endsWith(".js")) {
      return void response.writeHead(200, { "Content-Type": "text/html" }).end(html(pathname.slice(1)));
    }
    const script = await readFile(join(folder, pathname)).catch(() => undefined);
    response.writeHead(script ? 200 : 404, { "Content-Type": "text/javascript" }).end(script);
  });
  put.push(stop);
  return url;
}

/**
 * Opens a page with a chat of its own, and calls `work` with what a person does there. Fails when
 * the page says anything to the console, or throws.
 */
export async function withPage({ origin, server, browser }, path, work) {
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE);
  const said = [];
  page.on("console", (m) => void (["warning", "error"].includes(m.type()) && said.push(`${m.type()}: ${m.text()}`)));
  page.on("pageerror", (error) => said.push(`thrown: ${error.stack}`));
  try {
    const address = new URL(path, origin);
    address.searchParams.set("server", server.url);
    address.searchParams.set("chat", randomUUID());
    await page.goto(address.href);
    await work(new Person(page));
    assert.deepEqual(said, [], "the page warned");
  } catch (error) {
    throw new Error(`${await shown(page)}\nconsole: ${said.join("\n")}\nlog: ${server.log()}`, { cause: error });
  } finally {
    await page.close();
  }
}

/** Somebody who reads the page and clicks. */
export class Person {
  constructor(page) {
    this.page = page;
    this.answers = page.getByRole("article", { name: "assistant" });
  }

  get last() {
    return this.answers.last();
  }

  async say(text) {
    await this.page.getByLabel("Message").fill(text);
    await this.click("Send");
  }

  async click(name) {
    await this.page.getByRole("button", { name }).last().click();
  }

  async see(text) {
    await this.last.getByText(text).last().waitFor();
  }

  /** Waits until the page says that no answer is under way. */
  async idle() {
    await this.page.waitForFunction(() => document.querySelector("main")?.ariaBusy === "false");
  }

  tool(name) {
    return this.page.getByRole("region", { name: `tool ${name}` }).last();
  }

  async count(role) {
    return this.page.getByRole("article", { name: role }).count();
  }

  async reload() {
    await this.page.reload();
    await this.page.getByLabel("Message").waitFor();
  }
}
