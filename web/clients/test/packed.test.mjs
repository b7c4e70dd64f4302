// The packages as npm would deliver them: packed, installed in an application of their own, and
// used there by Vite, Next.js, plain Node and TypeScript.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build, preview } from "vite";
import { describe as shown, launch, PATIENCE } from "../../scripts/browser.mjs";
import { startServer } from "./server.mjs";

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
/** Below web/clients, where Next, Vite and React are installed. */
const application = path("../.packed");
const tarballs = join(application, "tarballs");
const next = path("../node_modules/next/dist/bin/next");
const tsc = path("../../node_modules/typescript/bin/tsc");
/** A build of Next on a busy machine. */
const LONG = 600_000;

const run = async (command, args, options = {}) =>
  (await promisify(execFile)(command, args, { cwd: application, timeout: LONG, ...options })).stdout;

const PACKAGES = ["core", "react", "testing", "context-provider"];

/** What the entries beside the main ones answer, in Node and in a page. */
const ENTRIES = {
  agui: 0,
  calls: 0,
  chat: "Hello",
  events: 7,
  mentions: ["o"],
  messages: "Hello",
  rison: { status: "open" },
  running: { n: 1 },
  server: "clerk",
  sse: 2,
  "ui-actions": 0,
};

/** The model plays the rules of an example: it counts what is on screen, and filters it. */
const models = { main: { use: `script/${path("../../../examples/wrappers/answers.yaml")}` } };

/** Packs the packages and installs the tarballs, and what they need, in the application. */
async function install() {
  await rm(application, { recursive: true, force: true });
  await cp(path("../packed"), application, { recursive: true });
  await mkdir(tarballs);
  const files = [];
  for (const name of PACKAGES) {
    const cwd = path(`../../packages/${name}`);
    const [{ filename }] = JSON.parse(await run("npm", ["pack", "--json", "--pack-destination", tarballs], { cwd }));
    files.push(join(tarballs, filename));
  }
  // React comes from web/clients: one React for Next and for the packages, as in an application.
  await run("npm", [
    "install",
    "--prefix",
    ".",
    "--no-audit",
    "--no-fund",
    "--prefer-offline",
    "--legacy-peer-deps",
    ...files,
  ]);
}

