// Streams over two hundred hostile texts into a page of Chromium: nothing may be fetched, and no
// script run. Exits 1 else.
import { build } from "esbuild";
import { guard, launch } from "../../../scripts/browser.mjs";

guard("hostile markdown", 900);

const { outputFiles } = await build({
  entryPoints: [new URL("hostile-entry.tsx", import.meta.url).pathname],
  bundle: true,
  minify: true,
  write: false,
  format: "iife",
  jsx: "automatic",
  define: { "process.env.NODE_ENV": '"production"' },
});
const browser = await launch();
const page = await browser.newPage();
const found = [];
const at = "https://app.example/";
await page.route("**", (route) => {
  if (route.request().url() === at) return route.fulfill({ contentType: "text/html", body: "<!doctype html><body>" });
  found.push(`fetched ${route.request().url()}`);
  return route.abort();
});
page.on("dialog", (dialog) => {
  found.push(`ran a script: ${dialog.message()}`);
  return dialog.dismiss();
});
page.on("framenavigated", (frame) => frame.url() !== at && found.push(`went to ${frame.url()}`));
page.on("popup", (popup) => found.push(`opened ${popup.url()}`));
await page.goto(at);
await page.addScriptTag({ content: outputFiles[0].text });
found.push(...(await page.evaluate(() => globalThis.streamHostile())));
await browser.close();

found.forEach((finding) => console.error(finding));
console.warn(`hostile markdown: ${found.length} findings`);
process.exitCode = found.length > 0 ? 1 : 0;
