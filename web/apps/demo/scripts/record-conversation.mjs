// Records conversations of the demo as the browser has them: every body it posts to start a run, in
// order, as gzipped JSON lines. Package bench/prompts replays them. The first line says which log
// the page showed; each of the others is one run: {"question": …, "body": …, "pending": […]}, the
// question that it belongs to and the tool calls it left to the page.
//
//   node apps/demo/scripts/record-conversation.mjs [--log FILE] [--out FOLDER] [12|40 …]
//
// Without a log the demo shows its generated sample. Needs `make build` and Chromium
// (CHROMIUM_PATH, or where it usually is).
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { launch } from "../../../scripts/chromium.mjs";
import { pageside, startProgram } from "../../../scripts/program.mjs";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const largest = 400_000; // bytes of a recording
const patience = 15_000; // ms that an answer may take

// What the user does beside asking.
const openRow = (page) => page.getByRole("button", { name: "Open request" }).first().click();
const closeRow = (page) =>
  page.getByRole("complementary", { name: "Request" }).getByRole("button", { name: "Close" }).click();
const removeFilter = (page) =>
  page
    .getByRole("button", { name: /^Remove filter/ })
    .last()
    .click();
const sortByBytes = (page) => page.getByRole("columnheader", { name: "bytes" }).getByRole("button").click();
const runQuery = (query) => async (page) => {
  const bar = page.getByRole("textbox", { name: "PPL query" });
  await bar.fill(query);
  await bar.press("Control+Enter");
};

const forty = [
  "What can you do?",
  "What's on my screen?",
  "Describe the fields",
  "What happened in this log?",
  "Which pages give the most 404s?",
  "and the 502s?",
  "When was that? 502 over time please",
  "Show only the hours between 14 and 15",
  "How many requests are there?",
  "Who are the top clients?",
  "Why so few results?",
  "Show the whole log",
  "What did 203.0.113.66 do?",
  "Only show client 203.0.113.66",
  "Which pages does it ask for most?",
  "Why so few results?",
  removeFilter,
  runQuery("source=access_log"),
  openRow,
  "What is this request?",
  closeRow,
  "Hide bots",
  "Top 10 pages",
  "Values of browser",
  "Which referrers send most visitors?",
  "Show errors by status",
  "Only client errors",
  "Which clients get the most 404s?",
  "How many 404s are there?",
  "Show the last 6 hours",
  "Errors per hour",
  "Why so few results?",
  removeFilter,
  removeFilter,
  "Reset the time range",
  "Which hour had the most traffic?",
  "Largest pages",
  "Average response size",
  runQuery("source=access_log | where bytes > 30000"),
  sortByBytes,
  "What am I looking at?",
  "How slow is /api/checkout?",
  "Show only /api/checkout",
  "Which status codes are there?",
  "top browsers with 5xx",
  "Only POST requests",
  "Summarise this page",
  "thanks",
];

/** The steps up to the question with that number. */
function upTo(questions) {
  let asked = 0;
  return forty.filter((step) => asked < questions && (typeof step !== "string" || ++asked > 0));
}

const conversations = { 12: upTo(12), 40: forty };

const { values: options, positionals } = parseArgs({
  options: { log: { type: "string" }, out: { type: "string", default: `${root}bench/prompts/testdata` } },
  allowPositionals: true,
});

const flags = options.log ? ["--log", options.log] : [];
const server = await startProgram(pageside, ["demo", "--listen", "127.0.0.1:0", "--model", "script/demo", ...flags]);
const browser = await launch();
try {
  mkdirSync(options.out, { recursive: true });
  for (const name of positionals.length > 0 ? positionals : Object.keys(conversations)) {
    const steps = conversations[name];
    if (!steps) throw new Error(`there is no conversation "${name}": ${Object.keys(conversations).join(", ")}`);
    save(name, await record(server.url, steps));
  }
} finally {
  await browser.close();
  await server.stop();
}

/** Goes through the steps on a page of its own and returns what it posted. */
async function record(url, steps) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  context.setDefaultTimeout(patience);
  const page = await context.newPage();
  const posted = [];
  let question = "";
  page.on("request", (request) => {
    if (!isRun(request)) return;
    const pending = pendingOf(request);
    pending.catch(() => undefined); // it is looked at below
    posted.push({ question, body: request.postDataJSON(), pending });
  });
  await page.goto(url);
  await loaded(page);
  for (const step of steps) {
    if (typeof step === "string") {
      question = step;
      await ask(page, step);
    } else {
      await step(page);
      await loaded(page);
    }
  }
  const runs = await Promise.all(posted.map(async (run) => ({ ...run, pending: await run.pending })));
  await context.close();
  return runs;
}

function isRun(request) {
  return request.method() === "POST" && new URL(request.url()).pathname.endsWith("/run");
}

/** The tool calls that a run left to the page, from the last event of its stream. */
async function pendingOf(request) {
  const response = await request.response();
  const end = (await response.text()).split("\n").findLast((line) => line.startsWith("data:"));
  const event = JSON.parse(end.slice("data:".length));
  if (event.type !== "RUN_FINISHED") throw new Error(`a run ended with ${end}`);
  return event.outcome?.pendingToolCallIds ?? [];
}

async function ask(page, question) {
  const bubbles = page.getByRole("log").locator(".ps-bubble");
  const before = await bubbles.count();
  await page.getByRole("textbox", { name: "Message" }).fill(question);
  await page.getByRole("button", { name: "Send message" }).click();
  await bubbles.nth(before).filter({ hasText: question }).waitFor();
  await page.locator("[role=log][aria-busy=false]").waitFor();
  await loaded(page);
}

/** The page shows the results of its query, and has counted what its hints say. */
async function loaded(page) {
  await page.getByRole("region", { name: "Results" }).and(page.locator("[aria-busy=false]")).waitFor();
  await page.waitForLoadState("networkidle");
}

function save(name, posted) {
  const questions = posted.filter(({ body }) => body.messages.some(({ role }) => role === "user")).length;
  const head = { log: options.log ? basename(options.log) : "", questions };
  const lines = [head, ...posted].map((line) => JSON.stringify(line) + "\n").join("");
  const path = `${options.out}/conversation-${name}.jsonl.gz`;
  writeFileSync(path, gzipSync(lines, { level: 9 }));
  const { size } = statSync(path);
  console.warn(`${path}: ${posted.length} runs, ${size} bytes`);
  if (size > largest) throw new Error(`${path} is larger than ${largest} bytes`);
}
