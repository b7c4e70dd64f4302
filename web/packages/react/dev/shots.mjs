// Takes a picture of every state in both themes, docked and on a phone: node dev/shots.mjs <out folder> [state…]
import { mkdirSync } from "node:fs";
import { states, withHarness } from "./browser.mjs";

const [out = "test-results/tray", ...wanted] = process.argv.slice(2);
mkdirSync(out, { recursive: true });

const sizes = {
  wide: { viewport: { width: 900, height: 900 } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
};

await withHarness(async (browser, urlOf) => {
  for (const state of wanted.length > 0 ? wanted : states) {
    for (const theme of ["light", "dark"]) {
      for (const [size, options] of Object.entries(sizes)) {
        const page = await browser.newPage(options);
        page.on("pageerror", (error) => console.error(state, error.message));
        await page.goto(urlOf({ state, theme }));
        await page.waitForTimeout(400);
        await page.screenshot({ path: `${out}/${state}-${theme}-${size}.png` });
        await page.close();
      }
    }
  }
});
