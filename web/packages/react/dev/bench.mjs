/* eslint-disable no-console -- it prints a table */
// Milliseconds per delta of the markdown renderer in Chromium: node dev/bench.mjs [characters per
// delta] How long a thread of 1,000 messages takes to open: node dev/bench.mjs open [rounds] [web
// folder of another version] What an answer in one costs: node dev/bench.mjs stream [web folder]
import { bundle } from "./bundle.mjs";
import { measureOpening } from "./open.mjs";
import { measureStreaming } from "./stream.mjs";
import { launch } from "../../../scripts/chromium.mjs";

if (process.argv[2] === "open") {
  const [rounds = "7", against] = process.argv.slice(3);
  await measureOpening({ rounds: Number(rounds), against });
  process.exit();
}

if (process.argv[2] === "stream") {
  await measureStreaming(process.argv[3]);
  process.exit();
}

const step = Number(process.argv[2] ?? 20);
const { js } = await bundle("bench-entry.tsx");
const browser = await launch();
// Without the even reveal, which would take the work out of what is measured.
const page = await browser.newPage({ reducedMotion: "reduce" });
await page.addScriptTag({ content: js });
const rows = await page.evaluate((characters) => globalThis.benchmark(characters), step);
await browser.close();

console.log(`${step} characters per delta, milliseconds from delta to DOM (React commit included)`);
console.table(
  Object.fromEntries(
    rows.map(({ name, deltas, p50, p95, max, total }) => [
      name,
      { deltas, p50: +p50.toFixed(2), p95: +p95.toFixed(2), max: +max.toFixed(2), total: Math.round(total) },
    ]),
  ),
);
