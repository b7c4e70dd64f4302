// What the pictures and the walk-through share: the built demo on its generated sample, and a
// browser to look at it.
import { mkdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { launch } from "../../../scripts/chromium.mjs";
import { pageside, startProgram } from "../../../scripts/program.mjs";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
export const images = `${root}docs/images/`;

/**
 * Runs a play with the demo's address and a browser, and ends both. Whatever hangs ends after
 * `seconds`.
 */
export async function onStage(seconds, play) {
  setTimeout(() => {
    console.error(`not ready within ${seconds} s`);
    process.exit(1);
  }, seconds * 1000).unref();
  mkdirSync(images, { recursive: true });
  const server = await startProgram(pageside, ["demo", "--listen", "127.0.0.1:0", "--model", "script/demo"]);
  try {
    const browser = await launch();
    try {
      await play(server.url, browser);
    } finally {
      await browser.close();
    }
  } finally {
    await server.stop();
  }
}

export const messageBox = (page) => page.getByRole("textbox", { name: "Message", exact: true });

/** Waits until an answer has ended and the page shows what came of it. */
export async function settled(page) {
  await page.locator("[role=log][aria-busy=false]").waitFor();
  await page.locator("main:not(:has([aria-busy=true])):not([aria-busy=true])").waitFor();
}

/** Waits until the last question is this one and its answer has ended. */
export async function answered(page, question) {
  await page.getByRole("log").locator(".ps-bubble").last().filter({ hasText: question }).waitFor();
  await settled(page);
}

/** Sends a question and waits for the end of its answer. */
export async function ask(page, question) {
  await messageBox(page).fill(question);
  await page.getByRole("button", { name: "Send message" }).click();
  await answered(page, question);
}

/** Says how large a file became, and refuses what is larger than it may be. */
export function weigh(path, largest) {
  const { size } = statSync(path);
  console.warn(`${path.slice(root.length)}: ${size} bytes`);
  if (size > largest) throw new Error(`${path} is larger than ${largest} bytes`);
}
