import { attribute, closest } from "./dom.js";

// The attributes that a page declares things with.

/** The name of the page. */
export const PAGE = "data-pageside-page";
/** The tab of the page. */
export const TAB = "data-pageside-tab";
/** The part of the tab. */
export const SUBTAB = "data-pageside-subtab";
/** What the place is about, by the name after the prefix: `data-pageside-scope-stream="42"`. */
export const SCOPE = "data-pageside-scope-";
/** The description of a context item, whose value is the element's text. */
export const CONTEXT = "data-pageside-context";
/** The value of the context item or table cell, if it is not the text. */
export const VALUE = "data-pageside-value";
/** The label by which the context item is mentioned. */
export const LABEL = "data-pageside-label";
/** With `false`, the context item is sent only when it is mentioned. */
export const AUTO = "data-pageside-auto";
/** Neither read nor filled in. */
export const REDACT = "data-pageside-redact";
/** The tool's name, on a form or a button. */
export const TOOL = "data-pageside-tool";
/** The description of a tool or a field. */
export const DESCRIPTION = "data-pageside-description";
/** Whether, and with which question, the user is asked before the tool runs. */
export const CONFIRM = "data-pageside-confirm";
/** The tool's effect cannot be undone. */
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

/** On user content: nothing in it is a declaration, is read, or is filled in. */
export const IGNORE = "data-pageside-ignore";

/** Elements that are never read or filled in. */
export const CLOSED = `[${REDACT}], [${IGNORE}]`;

/** The storage key of calls that may take the user to another page, per tab. */
export const DEPARTURES = "pageside:departures";

/** The attributes that declare something rather than describe it further. */
export const DECLARED = [PAGE, TAB, SUBTAB, CONTEXT, TOOL, SUGGESTION, COMMAND] as const;

/** Hidden elements declare nothing: a closed tab, or a script's template. */
export function isHidden(element: Element): boolean {
  return closest(element, "[hidden], [inert], pageside-tray") !== null;
}

/** Reports whether the element or an ancestor is marked as user content. */
export const isIgnored = (element: Element) => closest(element, `[${IGNORE}]`) !== null;

/** An attribute without the space around it; undefined if it says nothing. */
export function read(element: Element, name: string): string | undefined {
  return attribute(element, name)?.trim() || undefined;
}
