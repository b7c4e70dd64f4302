/* eslint-disable no-console -- it prints tables */
// Pageside's tray, assistant-ui and CopilotKit in Chromium, built as for production, on the same
// stream of the same server: an answer that is written, a thread of 1,000 messages that is opened,
// scrolled, and written into. Prints medians; processor time of the page's main thread.
//   node bench/bench.mjs [--rounds 3]
import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { Tasks } from "../../packages/react/dev/tasks.mjs";
import { launch } from "../../scripts/browser.mjs";
import { listen } from "../../scripts/listen.mjs";
import { startServer } from "../test/server.mjs";
import { answer, conversation } from "./texts.mjs";

const { rounds } = parseArgs({ options: { rounds: { type: "string", default: "3" } } }).values;
const path = (name) => fileURLToPath(new URL(name, import.meta.url));

/** The front ends, with the field that a question is typed into. */
const ends = { pageside: ".ps-input", "assistant-ui": "textarea", copilotkit: "textarea" };
/** How long anything on a page may take, in milliseconds. */
const PATIENCE = 240_000;
const LONG = 1000;
const STEPS = 120;

async function bundle() {
  const folder = await mkdtemp(join(tmpdir(), "pageside-bench-"));
  const one = (name) => [name, path(`../node_modules/${name}`)];
  await build({
    entryPoints: Object.keys(ends).map((name) => path(`src/${name}.jsx`)),
    outdir: folder,
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    target: "es2022",
    jsx: "automatic",
    nodePaths: [path("../../node_modules")],
    alias: Object.fromEntries(["react", "react-dom"].map(one)),
    define: { "process.env.NODE_ENV": '"production"', "process.env": "{}" },
    loader: { ".woff": "dataurl", ".woff2": "dataurl", ".ttf": "dataurl" },
    logLevel: "error",
  });
  return folder;
}

const types = { ".js": "text/javascript", ".css": "text/css" };
const style = `body { margin: 0; height: 100vh } #root, .thread { display: flex; flex-direction: column; height: 100% }
  .viewport { flex: 1; overflow: auto } #root > * { min-height: 0; flex: 1 }`;
const html = (name) => `<!doctype html><meta charset="utf-8"><title>${name}</title><link rel="icon" href="data:,">
  <link rel="stylesheet" href="/${name}.css"><style>${style}</style>
  <div id="root"></div><script type="module" src="/${name}.js"></script>`;

const serve = (folder) =>
  listen(async (request, response) => {
    const { pathname } = new URL(request.url, "http://pages");
    const type = types[extname(pathname)];
    if (!type) return void response.writeHead(200, { "Content-Type": "text/html" }).end(html(pathname.slice(1)));
    const content = await readFile(join(folder, pathname)).catch(() => "");
    response.writeHead(200, { "Content-Type": type }).end(content);
  });

/** A thread of many messages, which a client has brought along. */
async function makeLong(server) {
  const threadId = randomUUID();
  const messages = conversation(LONG);
  const body = { threadId, runId: randomUUID(), state: {}, tools: [], context: [], forwardedProps: {} };
  const response = await fetch(`${server.url}/v1/agents/default/run`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
    body: JSON.stringify({ ...body, messages: [...messages, { id: "last", role: "user", content: "end it" }] }),
  });
  const text = await response.text();
  if (!text.includes("RUN_FINISHED")) throw new Error(`the long thread was not taken: ${text.slice(0, 400)}`);
  return threadId;
}

const medianOf = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** What the main thread did, in milliseconds of processor time. */
const costOf = ({ total, longest, above }) => ({
  "main thread, ms": Math.round(total),
  "tasks above 50 ms": above,
  "longest task, ms": Math.round(longest.cpu),
});

async function ask(page, selector) {
  const field = page.locator(selector).first();
  await field.fill("write at length");
  do {
    await field.press("Enter"); // CopilotKit takes no question before it has connected
    await sleep(200);
  } while ((await field.inputValue()) !== "");
  await page.getByText("finis").last().waitFor({ state: "attached" });
  await sleep(500);
}

/** The newest message of the long thread is on screen. */
const seesEnd = (page) => page.getByText("It is the end.").last().waitFor();

async function open(browser, origin, name, server, chat) {
  const page = await browser.newPage({ viewport: { width: 900, height: 800 } });
  page.setDefaultTimeout(PATIENCE);
  const tasks = await Tasks.of(page);
  const go = async (shown) => {
    const address = `${origin}/${name}?${new URLSearchParams({ server: server.url, chat })}`;
    await page.goto(address);
    await shown(page);
  };
  return { page, tasks, go };
}

async function measureShort(...world) {
  const { page, tasks, go } = await open(...world, randomUUID());
  const field = ends[world[2]];
  await go((shown) => shown.locator(field).first().waitFor());
  await sleep(1000);
  const cost = await tasks.during(() => ask(page, field));
  await page.close();
  return { write: costOf(cost) };
}

async function measureLong(...world) {
  const { page, tasks, go } = await open(...world);
  const opened = await tasks.during(async () => {
    const began = performance.now();
    await go(seesEnd);
    const shown = performance.now() - began;
    await sleep(2000);
    return { shown, elements: await page.evaluate(() => document.querySelectorAll("*").length) };
  });
  const scrolled = await tasks.during(async () => {
    const { x, width } = await page.locator(ends[world[2]]).first().boundingBox();
    await page.mouse.move(x + width / 2, 300);
    for (let step = 0; step < STEPS; step++) {
      await page.mouse.wheel(0, -400);
      await sleep(16);
    }
    await sleep(500);
  });
  await page.close();
  const { shown, elements } = opened.result;
  const more = { "on screen after, ms": Math.round(shown), elements };
  return { open: { ...more, ...costOf(opened) }, scroll: costOf(scrolled) };
}

async function measureInto(...world) {
  const { page, tasks, go } = await open(...world);
  await go(seesEnd);
  await sleep(2000);
  const cost = await tasks.during(() => ask(page, ends[world[2]]));
  await page.close();
  return { "write into it": costOf(cost) };
}

/** The medians of several rounds: by what was done, and by front end. */
function table(results) {
  for (const what of Object.keys(results[0].figures)) {
    const rows = {};
    for (const name of Object.keys(ends)) {
      const all = results.filter((result) => result.name === name).map(({ figures }) => figures[what]);
      rows[name] = Object.fromEntries(Object.keys(all[0]).map((key) => [key, medianOf(all.map((each) => each[key]))]));
    }
    console.log(what);
    console.table(rows);
  }
}

const folder = await bundle();
const { url: origin, stop } = await serve(folder);
const server = await startServer({
  config: { origins: [origin], dropIns: ["copilotkit"] },
  rules: [
    [/^write at length/, { text: answer, delay: 10 }],
    [/^end it/, { text: "It is the end." }],
  ],
});
const browser = await launch();
try {
  const results = [];
  for (let round = 0; round < Number(rounds); round++)
    for (const name of Object.keys(ends)) {
      const world = [browser, origin, name, server];
      const figures = { ...(await measureShort(...world)) };
      Object.assign(figures, await measureLong(...world, await makeLong(server)));
      Object.assign(figures, await measureInto(...world, await makeLong(server)));
      results.push({ name, figures });
      console.log(`round ${round + 1}, ${name}`);
    }
  table(results);
} finally {
  await browser.close();
  await server.stop();
  await stop();
  await rm(folder, { recursive: true, force: true });
}
