import type { FrontendTool, JsonSchema } from "@pageside/core";
import type { Page } from "../page.js";
import type { Declaration } from "./declared.js";
import { departing } from "./departures.js";
import { allBelow, attribute, click, hasAttribute } from "./dom.js";
import { fill, submit } from "./fill.js";
import { CONFIRM, DESCRIPTION, DESTRUCTIVE, read, RESULT, TOOL } from "./names.js";
import { doAndRead } from "./outcome.js";
import { readText } from "./read.js";
import type { Roots } from "./roots.js";
import { schemaOf } from "./schema.js";
import { mustAsk, pressedBy } from "./sending.js";
import { brief } from "./words.js";

const NOTHING: JsonSchema = { type: "object", properties: {}, additionalProperties: false };

/** A form that the assistant may fill in and submit, or a button that it may press. */
export function declareTool(element: Element, page: Page): Declaration | undefined {
  const { client, roots, unasked } = page;
  const name = brief(read(element, TOOL) ?? "");
  if (!name || !(element instanceof HTMLElement)) return undefined;
  const form = element instanceof HTMLFormElement ? element : undefined;
  const description = brief(read(element, DESCRIPTION) ?? wordsOf(element, roots));
  const parameters = form ? schemaOf(form, roots) : NOTHING;
  const confirm = hasAttribute(element, CONFIRM) ? (read(element, CONFIRM) ?? true) : undefined;
  const destructive = hasAttribute(element, DESTRUCTIVE);
  const result = read(element, RESULT);
  const tool: FrontendTool<Record<string, unknown>> = {
    name,
    description,
    parameters,
    foreign: true, // the markup may be anybody's
    requiresConfirmation: () => questionOf(element, roots, unasked.has(name)),
    // read at each request: a script may give the form another method
    get effect() {
      return unasked.has(name) || looks(form, roots) ? "read" : "write";
    },
    destructive,
    exclusive: true, // two hands in one form
    handler: (args, { toolCallId, signal }) => {
      if (!roots.covers(element)) throw new Error("This is not a part of the page's own any more.");
      const act = () => (form ? fillAndSubmit(form, args, roots) : press(element, roots));
      return departing({ id: toolCallId, tool: name, result }, () => doAndRead(act, result, page, signal));
    },
  };
  return {
    key: JSON.stringify(["tool", name, description, parameters, confirm, destructive, result]),
    register: () => client.registerTool(tool),
  };
}

/**
 * Whether a form only asks the page's own server for something to see: its method is GET, which
 * changes nothing (RFC 9110, 9.2.1), and neither a password, a file nor the way to another address
 * is in it. One whose scripts do more says so with `data-pageside-confirm`.
 */
function looks(form: HTMLFormElement | undefined, roots: Roots): boolean {
  return form !== undefined && !mustAsk(form, roots) && !hasAttribute(form, CONFIRM);
}

/**
 * The question before the tool runs, if any. Read at each call, because a form's address may
 * change. No attribute of the element switches it off where a form must ask: only the script tag
 * does (`isUnasked`), which nobody but the host writes, and not for destructive tools.
 */
function questionOf(element: HTMLElement, roots: Roots, isUnasked: boolean): boolean | string {
  const words = read(element, CONFIRM);
  if (words !== undefined && words !== "false") return words;
  if (hasAttribute(element, DESTRUCTIVE)) return true;
  if (mustAsk(element, roots)) return !isUnasked;
  return words === undefined && hasAttribute(element, CONFIRM);
}

function fillAndSubmit(form: HTMLFormElement, args: Record<string, unknown>, roots: Roots): void {
  fill(form, args, roots);
  submit(form, roots);
}

function press(element: HTMLElement, roots: Roots): void {
  if (element.matches(":disabled, [aria-disabled='true']"))
    throw new Error("The button cannot be pressed now: it is disabled.");
  const button = pressedBy(element);
  if (button && ![button, button.form].every((each) => !each || roots.covers(each)))
    throw new Error("The button cannot be pressed: what it submits is not the page's own.");
  click(element);
}

/** A tool's name on screen, if nothing else describes it. */
function wordsOf(element: HTMLElement, roots: Roots): string {
  const isForm = element instanceof HTMLFormElement;
  const title = isForm ? allBelow(element, "legend, h1, h2, h3, h4").find((each) => roots.covers(each)) : element;
  const words = attribute(element, "aria-label") ?? (title ? readText(title).replace(/\s+/g, " ") : "");
  const what = isForm ? "Fills in and submits a form of the page" : "Presses a button of the page";
  return words ? `${what}: ${words}` : what;
}
