/* eslint-disable no-console -- it prints a table */
// The longest tasks of the page while answers that are made to stop it are written, opened again
// and scrolled, and whether the message box takes what is typed meanwhile:
// node dev/frames.mjs [--check] [name of a text …]. Of each task the processor's time is told
// beside its duration: the first does not grow with what else the machine does. With --check it
// exits 1 where a task is far too long.
import { guard, launch } from "../../../scripts/browser.mjs";
import { bundle } from "./bundle.mjs";
import { Tasks } from "./tasks.mjs";

const PIECES = 100;
/** Milliseconds of the processor: without bounds it is seconds, with them a fifth of this. */
const MOST = 250;
const isCheck = process.argv.includes("--check");
const named = process.argv.slice(2).filter((each) => !each.startsWith("--"));
const wanted = isCheck && named.length === 0 ? ["mixed", "500 fences", "a table of 88 KB"] : named;
const problems = [];
guard("frames", 1800);
const browser = await launch();
const { js, css } = await bundle("frames-entry.tsx");
const rows = {};
for (const name of await namesIn()) rows[name] = await measure(name);
await browser.close();
console.log(
  "milliseconds of processor time of the longest task (in brackets: its duration), the number of tasks above 50 ms",
);
console.table(rows);
problems.forEach((problem) => console.error(problem));
process.exitCode = isCheck && problems.length > 0 ? 1 : 0;

async function openPage() {
  const page = await browser.newPage({ viewport: { width: 1100, height: 800 } });
  page.setDefaultTimeout(600_000);
  page.on("pageerror", (error) => console.error(error));
  await page.setContent("<!doctype html><html lang=en><body></body></html>");
  await page.addStyleTag({ content: css });
  await page.addScriptTag({ content: js });
  return page;
}

async function namesIn() {
  const page = await openPage();
  const names = await page.evaluate(() => globalThis.names);
  await page.close();
  return names.filter((name) => wanted.length === 0 || wanted.includes(name) || wanted.includes("everything"));
}

/** The user types while the answer is written. */
async function writeAndType(page, name) {
  const box = page.getByRole("textbox", { name: "Message" });
  await box.focus();
  const words = "I am still here, am I not?";
  const written = page.evaluate(([text, pieces]) => globalThis.stream(text, pieces), [name, PIECES]);
  await page.keyboard.type(words, { delay: 40 });
  const result = await written;
  if ((await box.inputValue()) !== words) problems.push(`${name}: the message box has ${await box.inputValue()}`);
  return result;
}

async function measure(name) {
  const page = await openPage();
  const tasks = await Tasks.of(page);
  const row = {};
  await page.evaluate(() => globalThis.begin());
  for (const [column, work] of [
    ["writing", () => writeAndType(page, name)],
    ["opening", () => page.evaluate((text) => globalThis.reopen(text), name)],
    ["formatting", () => page.evaluate(() => globalThis.format())],
    ["scrolling", () => page.evaluate(() => globalThis.scroll())],
  ]) {
    const { longest, above, result } = await tasks.during(work);
    row[column] = `${longest.cpu.toFixed(0)} (${longest.duration.toFixed(0)}), ${above}`;
    if (longest.cpu > MOST) problems.push(`${name}, ${column}: a task of ${longest.cpu.toFixed(0)} ms`);
    if (process.env.PARTS) row[`${column} parts`] = JSON.stringify(longest.parts);
    if (result) row.nodes = result.nodes;
  }
  await page.close();
  console.error(name, JSON.stringify(row));
  return row;
}
