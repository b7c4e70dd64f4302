// axe in Chromium, with colours and sizes, on every state: light, dark, forced colours, phone. Exits 1 on any finding.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { states, withHarness } from "./browser.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const modes = {
  light: { theme: "light", options: {} },
  dark: { theme: "dark", options: { colorScheme: "dark" } },
  auto: { theme: "auto", options: { colorScheme: "dark" } },
  forced: { theme: "auto", options: { forcedColors: "active" } },
  phone: { theme: "light", options: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } },
};

const findings = await withHarness(async (browser, urlOf) => {
  const found = [];
  for (const [mode, { theme, options }] of Object.entries(modes)) {
    for (const state of states) {
      const page = await browser.newPage({
        reducedMotion: "reduce",
        viewport: { width: 1200, height: 900 },
        ...options,
      });
      await page.goto(urlOf({ state, theme }));
      await page.waitForSelector(".ps-tray");
      await page.evaluate(axe);
      const violations = await page.evaluate(async () => {
        for (const row of document.querySelectorAll(".ps-tool-row[aria-expanded=false]")) row.click();
        const result = await globalThis.axe.run(".ps-root", {
          runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"],
        });
        return result.violations.map(
          ({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html} ${node.failureSummary}`).join("\n    ")}`,
        );
      });
      found.push(...violations.map((violation) => `${mode} ${state}: ${violation}`));
      await page.close();
    }
  }
  return found;
});
findings.forEach((finding) => console.error(finding));
console.warn(`${findings.length} findings in ${Object.keys(modes).length * states.length} pages`);
process.exitCode = findings.length > 0 ? 1 : 0;
