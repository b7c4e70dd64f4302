// The examples for Vue, Svelte and Angular, each on its own development server with Pageside behind
// it, in a browser.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import vue from "@vitejs/plugin-vue";
import { createServer } from "vite";
import { launch } from "../../scripts/chromium.mjs";
import { pageside as binary, startProgram } from "../../scripts/program.mjs";

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const examples = path("../../../examples/wrappers");
const modules = path("../node_modules");
const PATIENCE = 60_000;

/** What an application has in its vite.config.js. Its packages stand beside this test. */
const plugins = {
  vue: () => [vue()],
  svelte: () => [svelte({ configFile: false })],
  angular: () => [],
};
const packages = /^(vue|svelte|@angular\/[a-z-]+)($|\/)/;

let pageside, browser;

before(async () => {
  pageside = await startPageside();
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await pageside?.stop();
});

for (const name of Object.keys(plugins)) {
  test(`${name}: the assistant sees the component's state and changes it`, async () => {
    const site = await serve(name);
    const page = await browser.newPage();
    page.setDefaultTimeout(PATIENCE);
    const problems = [];
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) problems.push(message.text());
    });
    try {
      await page.goto(site.url);
      await page.locator("li").nth(5).waitFor();
      await ask(page, "How many are there?", "6 orders are on screen.");
      await ask(page, "Which are open?", "3 of them are open.");
      assert.deepEqual(await page.locator("li").allTextContents(), ["1: open", "3: open", "6: open"]);
      await ask(page, "How many are there now?", "3 orders are on screen.");
      assert.deepEqual(problems, []);
    } finally {
      await page.close();
      await site.stop();
    }
  });
}

async function ask(page, question, answer) {
  const composer = page.locator("pageside-tray").getByRole("textbox");
  await composer.fill(question);
  await composer.press("Enter");
  await page.locator("pageside-tray").getByText(answer, { exact: true }).first().waitFor();
}

async function serve(name) {
  const root = join(examples, name);
  const cacheDir = await mkdtemp(join(tmpdir(), "pageside-vite-"));
  const server = await createServer({
    configFile: false,
    root,
    cacheDir,
    logLevel: "error",
    plugins: [fromHere(), ...plugins[name]()],
    resolve: { conditions: ["browser", "module", "development|production"] },
    optimizeDeps: { noDiscovery: true },
    server: {
      host: "127.0.0.1",
      port: 0,
      hmr: false,
      fs: { allow: [examples, modules] },
      proxy: Object.fromEntries(["/v1", "/pageside.js", "/assets/pageside-"].map((path) => [path, pageside.url])),
    },
  });
  await server.listen();
  return {
    url: `http://127.0.0.1:${server.httpServer.address().port}/`,
    stop: async () => {
      await server.close();
      await rm(cacheDir, { recursive: true, force: true });
    },
  };
}

/** Finds the frameworks where they are installed: an application has them beside its sources. */
function fromHere() {
  return {
    name: "packages-from-here",
    enforce: "pre",
    resolveId(id, _importer, options) {
      if (packages.test(id)) return this.resolve(id, path("./wrappers.test.mjs"), { ...options, skipSelf: true });
    },
  };
}

async function startPageside() {
  const folder = await mkdtemp(join(tmpdir(), "pageside-wrappers-"));
  const store = `sqlite:${folder}/threads.db`;
  const args = ["serve", "--config", join(examples, "pageside.yaml"), "--listen", "127.0.0.1:0", "--store", store];
  const server = await startProgram(binary, args);
  const stop = () => server.stop().then(() => rm(folder, { recursive: true, force: true }));
  return { url: server.url, stop };
}
