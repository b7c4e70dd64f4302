/** What a form or a button did, as far as the page shows it. */
import { allOfPage, attribute, closest, methodOf } from "./dom.js";
import { readElement } from "./read.js";
import type { Roots } from "./roots.js";

/**
 * How long a navigation may take to begin after a click, and then to take the page away; in
 * milliseconds.
 */
const LEAVES_WITHIN = 150;
const LEFT_WITHIN = 15_000;

/**
 * How long the result on screen may take to change, how long to end being busy, and how long it
 * must then stay as it is.
 */
const CHANGES_WITHIN = 3_000;
const BUSY_AT_MOST = 45_000;
const QUIET = 150;

const LOOK_AGAIN = 50;

/**
 * The text, or the table's rows, of what `data-pageside-result` names; that something was done,
 * where there is nothing to read.
 */
export function readResult(selector: string | undefined, roots: Roots): unknown {
  const target = selector ? find(selector, roots) : undefined;
  if (!target) return { success: true };
  const value = readElement(target, roots);
  return value === undefined || value === "" ? { success: true } : value;
}

/** The first that is in a root: user content may carry the same id. */
function find(selector: string, roots: Roots): Element | undefined {
  try {
    return allOfPage(selector).find((element) => roots.covers(element));
  } catch {
    console.warn(`Pageside: data-pageside-result="${selector}" is no selector.`);
    return undefined;
  }
}

/**
 * Does something and resolves with the result. Where that takes the user to another page, it does
 * not resolve before this one is gone.
 */
export async function doAndRead(
  act: () => void,
  selector: string | undefined,
  roots: Roots,
  signal: AbortSignal,
): Promise<unknown> {
  const before = JSON.stringify(readResult(selector, roots));
  const departure = watchDeparture();
  try {
    act();
    await pause(LEAVES_WITHIN, signal);
    if (departure.begun()) await pause(LEFT_WITHIN, signal); // a download, say, leaves the page where it is
  } finally {
    departure.ignore();
  }
  if (selector) await settled(selector, before, roots, signal);
  return readResult(selector, roots);
}

/**
 * Watches whether the page is about to be left. A form that is sent leaves it, unless the page's
 * code sends it itself: `beforeunload` says so too, but on a busy machine too late.
 */
function watchDeparture(): { begun(): boolean; ignore(): void } {
  const watching = new AbortController();
  const { signal } = watching;
  let begun = false;
  window.addEventListener("beforeunload", () => (begun = true), { signal });
  window.addEventListener("submit", (event) => (begun ||= leavesPage(event)), { signal });
  return { begun: () => begun, ignore: () => watching.abort() };
}

function leavesPage({ defaultPrevented, target: form, submitter }: SubmitEvent): boolean {
  if (defaultPrevented || !(form instanceof HTMLFormElement)) return false;
  const method = submitter?.getAttribute("formmethod") ?? methodOf(form);
  const frame = submitter?.getAttribute("formtarget") ?? attribute(form, "target") ?? "";
  return method !== "dialog" && (frame === "" || frame === "_self");
}

/**
 * Waits until the result has changed and stays so, or until it is plain that it does not change.
 */
async function settled(selector: string, before: string, roots: Roots, signal: AbortSignal): Promise<void> {
  const began = Date.now();
  let last = before;
  let since = began;
  for (;;) {
    const now = Date.now();
    const current = JSON.stringify(readResult(selector, roots));
    if (current !== last) [last, since] = [current, now];
    const isBusy = isBusyAt(find(selector, roots));
    if (isBusy ? now - began > BUSY_AT_MOST : last === before ? now - began > CHANGES_WITHIN : now - since > QUIET)
      return;
    await pause(LOOK_AGAIN, signal);
  }
}

const isBusyAt = (element: Element | undefined) =>
  element !== undefined && closest(element, '[aria-busy="true"]') !== null;

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error);
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal.addEventListener("abort", stop, { once: true });
  });
}
