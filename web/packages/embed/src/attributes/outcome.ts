/** The visible result of a form or a button. */
import { watchActivity, type Activity } from "./activity.js";
import type { Page } from "../page.js";
import { allOfPage, attribute, closest, methodOf } from "./dom.js";
import { readElement } from "./read.js";
import type { Roots } from "./roots.js";

/**
 * How long a navigation may take to begin after a click, and then to replace the page, in
 * milliseconds.
 */
const LEAVES_WITHIN = 150;
const LEFT_WITHIN = 15_000;

/**
 * How long the result on screen must stay unchanged once it has changed; and how long the page must
 * do nothing, without a request under way, until the result is taken as it was. In that time a page
 * begins what it does a moment after a click.
 */
const QUIET = 150;
const STILL = 600;

/**
 * The longest wait: for a page that keeps changing elsewhere, for its requests, and for a result
 * that is marked as busy.
 */
const CHANGES_WITHIN = 3_000;
const ANSWERS_WITHIN = 15_000;
const BUSY_AT_MOST = 45_000;

const LOOK_AGAIN = 50;

/**
 * The text or table rows of the element that `data-pageside-result` names, else just that it was
 * done.
 */
export function readResult(selector: string | undefined, roots: Roots): unknown {
  const target = selector ? find(selector, roots) : undefined;
  if (!target) return { success: true };
  const value = readElement(target, roots);
  return value === undefined || value === "" ? { success: true } : value;
}

/** The first match in a root, because user content may have the same id. */
function find(selector: string, roots: Roots): Element | undefined {
  try {
    return allOfPage(selector).find((element) => roots.covers(element));
  } catch {
    console.warn(`Pageside: data-pageside-result="${selector}" is no selector.`);
    return undefined;
  }
}

/**
 * Does something and resolves with the result. If it navigates, the promise does not resolve before
 * this page is gone.
 */
export async function doAndRead(
  act: () => void,
  selector: string | undefined,
  { roots, settings }: Pick<Page, "roots" | "settings">,
  signal: AbortSignal,
): Promise<unknown> {
  const before = JSON.stringify(readResult(selector, roots));
  const activity = selector === undefined ? undefined : watchActivity(settings.url);
  try {
    await done(act, signal);
    if (activity) await settled(selector!, before, roots, activity, signal);
  } finally {
    activity?.ignore();
  }
  return readResult(selector, roots);
}

/** Does it, and waits for a navigation if one begins. */
async function done(act: () => void, signal: AbortSignal): Promise<void> {
  const watching = new AbortController();
  const departure = watchDeparture(watching.signal);
  const stopped = AbortSignal.any([signal, blockedByPolicy(watching.signal)]);
  try {
    act();
    await pause(LEAVES_WITHIN, stopped);
    if (departure.hasBegun) await pause(LEFT_WITHIN, stopped); // a download, for example, keeps the page
  } finally {
    watching.abort();
  }
}

/**
 * Watches whether the page is about to be left. A submitted form leaves it unless the page's code
 * handles it; `beforeunload` tells this too late on a busy machine.
 */
function watchDeparture(signal: AbortSignal): { hasBegun: boolean } {
  const departure = { hasBegun: false };
  window.addEventListener("beforeunload", () => (departure.hasBegun = true), { signal });
  window.addEventListener("submit", (event) => (departure.hasBegun ||= leavesPage(event)), { signal });
  return departure;
}

/**
 * A signal that is aborted when the browser does not send a form because the page's
 * Content-Security-Policy forbids it. Nothing else tells: the page just stays as it is.
 */
function blockedByPolicy(signal: AbortSignal): AbortSignal {
  const blocked = new AbortController();
  document.addEventListener(
    "securitypolicyviolation",
    ({ isTrusted, effectiveDirective, disposition, blockedURI }) => {
      if (!isTrusted || effectiveDirective !== "form-action" || disposition !== "enforce") return;
      const where = URL.canParse(blockedURI) ? ` to ${new URL(blockedURI).origin}` : "";
      blocked.abort(
        new Error(
          `The form was not sent${where}: the page's Content-Security-Policy (form-action) does not allow it. Its owner can.`,
        ),
      );
    },
    { signal },
  );
  return blocked.signal;
}

function leavesPage({ defaultPrevented, target: form, submitter }: SubmitEvent): boolean {
  if (defaultPrevented || !(form instanceof HTMLFormElement)) return false;
  const method = submitter?.getAttribute("formmethod") ?? methodOf(form);
  const frame = submitter?.getAttribute("formtarget") ?? attribute(form, "target") ?? "";
  return method !== "dialog" && (frame === "" || frame === "_self");
}

/**
 * Waits until the result has changed and settled, or the page does nothing that could change it.
 */
async function settled(
  selector: string,
  before: string,
  roots: Roots,
  activity: Activity,
  signal: AbortSignal,
): Promise<void> {
  const began = Date.now();
  let last = before;
  let since = began;
  for (;;) {
    const now = Date.now();
    const current = JSON.stringify(readResult(selector, roots));
    if (current !== last) [last, since] = [current, now];
    const spent = now - began;
    if (isBusyAt(find(selector, roots))) {
      if (spent > BUSY_AT_MOST) return;
    } else if (activity.requests() > 0) {
      if (spent > ANSWERS_WITHIN) return;
    } else if (last !== before) {
      if (now - since > QUIET) return;
    } else if (spent > CHANGES_WITHIN || now - activity.last() > STILL) return;
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
