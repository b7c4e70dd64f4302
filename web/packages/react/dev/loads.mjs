// What Chromium fetches of a small application that Vite made of the published packages, until the
// first answer is complete: node dev/loads.mjs
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { scriptedAgent } from "@pageside/testing";
import { guard, PATIENCE, withPages } from "../../../scripts/browser.mjs";

guard("the loads", 600);

/** How many scripts there may be at a moment beside React's, and their kB, compressed. */
const LIMITS = {
  "closed, untouched": { files: 4, kB: 30 },
  "first answer": { files: 12, kB: 100 },
};

const config = {
  configFile: false,
  root: fileURLToPath(new URL("loads", import.meta.url)),
  build: {
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "react", test: /node_modules\/(react|react-dom|scheduler)\// }] } } }, // prettier-ignore
  },
};

const agent = scriptedAgent([{ reply: "You have **two** late orders." }]);
/** Ends what the page still follows. */
const over = new AbortController();

await withPages("loads", config, async (base, browser) => {
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE);
  await page.route("https://assistant.example/**", (route) =>
    answer(route).catch((cause) => {
      if (!over.signal.aborted) throw cause;
    }),
  );
  const scripts = watchScripts(page);

  await page.goto(base);
  await page.getByRole("button", { name: "Open Assistant" }).waitFor();
  await idle(page);
  const table = { "closed, untouched": await scripts() };

  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "Message" }).waitFor();
  await page.keyboard.type("Which orders are late?");
  await page.keyboard.press("Enter");
  await page.locator("strong", { hasText: "two" }).waitFor();
  await page.getByRole("button", { name: "Send" }).waitFor();
  await idle(page);
  table["first answer"] = await scripts();

  for (const [moment, limit] of Object.entries(LIMITS)) {
    const { files, kB } = table[moment];
    console.info(`${moment}: ${files} of ${limit.files} files, ${kB} of ${limit.kB} kB`);
    assert.ok(files <= limit.files && kB <= limit.kB, `${moment}: too much`);
  }
}).finally(() => over.abort());

/** Answers a request of the page as the scripted agent does. */
async function answer(route) {
  const request = route.request();
  const { status, headers, body } = await agent.fetch(request.url(), {
    method: request.method(),
    headers: request.headers(),
    body: request.postData(),
    signal: over.signal,
  });
  const content = Buffer.from(await new Response(body).arrayBuffer());
  await route.fulfill({ status, headers: Object.fromEntries(headers), body: content });
}

/** Returns what tells how many scripts a page has fetched so far, and their size compressed. */
function watchScripts(page) {
  const fetched = [];
  page.on("response", (response) => {
    const isOurs = response.request().resourceType() === "script" && !/\/react-[^/]+$/.test(response.url());
    if (isOurs) fetched.push(response.body());
  });
  return async () => {
    const sizes = (await Promise.all(fetched)).map((body) => gzipSync(body, { level: 9 }).length);
    return { files: sizes.length, kB: Math.round(sizes.reduce((sum, size) => sum + size, 0) / 102.4) / 10 };
  };
}

/** Waits until the page has nothing more to fetch, however long its idle moments let it wait. */
async function idle(page) {
  await page.evaluate(() => new Promise((done) => requestIdleCallback(() => requestIdleCallback(done))));
  await page.waitForLoadState("networkidle");
}
