/* eslint-disable no-console -- it prints a table */
// How long a thread of 1,000 messages takes to open, from the click in the history, in Chromium and
// built as for production.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PATIENCE, watch, settled, withPages } from "../../../scripts/browser.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const web = fileURLToPath(new URL("../../..", import.meta.url));

/** Builds this page with the sources of a version: the one in `folder`, which is its `web/`. */
export const configOf = (folder) => ({
  configFile: join(folder, "packages/react/dev/vite.config.ts"),
  root: here,
  mode: "production",
  resolve: { dedupe: ["react", "react-dom"] },
  build: { rollupOptions: { input: [join(here, "open.html")] } },
});

async function open(browser, base, messages) {
  const page = watch(await browser.newPage({ viewport: { width: 900, height: 800 } }));
  page.setDefaultTimeout(PATIENCE);
  await page.goto(`${base}/open.html?messages=${messages}`);
  await page.getByRole("button", { name: "History" }).click();
  const row = page.getByRole("button", { name: "A long conversation" }).first();
  await row.waitFor();
  await settled(page);
  const opened = page.evaluate(() => globalThis.opened());
  await row.click();
  const times = await opened;
  await page.close();
  return times;
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** Measures this version, and that of another `web/` folder where one is given, in turn. */
export async function measureOpening({ rounds = 7, messages = 1000, against } = {}) {
  const rows = { now: [] };
  const round = async (versions) => {
    for (let n = 0; n <= rounds; n++) {
      for (const [name, base, browser] of versions) {
        const times = await open(browser, base, messages);
        if (n > 0) (rows[name] ??= []).push(times); // the first is for the caches
      }
    }
  };
  await withPages("open", configOf(web), async (base, browser) => {
    if (!against) return round([["now", base, browser]]);
    await withPages("open-before", configOf(against), (other) => round([["before", other, browser], ["now", base, browser]])); // prettier-ignore
  });
  console.log(`opening a thread of ${messages} messages, medians of ${rounds}, milliseconds`);
  console.table(
    Object.fromEntries(
      Object.entries(rows).map(([name, all]) => [
        name,
        Object.fromEntries(Object.keys(all[0]).map((key) => [key, Math.round(median(all.map((one) => one[key])))])),
      ]),
    ),
  );
}
