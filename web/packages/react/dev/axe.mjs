// axe in Chromium, with colours and sizes, on every state in light and dark, and on some in forced colours and on a phone.
// Exits 1 on any finding.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { states, withHarness } from "./browser.mjs";

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
const modes = [
  { name: "light", theme: "light", states, options: {} },
  { name: "dark", theme: "auto", states, options: { colorScheme: "dark" } },
  { name: "forced", theme: "auto", states: varied, options: { forcedColors: "active" } },
  {
    name: "phone",
    theme: "light",
    states: varied,
    options: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  },
];

// Whatever hangs: this ends.
setTimeout(() => {
  console.error("axe did not end within 90 s");
  process.exit(1);
}, 90_000).unref();

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
  for (const state of states) {
    await page.goto(urlOf({ state, theme }));
    await page.waitForSelector(".ps-tray");
    await page.waitForLoadState("networkidle"); // parts that are loaded when they are needed
    await page.evaluate(axe);
    const violations = await page.evaluate(async () => {
      for (const row of document.querySelectorAll(".ps-tray [aria-expanded=false]")) row.click();
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