describe("the packed packages", () => {
  let pageside, browser, port;
  const test = (name, work) => it(name, { timeout: LONG }, work);

  before(
    async () => {
      await install();
      port = await freePort();
      // Next sets X-Forwarded-Host, and Host to the server's: this is a development server's proxy.
      const config = { models, auth: { localProxy: true }, origins: [`http://127.0.0.1:${port}`] };
      pageside = await startServer({ config });
      browser = await launch();
    },
    { timeout: LONG },
  );
  after(async () => {
    await browser?.close();
    await pageside?.stop();
    await rm(application, { recursive: true, force: true });
  });

  test("are what is installed", async () => {
    for (const name of PACKAGES) {
      const folder = join(application, "node_modules/@pageside", name);
      const { version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
      const ours = JSON.parse(await readFile(path(`../../packages/${name}/package.json`), "utf8"));
      assert.equal(version, ours.version);
      await assert.rejects(readFile(join(folder, "src/index.ts")), { code: "ENOENT" });
    }
  });

  test("plain Node asks a server, and plays a tool", async () => {
    assert.equal(await run("node", ["ask.mjs", pageside.url]), "6 orders are on screen.\n3 of them are open.\n");
  });

  test("plain Node finds the other entries", async () => {
    assert.deepEqual(JSON.parse(await run("node", ["entries.mjs"])), {
      ...ENTRIES,
      testing: "function",
      mock: "function",
    });
  });

  // An entry that nothing imports could be broken, and no test would notice.
  test("every entry is imported by the application", async () => {
    const files = ["Orders.jsx", "ask.mjs", "entries.js", "entries.mjs", "scripted.mjs"];
    const sources = await Promise.all(files.map((file) => readFile(join(application, file), "utf8")));
    const imported = new Set([...sources.join("\n").matchAll(/"(@pageside\/[^"]+)"/g)].map(([, entry]) => entry));
    for (const name of PACKAGES) {
      const file = join(application, "node_modules/@pageside", name, "package.json");
      for (const entry of Object.keys(JSON.parse(await readFile(file, "utf8")).exports)) {
        if (entry === "./package.json") continue;
        assert(imported.has(`@pageside/${name}${entry.slice(1)}`), `@pageside/${name}: nothing imports ${entry}`);
      }
    }
  });

  test("plain Node tests with a scripted agent", async () => {
    assert.equal(await run("node", ["scripted.mjs"]), "3 are open.\n");
  });

  test("TypeScript checks an application with them, declarations included", async () => {
    await run("node", [tsc, "--project", "."]).catch(({ stdout }) => assert.fail(stdout));
  });

  test("Vite builds a page with them", async () => {
    const common = { configFile: false, root: application, logLevel: "error" };
    await build({ ...common, build: { chunkSizeWarningLimit: Infinity } });
    const proxy = { "/v1": pageside.url };
    const server = await preview({ ...common, preview: { host: "127.0.0.1", port: 0, proxy } });
    try {
      await asks(`http://127.0.0.1:${server.httpServer.address().port}/`);
    } finally {
      await server.close();
    }
  });

  test("Next.js builds a page with them, and serves it", async () => {
    const env = { ...process.env, PAGESIDE: pageside.url, NEXT_TELEMETRY_DISABLED: "1", NODE_ENV: "production" };
    await run("node", [next, "build"], { env }).catch(({ stdout, stderr }) => assert.fail(`${stdout}\n${stderr}`));
    const child = spawn("node", [next, "start", "--hostname", "127.0.0.1", "--port", String(port)], {
      cwd: application,
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const exited = once(child, "exit");
    try {
      for await (const line of child.stdout) if (/Ready/.test(line)) break;
      child.stdout.resume();
      const html = await (await fetch(`http://127.0.0.1:${port}/`)).text();
      assert.match(html, /<li>1<!-- -->: <!-- -->open<\/li>/, "the page is not rendered on the server");
      await asks(`http://127.0.0.1:${port}/`);
    } finally {
      child.kill();
      await exited;
    }
  });

  /** Opens a page, asks, and looks at what the assistant says and does. */
  async function asks(url) {
    const page = await browser.newPage();
    page.setDefaultTimeout(PATIENCE);
    const problems = [];
    page.on("pageerror", (error) => problems.push(error.stack));
    page.on("console", (m) => void (["error", "warning"].includes(m.type()) && problems.push(m.text())));
    try {
      await page.goto(url);
      await page.getByText("6: open").waitFor();
      await page.locator("output", { hasText: "clerk" }).waitFor();
      assert.equal(await page.locator(".ps-md strong").innerText(), "drawn");
      await page.locator("table", { hasText: "in the shop" }).waitFor({ state: "attached" });
      assert.deepEqual(JSON.parse(await page.locator("output").innerText()), ENTRIES);
      await ask(page, "How many are there?", "6 orders are on screen.");
      await ask(page, "Which are open?", "3 of them are open.");
      const rows = await page.locator("ul > li", { hasText: /^\d: / }).allTextContents();
      assert.deepEqual(rows, ["1: open", "3: open", "6: open"]);
      assert.deepEqual(problems, []);
    } catch (error) {
      throw new Error(`${await shown(page)}\nconsole: ${problems.join("\n")}\nlog: ${pageside.log()}`, {
        cause: error,
      });
    } finally {
      await page.close();
    }
  }
});

async function ask(page, question, answer) {
  const composer = page.getByRole("textbox");
  await composer.fill(question);
  await composer.press("Enter");
  await page.getByText(answer, { exact: true }).first().waitFor();
}

/** A port that nobody listens on now. */
async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
