import type { Page } from "playwright-core";

/** What is kept of a page's text, in characters: a log is read by people. */
const MOST = 8000;

/**
 * Adds to an error what the page showed, so that a log alone tells what happened. A picture goes to
 * `path`.
 */
export async function explain(error: unknown, page: Page, complaints: readonly string[], path: string): Promise<Error> {
  const failure = error instanceof Error ? error : new Error(String(error));
  await page.screenshot({ path, timeout: 30_000 }).catch(() => undefined);
  const shown = await page
    .locator("body")
    .ariaSnapshot({ timeout: 30_000 })
    .catch((cause: unknown) => `(not readable: ${String(cause)})`);
  const text = shown.length > MOST ? `${shown.slice(0, MOST)}\n… of ${shown.length} characters` : shown;
  const said = complaints.length > 0 ? complaints.join("\n") : "nothing";
  failure.message += `\n\nThe page was ${page.url()}\nIts console said: ${said}\nIt showed:\n${text}\n`;
  // The stack repeats the message as it was, and is what is printed first.
  failure.stack = `${failure.name}: ${failure.message}\n${stackOf(failure)}`;
  return failure;
}

function stackOf({ stack = "" }: Error): string {
  return stack.split("\n").filter((line) => /^\s+at /.test(line)).join("\n"); // prettier-ignore
}
