// The tray in pages whose styles go wild must look as in a plain page, and nothing of its styles may match outside of it.
// Exits 1 where it does not: node dev/torture.mjs [folder for the pictures that differ]
import { mkdirSync, writeFileSync } from "node:fs";
import { withHarness } from "./browser.mjs";

const [out] = process.argv.slice(2);
const hosts = ["preflight", "reboot", "unset", "revert", "initial", "dark"];
// Cards that a page draws follow the page, and are not among them.
const looked = [
  "empty",
  "answer",
  "tools",
  "cards-settled",
  "approval",
  "questions",
  "suggestions",
  "queue-held",
  "error",
];
/** Of the pixels of a picture, those that may differ by what antialiasing does. */
const TOLERATED = 0.0005;

setTimeout(() => {
  console.error("torture did not end within 300 s");
  process.exit(1);
}, 300_000).unref();
if (out) mkdirSync(out, { recursive: true });

/** How many states are looked at side by side: most of the time of each is waiting. */
const PAGES = 3;
/** How long a page may take to look as it should, in milliseconds. */
const PATIENCE = 10_000;

let findings = 0;
let pictures = 0;
await withHarness(async (browser, urlOf) => {
  const todo = ["light", "dark"].flatMap((theme) =>
    (theme === "light" ? looked : ["answer", "approval"]).map((state) => ({ theme, state })),
  );
  await Promise.all(Array.from({ length: PAGES }, () => work(browser, urlOf, todo)));
});
console.warn(`torture: ${findings} findings in ${pictures} pictures`);
process.exitCode = findings > 0 ? 1 : 0;

/** Looks at one state after the other until none is left, then for what matches outside of the tray. */
async function work(browser, urlOf, todo) {
  const context = await browser.newContext({ reducedMotion: "reduce", viewport: { width: 1000, height: 900 } });
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  // One clock for all pictures: elapsed time is part of them.
  await page.clock.setFixedTime(new Date("2026-01-02T03:04:05Z"));
  const picture = () => page.locator(".ps-tray").screenshot({ animations: "disabled", caret: "hide" });
  const open = async (query) => {
    await page.goto(urlOf(query));
    await page.waitForSelector(".ps-tray");
  };
  for (let next = todo.shift(); next; next = todo.shift()) {
    const { state, theme } = next;
    await open({ state, theme });
    await page.waitForLoadState("networkidle"); // parts that are loaded when they are needed
    const plain = await picture();
    for (const host of hosts) {
      await open({ state, theme, host });
      pictures++;
      const late = Date.now() + PATIENCE;
      let there, share;
      do {
        there = await picture();
        share = await differing(page, plain, there);
      } while (share > TOLERATED && Date.now() < late);
      if (share <= TOLERATED) continue;
      findings++;
      console.error(`${state} ${theme} in ${host}: ${(share * 100).toFixed(2)} % of the pixels differ`);
      if (out) writeFileSync(`${out}/${state}-${theme}-${host}.png`, there);
      if (out) writeFileSync(`${out}/${state}-${theme}.png`, plain);
    }
  }
  const strays = await page.evaluate(matchesOutside);
  strays.forEach((stray) => console.error(`matches outside the tray: ${stray}`));
  findings += strays.length;
  await context.close();
}

/** The share of pixels that differ by more than a shade. */
function differing(page, a, b) {
  return page.evaluate(
    async ([first, second]) => {
      const read = async (base64) => {
        const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
        const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
        const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
        context.drawImage(bitmap, 0, 0);
        return context.getImageData(0, 0, bitmap.width, bitmap.height);
      };
      const [one, other] = await Promise.all([read(first), read(second)]);
      if (one.width !== other.width || one.height !== other.height) return 1;
      let count = 0;
      for (let at = 0; at < one.data.length; at += 4) {
        const off = [0, 1, 2].some((channel) => Math.abs(one.data[at + channel] - other.data[at + channel]) > 24);
        if (off) count++;
      }
      return count / (one.data.length / 4);
    },
    [a.toString("base64"), b.toString("base64")],
  );
}

/** Our selectors that match an element outside the root. */
function matchesOutside() {
  const found = [];
  const visit = (rules) => {
    for (const rule of rules) {
      if (rule.selectorText?.includes(".ps-")) {
        const bare = rule.selectorText.replace(/::[a-z-]+/g, "");
        for (const element of document.querySelectorAll(bare)) {
          if (!element.closest(".ps-root")) found.push(rule.selectorText);
        }
      }
      if (rule.cssRules) visit(rule.cssRules);
    }
  };
  for (const sheet of document.styleSheets) visit(sheet.cssRules);
  return found;
}
