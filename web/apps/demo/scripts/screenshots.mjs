// Makes the pictures of the README: the demo on its generated sample, after a question, in both themes.
// Needs `make build` and Chromium (CHROMIUM_PATH, default /usr/bin/chromium).
import { spawn } from "node:child_process";
import { mkdirSync, statSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const images = `${root}docs/images/`;
const question = "Which pages give the most 404s?";
const largest = 300_000; // bytes

// Whatever hangs: this ends.
setTimeout(() => {
  console.error("the pictures were not ready within 60 s");
  process.exit(1);
}, 60_000).unref();

const server = spawn(`${root}bin/pageside`, ["demo", "--listen", "127.0.0.1:0", "--model", "script/demo"], {
  stdio: ["ignore", "pipe", "inherit"],
});
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
});
try {
  const url = await addressOf(server);
  mkdirSync(images, { recursive: true });
  for (const colorScheme of ["light", "dark"]) await picture(url, colorScheme);
} finally {
  await browser.close();
  server.kill();
}

function addressOf({ stdout }) {
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input: stdout });
    lines.on("line", (line) => {
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(line);
      if (found) resolve(found[0]);
    });
    lines.once("close", () => reject(new Error("the server ended before it was ready")));
  });
}

async function picture(url, colorScheme) {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    colorScheme,
    reducedMotion: "reduce",
  });
  context.setDefaultTimeout(10_000);
  const page = await context.newPage();
  await page.goto(url);
  await page.getByRole("textbox", { name: "Message" }).fill(question);
  await page.getByRole("button", { name: "Send message" }).click();
  await page.locator(".ps-bubble", { hasText: question }).waitFor();
  await page.locator("[role=log][aria-busy=false]").waitFor();
  await page.waitForTimeout(3000); // the mark on what changed fades
  await page.evaluate(() => document.activeElement?.blur());
  const path = `${images}discover-${colorScheme}.png`;
  await page.screenshot({ path });
  await context.close();
  const { size } = statSync(path);
  console.warn(`${path}: ${size} bytes`);
  if (size > largest) throw new Error(`${path} is larger than ${largest} bytes`);
}
