// The tray in pages whose styles go wild must look as in a plain page, and nothing of its styles
// may match outside of it. Exits 1 where it does not: node dev/torture.mjs [folder for the pictures
// that differ]
import { mkdirSync, writeFileSync } from "node:fs";
import { withGallery } from "../../../apps/gallery/scripts/harness.mjs";
import { guard, PATIENCE, settled, watch } from "../../../scripts/browser.mjs";

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

guard("torture", 2400, () => [...looking].join(", "));
if (out) mkdirSync(out, { recursive: true });

/** How many states are looked at side by side: most of the time of each is waiting. */
const PAGES = 3;
/** What is being looked at. */
const looking = new Set();

let findings = 0;
let pictures = 0;
await withGallery(async ({ browser, urlOf }) => {
  const todo = ["light", "dark"].flatMap((theme) =>
    (theme === "light" ? looked : ["answer", "approval"]).map((state) => ({ theme, state })),
  );
  await Promise.all(Array.from({ length: PAGES }, () => work(browser, urlOf, todo)));
});
console.warn(`torture: ${findings} findings in ${pictures} pictures`);
process.exitCode = findings > 0 ? 1 : 0;

/**
 * Looks at one state after the other until none is left, then for what matches outside of the tray.
 */
async function work(browser, urlOf, todo) {
  const context = await browser.newContext({ reducedMotion: "reduce", viewport: { width: 1000, height: 900 } });
  context.setDefaultTimeout(PATIENCE);
  const page = watch(await context.newPage());
  // One clock for all pictures: elapsed time is part of them.
  await page.clock.setFixedTime(new Date("2026-01-02T03:04:05Z"));
  const picture = () => page.locator(".ps-tray").screenshot({ animations: "disabled", caret: "hide" });
  const open = async (query) => {
    await page.goto(urlOf(query));
    await page.waitForSelector(".ps-tray");
    await settled(page);
  };
  for (let next = todo.shift(); next; next = todo.shift()) {
    const { state, theme } = next;
    await open({ entry: state, theme });
    const plain = await still(picture, page);
    for (const host of hosts) {
      const what = `${state} ${theme} in ${host}`;
      looking.add(what);
      await open({ entry: state, theme, host });
      pictures++;
      const late = Date.now() + PATIENCE;
      let there, share;
      do {
        there = await picture();
        share = await differing(page, plain, there);
      } while (share > TOLERATED && Date.now() < late);
      looking.delete(what);
      if (share <= TOLERATED) continue;
      findings++;
      console.error(`${what}: ${(share * 100).toFixed(2)} % of the pixels differ`);
      if (out) writeFileSync(`${out}/${state}-${theme}-${host}.png`, there);
      if (out) writeFileSync(`${out}/${state}-${theme}.png`, plain);
    }
  }
  const strays = await page.evaluate(matchesOutside);
  strays.forEach((stray) => console.error(`matches outside the tray: ${stray}`));
  findings += strays.length;
  await context.close();
}

/** A picture of what does not change any more. */
async function still(picture, page) {
  for (let before = await picture(); ;) {
    await settled(page);
    const now = await picture();
    if (now.equals(before)) return now;
    before = now;
  }
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
        const bare = rule.selectorText.replace(/::[a-z-]+(\([a-z-]+\))?/g, "");
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
