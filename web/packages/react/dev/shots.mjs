// Takes a picture of every state: node dev/shots.mjs <out folder> [state…]. Needs the dev server: npx vite -c dev/vite.config.ts
import { mkdirSync } from "node:fs";
import { chromium } from "playwright-core";

const [out = "test-results/tray", ...wanted] = process.argv.slice(2);
const base = process.env.HARNESS ?? "http://127.0.0.1:5199/";
const all = ["empty", "submitted", "reasoning", "streaming", "tools", "answer", "error", "stopped", "long"];
mkdirSync(out, { recursive: true });

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
});
for (const state of wanted.length > 0 ? wanted : all) {
  for (const theme of ["light", "dark"]) {
    for (const [size, width, height] of [
      ["wide", 900, 900],
      ["phone", 390, 844],
    ]) {
      const page = await browser.newPage({
        viewport: { width, height },
        hasTouch: size === "phone",
        isMobile: size === "phone",
      });
      page.on("pageerror", (error) => console.error(state, error.message));
      await page.goto(`${base}?state=${state}&theme=${theme}${state === "rtl" ? "&dir=rtl" : ""}`);
      await page.waitForTimeout(500);
      await page.screenshot({ path: `${out}/${state}-${theme}-${size}.png` });
      await page.close();
    }
  }
}
await browser.close();
