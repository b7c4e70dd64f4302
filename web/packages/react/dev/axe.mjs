// axe in Chromium, with colours and sizes, on every state in light and dark, and on some in forced colours and on a phone.
// Exits 1 on any finding.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { panels, states, withHarness } from "./browser.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const varied = [
  "empty",
  "tools",
  "answer",
  "error",
  "stopped",
  "rtl",
  "cards",
  "cards-settled",
  "approval",
  "questions",
  "suggestions",
  "queue-held",
];
const around = [
  ...panels.map((panel) => ({ state: "answer", panel })),
  ...["overlay", "popup", "full", "inline"].map((layout) => ({ state: "answer", layout })),
  { state: "rtl", panel: "history" },
  { state: "rtl", panel: "sees-open" },
  { state: "rtl", panel: "menu" },
  { state: "answer", layout: "full", panel: "history" },
];
const modes = [
  { name: "light", theme: "light", states: [...states, ...around], options: {} },
  { name: "dark", theme: "auto", states: [...states, ...around], options: { colorScheme: "dark" } },
  { name: "forced", theme: "auto", states: [...varied, ...around], options: { forcedColors: "active" } },
  {
    name: "phone",
    theme: "light",
    states: [...varied, ...panels.map((panel) => ({ state: "answer", panel }))],
    options: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  },
];

// Whatever hangs: this ends.
setTimeout(() => {
  console.error("axe did not end within 5 min");
  process.exit(1);
}, 300_000).unref();

/** With words behind the command, only what they name: node dev/axe.mjs panel */
const wanted = process.argv.slice(2);
const isWanted = (each) => wanted.length === 0 || wanted.some((word) => JSON.stringify(each).includes(word));

let pages = 0;
const findings = await withHarness(async (browser, urlOf) =>
  (await Promise.all(modes.map((mode) => inspect(browser, urlOf, mode)))).flat(),
);
findings.forEach((finding) => console.error(finding));
console.warn(`axe: ${findings.length} findings in ${pages} pages`);
process.exitCode = findings.length > 0 || pages === 0 ? 1 : 0;

async function inspect(browser, urlOf, { name, theme, states, options }) {
  const context = await browser.newContext({
    reducedMotion: "reduce",
    viewport: { width: 1200, height: 900 },
    ...options,
  });
  context.setDefaultTimeout(10_000);
  const page = await context.newPage();
  const found = [];
  for (const each of states.filter(isWanted)) {
    const query = typeof each === "string" ? { state: each } : each;
    const state = Object.values(query).join(" ");
    await page.goto(urlOf({ ...query, theme }));
    await page.waitForSelector(".ps-tray");
    await page.waitForLoadState("networkidle"); // parts that are loaded when they are needed
    await page.evaluate(axe);
    const violations = await page.evaluate(async () => {
      if (!location.search.includes("panel="))
        for (const row of document.querySelectorAll(".ps-tray [aria-expanded=false]:not([aria-haspopup])")) row.click();
      for (const edit of document.querySelectorAll(".ps-interrupt-form .ps-first"))
        if (edit.textContent === "Edit") edit.click();
      const result = await globalThis.axe.run(".ps-root", {
        runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"],
      });
      return result.violations.map(
        ({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html} ${node.failureSummary}`).join("\n    ")}`,
      );
    });
    found.push(...violations.map((violation) => `${name} ${state}: ${violation}`));
    pages++;
  }
  await context.close();
  return found;
}
