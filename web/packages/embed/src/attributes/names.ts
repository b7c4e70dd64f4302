import { attribute, closest } from "./dom.js";

/** The attributes that a page declares things with. */
export const PAGE = "data-pageside-page";
export const TAB = "data-pageside-tab";
export const SUBTAB = "data-pageside-subtab";
export const SCOPE = "data-pageside-scope-";
export const CONTEXT = "data-pageside-context";
export const VALUE = "data-pageside-value";
export const LABEL = "data-pageside-label";
export const AUTO = "data-pageside-auto";
export const REDACT = "data-pageside-redact";
export const TOOL = "data-pageside-tool";
export const DESCRIPTION = "data-pageside-description";
export const CONFIRM = "data-pageside-confirm";
export const DESTRUCTIVE = "data-pageside-destructive";
export const RESULT = "data-pageside-result";
export const SUGGESTION = "data-pageside-suggestion";
export const COMMAND = "data-pageside-command";
export const PROMPT = "data-pageside-prompt";

/** On `<html>` or `<body>`: makes it a root. */
export const ROOT = "data-pageside-root";

/** On user content: nothing in it declares, is read or is filled in. */
export const IGNORE = "data-pageside-ignore";

/** What is never read and never filled in, wherever it stands. */
export const CLOSED = `[${REDACT}], [${IGNORE}]`;

/** Where calls are kept that may take the user to another page, for this tab. */
export const DEPARTURES = "pageside:departures";

export const DECLARED = [PAGE, TAB, SUBTAB, CONTEXT, TOOL, SUGGESTION, COMMAND] as const;

/** What is not on screen is not declared: a closed tab, what a script keeps for later. */
export function isHidden(element: Element): boolean {
  return closest(element, "[hidden], [inert], pageside-tray") !== null;
}

/** Is the element, or one around it, marked as user content? */
export const isIgnored = (element: Element) => closest(element, `[${IGNORE}]`) !== null;

/** An attribute without the space around it; undefined where it says nothing. */
export function read(element: Element, name: string): string | undefined {
  return attribute(element, name)?.trim() || undefined;
}
