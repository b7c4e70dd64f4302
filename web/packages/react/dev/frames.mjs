/* eslint-disable no-console -- it prints a table */
// The longest tasks of the page while answers that are made to stop it are written, opened again
// and scrolled: node dev/frames.mjs [name of a text …]. Of each task the processor's time is told
// beside its duration: the first does not grow with what else the machine does.
import { build } from "esbuild";
import "../../../scripts/panel-styles.mjs";
import { launch } from "../../../scripts/browser.mjs";
import { Tasks } from "./tasks.mjs";

const PIECES = 100;
const wanted = process.argv.slice(2);
const browser = await launch();
const { js, css } = await bundle();
const rows = {};
for (const name of await namesIn()) rows[name] = await measure(name);
await browser.close();
console.log(
  "milliseconds of processor time of the longest task (in brackets: its duration), the number of tasks above 50 ms",
);
console.table(rows);

async function bundle() {
  const { outputFiles } = await build({
    entryPoints: [new URL("frames-entry.tsx", import.meta.url).pathname],
    outdir: "/frames",
    bundle: true,
    minify: !process.env.READABLE,
    write: false,
    format: "iife",
    jsx: "automatic",
    alias: { "@pageside/core": new URL("../../core/src/index.ts", import.meta.url).pathname },
    define: { "process.env.NODE_ENV": '"production"' },
  });
  const textOf = (type) => outputFiles.find(({ path }) => path.endsWith(type)).text;
  return { js: textOf(".js"), css: textOf(".css") };
}

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
  return names.filter((name) => wanted.length === 0 || wanted.includes(name));
}

async function measure(name) {
  const page = await openPage();
  const tasks = await Tasks.of(page);
  const row = {};
  await page.evaluate(() => globalThis.begin());
  for (const [column, work] of [
    ["writing", () => page.evaluate(([text, pieces]) => globalThis.stream(text, pieces), [name, PIECES])],
    ["opening", () => page.evaluate((text) => globalThis.reopen(text), name)],
    ["scrolling", () => page.evaluate(() => globalThis.scroll())],
  ]) {
    const { longest, above, result } = await tasks.during(work);
    row[column] = `${longest.cpu.toFixed(0)} (${longest.duration.toFixed(0)}), ${above}`;
    if (process.env.PARTS) row[`${column} parts`] = JSON.stringify(longest.parts);
    if (result) row.nodes = result.nodes;
  }
  await page.close();
  console.error(name, JSON.stringify(row));
  return row;
}
