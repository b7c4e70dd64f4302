import { attribute, closest } from "./dom.js";

// The attributes that a page declares things with.

/** The page that the user is on. */
export const PAGE = "data-pageside-page";
/** The tab of the page. */
export const TAB = "data-pageside-tab";
/** The part of the tab. */
export const SUBTAB = "data-pageside-subtab";
/** What the place is about, by the name behind it: `data-pageside-scope-stream="42"`. */
export const SCOPE = "data-pageside-scope-";
/** What a piece of context is: its value is the text of the element. */
export const CONTEXT = "data-pageside-context";
/** The value of the context, or of a table's cell, where it is not the text. */
export const VALUE = "data-pageside-value";
/** The name under which the context can be mentioned. */
export const LABEL = "data-pageside-label";
/** With `false`: the context is only sent when it is mentioned. */
export const AUTO = "data-pageside-auto";
/** Neither read nor filled in. */
export const REDACT = "data-pageside-redact";
/** The name of the tool that a form or a button is. */
export const TOOL = "data-pageside-tool";
/** What a tool does, or a field means. */
export const DESCRIPTION = "data-pageside-description";
/** Whether the user is asked before the tool runs, and in which words. */
export const CONFIRM = "data-pageside-confirm";
/** What the tool does cannot be taken back. */
export const DESTRUCTIVE = "data-pageside-destructive";
/** Where the result of the tool appears. */
export const RESULT = "data-pageside-result";
/** A suggestion for an empty thread. */
export const SUGGESTION = "data-pageside-suggestion";
/** The name of a command. */
export const COMMAND = "data-pageside-command";
/** What the command sends. */
export const PROMPT = "data-pageside-prompt";

/** On `<html>` or `<body>`: makes it a root. */
export const ROOT = "data-pageside-root";

/** On user content: nothing in it declares, is read or is filled in. */
export const IGNORE = "data-pageside-ignore";

/** What is never read and never filled in, wherever it stands. */
export const CLOSED = `[${REDACT}], [${IGNORE}]`;

/** Where calls are kept that may take the user to another page, for this tab. */
export const DEPARTURES = "pageside:departures";

/** The attributes that declare something, and not only say more about it. */
export const DECLARED = [PAGE, TAB, SUBTAB, CONTEXT, TOOL, SUGGESTION, COMMAND] as const;

/** What is not on screen is not declared: a closed tab, what a script keeps for later. */
export function isHidden(element: Element): boolean {
  return closest(element, "[hidden], [inert], pageside-tray") !== null;
}

/** Reports whether the element, or one around it, is marked as user content. */
export const isIgnored = (element: Element) => closest(element, `[${IGNORE}]`) !== null;

/** An attribute without the space around it; undefined if it says nothing. */
export function read(element: Element, name: string): string | undefined {
  return attribute(element, name)?.trim() || undefined;
}
