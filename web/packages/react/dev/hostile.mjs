// Streams hostile texts into a page of Chromium, and shows them wherever the tray shows texts:
// nothing may be fetched, no script run, and the page stay where it is. Exits 1 else. With --sample
// some of them: node dev/hostile.mjs [--sample]
import { guard, launch } from "../../../scripts/browser.mjs";
import { bundle } from "./bundle.mjs";

const isSample = process.argv.includes("--sample");
const LEAST = 500;
guard("hostile texts", isSample ? 300 : 1800);

const { js, css } = await bundle("hostile-entry.tsx");
const browser = await launch();
const page = await browser.newPage({ viewport: { width: 900, height: 800 } });
const found = [];
const at = "https://app.example/";
await page.route("**", (route) => {
  if (route.request().url() === at)
    return route.fulfill({ contentType: "text/html", body: "<!doctype html><html lang=en><body>" });
  return route.abort();
});
await page.goto(at);
await page.addStyleTag({ content: css });
await page.addScriptTag({ content: js });

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
page.on("pageerror", (error) => found.push(`threw ${error.stack}`));

const count = await page.evaluate(() => globalThis.hostileCount);
if (count < LEAST) found.push(`only ${count} texts`);
const [step, stride] = isSample ? [16, 5] : [1, 1];
found.push(...(await page.evaluate((each) => globalThis.streamHostile(...each), [step, stride])));
found.push(...(await page.evaluate((each) => globalThis.showHostile(each), step)));
await browser.close();

[...new Set(found)].slice(0, 40).forEach((finding) => console.error(finding));
console.warn(`hostile texts: ${Math.ceil(count / step)} of ${count}, ${found.length} findings`);
process.exitCode = found.length > 0 ? 1 : 0;
