// Streams hostile texts into a page, and shows them wherever the tray shows texts: nothing may be
// fetched, no script run, and the page stay where it is. `make test` takes some of the texts.
import { expect } from "vitest";
import { isLong } from "../../../../long.ts";
import { inBrowser, visit } from "../../../../scripts/stage.ts";
import { bundle } from "../../dev/bundle.mjs";

const LEAST = 500;
const AT = "https://app.example/";
const [step, stride] = isLong ? [1, 1] : [16, 5];

inBrowser("hostile texts do nothing but stand there", async () => {
  const { js, css } = await bundle("hostile-entry.tsx");
  const prepare = (page) =>
    page.route("**", (route) =>
      route.request().url() === AT
        ? route.fulfill({ contentType: "text/html", body: "<!doctype html><html lang=en><body>" })
        : route.abort(),
    );
  const { page, complaints } = await visit(AT, { prepare, viewport: { width: 900, height: 800 } });
  await page.addStyleTag({ content: css });
  await page.addScriptTag({ content: js });
  const found = [];
  // The browser's own log: also of what no handler sees, such as hints to connect.
  const log = await page.context().newCDPSession(page);
  await Promise.all([log.send("Network.enable"), log.send("Page.enable")]);
  log.on("Network.requestWillBeSent", ({ request }) => found.push(`fetched ${request.url}`));
  log.on("Network.webSocketCreated", ({ url }) => found.push(`connected to ${url}`));
  log.on("Page.frameRequestedNavigation", ({ url }) => found.push(`went to ${url}`));
  log.on("Page.windowOpen", ({ url }) => found.push(`opened ${url}`));
  log.on("Page.downloadWillBegin", ({ url }) => found.push(`downloads ${url}`));
  page.on("dialog", (dialog) => {
    found.push(`ran a script: ${dialog.message()}`);
    return dialog.dismiss();
  });
  expect(await page.evaluate(() => globalThis.hostileCount)).toBeGreaterThanOrEqual(LEAST);
  complaints.length = 0;
  found.push(...(await page.evaluate((each) => globalThis.streamHostile(...each), [step, stride])));
  found.push(...(await page.evaluate((each) => globalThis.showHostile(each), step)));
  expect([...new Set([...found, ...complaints])].slice(0, 40)).toEqual([]);
});
