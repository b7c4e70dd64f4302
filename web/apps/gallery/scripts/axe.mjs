// axe in Chromium, with colours and sizes, on every state of the gallery: light, dark, right to
// left, forced colours, and some on a phone. Exits 1 on any finding. `npm run axe -- box` looks
// only at states whose name has that in it, `npm run axe -- --sample` at each state in one of the
// modes: the first in the first, the second in the second, and so on.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { guard } from "../../../scripts/browser.mjs";
import { entriesOf, show, stageOf, withGallery } from "./harness.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const isSample = process.argv.includes("--sample");
const wanted = process.argv.slice(2).filter((each) => each !== "--sample");
/** Where each mode is, for the message about what hangs. */
const at = {};

const desk = { viewport: { width: 1200, height: 900 }, reducedMotion: "reduce" };
const modes = [
  { name: "light", query: { theme: "light" }, options: desk },
  { name: "dark", query: { theme: "dark" }, options: { ...desk, colorScheme: "dark" } },
  { name: "rtl", query: { theme: "light", dir: "rtl" }, options: desk },
  { name: "forced", query: { theme: "light" }, options: { ...desk, forcedColors: "active" } },
  {
    name: "phone",
    query: { theme: "light" },
    options: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, reducedMotion: "reduce" },
    only: /^(?:empty|tools|answer|error|cards|approval|questions|suggestions|queue|box-|panel-)/,
  },
];

guard("axe", 2400, () => JSON.stringify(at));

const began = Date.now();
let pages = 0;
const findings = await withGallery(async ({ browser, urlOf }) => {
  const entries = (await entriesOf(browser, urlOf)).filter(
    ({ id }) => wanted.length === 0 || wanted.some((each) => id.includes(each)),
  );
  const found = await Promise.all(
    modes.map(async ({ name, query, options, only }, mode) => {
      const page = await stageOf(browser, urlOf, options);
      await page.evaluate(axe);
      const found = [];
      page.on("pageerror", (error) => found.push(`${name}: ${error.message}`));
      const mine = entries.filter((_, index) => !isSample || index % modes.length === mode);
      for (const { id } of mine.filter((entry) => only?.test(entry.id) ?? true)) {
        at[name] = id;
        found.push(...(await inspect(page, id, query)).map((violation) => `${name} ${id}: ${violation}`));
        pages++;
      }
      return found;
    }),
  );
  return found.flat();
});
findings.forEach((finding) => console.error(finding));
console.warn(`axe: ${findings.length} findings in ${pages} pages, ${Math.round((Date.now() - began) / 1000)} s`);
process.exitCode = findings.length > 0 || pages === 0 ? 1 : 0;

async function inspect(page, id, query) {
  try {
    await show(page, id, query);
    return await page.evaluate(async () => {
      // What is folded up is looked at too; a menu would close what is open.
      for (const row of document.querySelectorAll(".ps-tray [role=log] [aria-expanded=false]:not([aria-haspopup])"))
        row.click();
      for (const edit of document.querySelectorAll(".ps-interrupt-form .ps-first"))
        if (edit.textContent === "Edit") edit.click();
      const result = await globalThis.axe.run(".ps-root", {
        runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
        resultTypes: ["violations"],
      });
      return result.violations.map(
        ({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html} ${node.failureSummary}`).join("\n    ")}`,
      );
    });
  } catch (error) {
    return [error.message];
  }
}
