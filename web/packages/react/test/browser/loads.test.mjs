// What Chromium fetches of a small application that Vite made of the published packages, until the
// first answer is complete.
import { gzipSync } from "node:zlib";
import { scriptedAgent } from "@pageside/testing";
import { afterAll, beforeAll, expect } from "vitest";
import { servePages } from "../../../../scripts/browser.mjs";
import { chromium, inBrowser, visit } from "../../../../scripts/stage.ts";
import { beside } from "./pages.mjs";

/** How many scripts there may be at a moment beside React's, and their kB, compressed. */
const LIMITS = {
  "closed, untouched": { files: 4, kB: 30 },
  "first answer": { files: 12, kB: 100 },
};

const config = {
  configFile: false,
  root: beside("../../dev/loads"),
  build: {
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "react", test: /node_modules\/(react|react-dom|scheduler)\// }] } } }, // prettier-ignore
  },
};

const agent = scriptedAgent([{ reply: "You have **two** late orders." }]);
/** Ends what the page still follows. */
const over = new AbortController();
let served;
beforeAll(async () => {
  if (chromium) served = await servePages("loads", config);
});
afterAll(async () => {
  over.abort();
  await served?.stop();
});

inBrowser("a tray loads little before it is touched, and not much until the first answer", async () => {
  let scripts;
  const prepare = async (page) => {
    scripts = watchScripts(page);
    await page.route("https://assistant.example/**", (route) => answer(route).catch(unlessOver));
  };
  const { page } = await visit(asOthers(served.url), { prepare });
  await page.getByRole("button", { name: "Open Assistant" }).waitFor();
  const begun = await scripts();
  await idle(page);
  const untouched = await scripts();
  expect(untouched, "nothing comes by itself").toEqual(begun);
  await page.getByRole("button", { name: "Open Assistant" }).hover();
  await expect.poll(async () => (await scripts()).files).toBeGreaterThan(untouched.files);

  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "Message" }).waitFor();
  await page.keyboard.type("Which orders are late?");
  await page.keyboard.press("Enter");
  await page.locator("strong", { hasText: "two" }).waitFor();
  await page.getByRole("button", { name: "Send" }).waitFor();
  await idle(page);
  for (const [moment, { files, kB }] of Object.entries({
    "closed, untouched": untouched,
    "first answer": await scripts(),
  })) {
    const limit = LIMITS[moment];
    console.info(`${moment}: ${files} of ${limit.files} files, ${kB} of ${limit.kB} kB`);
    expect(files, moment).toBeLessThanOrEqual(limit.files);
    expect(kB, moment).toBeLessThanOrEqual(limit.kB);
  }
});

/** The address by which the page is not a developer's. */
function asOthers(url) {
  return url.replace("127.0.0.1", "app.localhost");
}

function unlessOver(cause) {
  if (!over.signal.aborted) throw cause;
}

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
