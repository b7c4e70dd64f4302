// Takes a picture of every panel and layout in both themes, docked and on a phone: node
// dev/shots-panels.mjs <out folder> [name…]
import { mkdirSync } from "node:fs";
import { panels, withHarness } from "./browser.mjs";

const [out = "test-results/panels", ...wanted] = process.argv.slice(2);
mkdirSync(out, { recursive: true });

const wide = { viewport: { width: 900, height: 800 } };
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const desktop = { viewport: { width: 1280, height: 800 } };
const pages = [
  ...panels.flatMap((panel) => [
    { name: `${panel}-wide`, options: wide, query: { state: "answer", panel } },
    { name: `${panel}-phone`, options: phone, query: { state: "answer", panel } },
  ]),
  ...["overlay", "popup", "full", "inline"].map((layout) => ({
    name: `layout-${layout}`,
    options: desktop,
    query: { state: "answer", layout },
  })),
  { name: "layout-full-history", options: desktop, query: { state: "answer", layout: "full", panel: "history" } },
  { name: "layout-popup-menu", options: desktop, query: { state: "answer", layout: "popup", panel: "menu" } },
  { name: "layout-compact", options: wide, query: { state: "answer", compact: "1" } },
  { name: "rtl-history", options: wide, query: { state: "rtl", panel: "history" } },
  { name: "rtl-sees", options: wide, query: { state: "rtl", panel: "sees-open" } },
  { name: "forced-sees", options: { ...wide, forcedColors: "active" }, query: { state: "answer", panel: "sees-open" } },
  {
    name: "forced-history",
    options: { ...wide, forcedColors: "active" },
    query: { state: "answer", panel: "history" },
  },
];

await withHarness(async (browser, urlOf) => {
  for (const { name, options, query } of pages) {
    if (wanted.length > 0 && !wanted.some((each) => name.includes(each))) continue;
    for (const theme of ["light", "dark"]) {
      const page = await browser.newPage({ ...options, reducedMotion: "reduce" });
      page.on("pageerror", (error) => console.error(name, error.message));
      await page.goto(urlOf({ ...query, theme }));
      await page.waitForLoadState("networkidle");
      await page.waitForTimeout(400);
      await page.screenshot({ path: `${out}/${name}-${theme}.png` });
      await page.close();
    }
  }
});
