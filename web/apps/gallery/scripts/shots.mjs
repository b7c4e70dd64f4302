// Takes a picture of every state of the gallery: light, dark, 420 pixels wide and on a phone.
// node scripts/shots.mjs [folder [part of a name…]]
import { mkdir } from "node:fs/promises";
import { entriesOf, show, stageOf, withGallery } from "./harness.mjs";

const [out = "test-results/gallery", ...wanted] = process.argv.slice(2);
await mkdir(out, { recursive: true });

const TRAY = 420;
const desk = { viewport: { width: 1100, height: 860 }, reducedMotion: "reduce" };
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, reducedMotion: "reduce" };
let count = 0;
let failed = false;

await withGallery(async ({ browser, urlOf }) => {
  const entries = (await entriesOf(browser, urlOf)).filter(
    ({ id }) => wanted.length === 0 || wanted.some((each) => id.includes(each)),
  );
  for (const [size, options] of Object.entries({ [TRAY]: desk, phone })) {
    for (const theme of ["light", "dark"]) {
      const page = await stageOf(browser, urlOf, { ...options, colorScheme: theme });
      for (const { id, wide, state } of entries) {
        try {
          await show(page, id, { theme });
          const { width, height } = options.viewport;
          const x = state === "rtl" ? 0 : width - TRAY;
          const clip = size === "phone" || wide ? undefined : { x, y: 0, width: TRAY, height };
          await page.screenshot({ path: `${out}/${id}-${theme}-${size}.png`, clip, caret: "initial" });
          count++;
        } catch (error) {
          failed = true;
          console.error(`${id} ${theme} ${size}: ${error.message}`);
        }
      }
      await page.context().close();
    }
  }
});
console.warn(`${count} pictures in ${out}`);
process.exitCode = failed ? 1 : 0;
