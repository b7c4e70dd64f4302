// The Chromium that looks at pages. As a program it says which one it is, and fails where there is
// none: node scripts/chromium.mjs
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const shell = "/usr/bin/chromium-headless-shell";
const whole = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

// The shell draws as the whole browser does, for a third less processor time. The long tests take
// what people have.
const places = [process.env.CHROMIUM_PATH, ...(process.env.PAGESIDE_LONG ? [...whole, shell] : [shell, ...whole])];

const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"]; // prettier-ignore

const missing = "no Chromium found: install it (Debian: apt-get install chromium-headless-shell; macOS: brew install --cask chromium) or set CHROMIUM_PATH"; // prettier-ignore

/** The browser's path; undefined if there is none. In CI that is an error. */
export function findChromium() {
  const path = places.find((place) => place && existsSync(place));
  if (path) return path;
  if (process.env.CI) throw new Error(missing);
  console.warn(`browser test skipped: ${missing}`);
  return undefined;
}

/**
 * Starts it. The first start on a busy machine takes long; one that fails is tried once more, and
 * told.
 */
export async function launch(executablePath = findChromium()) {
  if (!executablePath) throw new Error(missing);
  const { chromium } = await import("playwright-core");
  const start = () => chromium.launch({ executablePath, args: flags, timeout: 120_000 });
  try {
    return await start();
  } catch (error) {
    console.warn(`Chromium did not start, once more: ${error}`);
    return start();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exit(findChromium() ? 0 : 1);
