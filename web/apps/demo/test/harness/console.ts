import type { Page } from "playwright-core";

/** Said by the browser of a page that is slow, and no fault of it. */
const OF_SLOWNESS = /was preloaded using link preload but not used|\[Violation\]/;

/** Collects what the console says beyond plain information, and errors nobody caught. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on("console", (message) => {
    const isComplaint = message.type() === "error" || message.type() === "warning";
    if (isComplaint && !OF_SLOWNESS.test(message.text())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  return complaints;
}
