import { existsSync } from "node:fs";
import { chromium, type Browser } from "playwright-core";

const places = [
  process.env.CHROMIUM_PATH,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

const flags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** The browser's path; undefined if there is none. In CI that is an error. */
export function findChromium(): string | undefined {
  const path = places.find((place) => place && existsSync(place));
  if (path) return path;
  const message =
    "no Chromium found: install it (Debian: apt-get install chromium; macOS: brew install --cask chromium) or set CHROMIUM_PATH";
  if (process.env.CI) throw new Error(message);
  console.warn(`browser test skipped: ${message}`);
  return undefined;
}

/**
 * Starts it. The first start on a busy machine takes long; one that fails is tried once more, and
 * told.
 */
export async function launch(executablePath: string): Promise<Browser> {
  const start = () => chromium.launch({ executablePath, args: flags, timeout: 120_000 });
  try {
    return await start();
  } catch (error) {
    console.warn(`Chromium did not start, once more: ${String(error)}`);
    return start();
  }
}
