// The harness served by vite, and a Chromium to look at it with.
import { chromium } from "playwright-core";
import { createServer } from "vite";

const quiet = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export const states = [
  "empty",
  "loading",
  "submitted",
  "retrying",
  "reasoning",
  "streaming",
  "tools",
  "answer",
  "error",
  "stopped",
  "unanswered",
  "failed",
  "long",
  "rtl",
  "cards",
  "cards-settled",
  "card-growing",
  "card-begun",
  "approval",
  "approval-answered",
  "questions",
  "suggestions",
  "reconnecting",
  "offline",
  "branches",
  "queue",
  "queue-held",
  "confirmation",
  "changes",
  "charts",
  "code",
  "turns",
];

/** What opens over the conversation; the harness opens it by `?panel=`. */
export const panels = [
  "history",
  "history-failed",
  "history-empty",
  "history-search",
  "sees",
  "sees-open",
  "menu",
  "shortcuts",
  "rename",
  "toast",
];

/** Runs `work(browser, urlOf)` and puts everything away. `urlOf({ state, theme, … })` is a page of the harness. */
export async function withHarness(work) {
  const server = await createServer({
    configFile: new URL("vite.config.ts", import.meta.url).pathname,
    logLevel: "error",
    server: { host: "127.0.0.1", port: 0 },
  });
  await server.listen();
  const base = server.resolvedUrls.local[0];
  const executablePath = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", ...quiet] });
  const urlOf = (query) => `${base}?${new URLSearchParams({ dir: query.state === "rtl" ? "rtl" : "ltr", ...query })}`;
  try {
    return await work(browser, urlOf);
  } finally {
    await browser.close();
    await server.close();
  }
}
