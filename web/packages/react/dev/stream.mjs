/* eslint-disable no-console -- it prints a table */
// What an answer costs that is written into a thread of 1,000 messages, in Chromium and built as
// for production: elements, turns, components that render, tasks.
import { fileURLToPath } from "node:url";
import { PATIENCE, settled, watch, withPages } from "../../../scripts/browser.mjs";
import { configOf } from "./open.mjs";
import { Tasks } from "./tasks.mjs";

const web = fileURLToPath(new URL("../../..", import.meta.url));

/** Runs in the page, before React: counts the components that render, as React's own tools do. */
function count() {
  const PERFORMED_WORK = 1;
  const counts = (globalThis.counts = { commits: 0, renders: 0 });
  const isComponent = ({ type }) => typeof type === "function" || (typeof type === "object" && type !== null);
  const walk = (fiber, before) => {
    if (fiber === before) return;
    if (before && isComponent(fiber) && fiber.flags & PERFORMED_WORK) counts.renders++;
    if (before && fiber.child === before.child) return;
    for (let child = fiber.child; child; child = child.sibling) if (child.alternate) walk(child, child.alternate);
  };
  globalThis.__REACT_DEVTOOLS_GLOBAL_HOOK__ = {
    supportsFiber: true,
    inject: () => 1,
    onCommitFiberUnmount() {},
    onPostCommitFiberRoot() {},
    onCommitFiberRoot(_, { current }) {
      counts.commits++;
      walk(current, current.alternate);
    },
  };
}

async function stream(browser, base) {
  const page = watch(await browser.newPage({ reducedMotion: "reduce", viewport: { width: 900, height: 800 } }));
  page.setDefaultTimeout(PATIENCE);
  await page.addInitScript(count);
  await page.goto(`${base}/open.html`);
  await page.waitForSelector(".ps-scroller");
  await page.evaluate(() => globalThis.client.openThread("long"));
  await page.waitForSelector(".ps-turn[data-last] .ps-md");
  await settled(page);
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 4000))); // what is idle work is done
  const tasks = await Tasks.of(page);
  const { longest, above, result } = await tasks.during(() => page.evaluate(answer));
  await page.close();
  return { ...result, "longest task, ms of processor": Math.round(longest.cpu), "tasks above 50 ms": above }; // prettier-ignore
}

/** Runs in the page: asks, and counts from the first word to the last. */
async function answer() {
  const { client, counts } = globalThis;
  const text = () => client.getSnapshot().messages.at(-1).content;
  const done = client.send("And now?");
  while (client.getSnapshot().status !== "streaming" || !text()) await new Promise(requestAnimationFrame);
  const before = { ...counts };
  let updates = 0;
  const end = client.subscribe(() => client.getSnapshot().status === "streaming" && updates++);
  await done;
  while (client.getSnapshot().status !== "idle") await new Promise(requestAnimationFrame);
  end();
  const per = (number) => Math.round((number / updates) * 10) / 10;
  return {
    "updates of the thread": updates,
    "commits an update": per(counts.commits - before.commits),
    "components rendered an update": per(counts.renders - before.renders),
    "elements on the page": document.querySelectorAll("*").length,
    "turns drawn": document.querySelectorAll(".ps-turn .ps-answer-body").length,
  };
}

/** Measures this version, and that of another `web/` folder where one is given. */
export async function measureStreaming(against) {
  const rows = {};
  if (against) await withPages("stream-before", configOf(against), async (base, browser) => (rows.before = await stream(browser, base))); // prettier-ignore
  await withPages("stream", configOf(web), async (base, browser) => (rows.now = await stream(browser, base)));
  console.table(Object.fromEntries(Object.keys(rows.now).map((key) => [key, { before: rows.before?.[key], now: rows.now[key] }]))); // prettier-ignore
}
