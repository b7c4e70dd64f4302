import { commandsOf } from "@pageside/core";
import type { Page } from "../page.js";
import {
  AUTO,
  COMMAND,
  CONTEXT,
  DESCRIPTION,
  LABEL,
  PAGE,
  PROMPT,
  read,
  SCOPE,
  SUBTAB,
  SUGGESTION,
  TAB,
} from "./names.js";
import { readElement, readText, readTable } from "./read.js";

/** What one element declares: a key that says all of it, and how it is registered. */
export interface Declaration {
  key: string;
  register(): () => void;
}

/** How an element's tool is declared; absent until it is loaded. */
export type DeclareTool = (element: Element, page: Page) => Declaration | undefined;

/** The declarations of an element. */
export function declarationsOf(element: Element, page: Page, declareTool?: DeclareTool): Declaration[] {
  return [
    place(element, page),
    context(element, page),
    declareTool?.(element, page),
    suggestion(element, page),
    command(element, page),
  ].filter((declaration) => declaration !== undefined);
}

const SOURCE = "page";

function place(element: Element, { client }: Page): Declaration | undefined {
  const part = {
    page: read(element, PAGE),
    tab: read(element, TAB),
    subtab: read(element, SUBTAB),
    scope: scopeOf(element),
  };
  if (!part.page && !part.tab && !part.subtab) return undefined;
  return { key: JSON.stringify(["place", part]), register: () => client.registerPlace(part) };
}

function scopeOf(element: Element): Record<string, string> | undefined {
  const scope = [...element.attributes]
    .filter(({ name }) => name.startsWith(SCOPE))
    .map(({ name, value }) => [name.slice(SCOPE.length), value] as const);
  return scope.length > 0 ? Object.fromEntries(scope) : undefined;
}

let count = 0;

function context(element: Element, { client }: Page): Declaration | undefined {
  const description = read(element, CONTEXT);
  if (!description) return undefined;
  const label = read(element, LABEL);
  const auto = read(element, AUTO) !== "false";
  return {
    key: JSON.stringify(["context", description, label, auto]),
    register: () =>
      client.registerContext({
        id: `element-${++count}`,
        description,
        label,
        auto,
        kind: "dynamic",
        source: SOURCE,
        value: () => readElement(element),
        items: element instanceof HTMLTableElement ? () => readTable(element) : undefined,
      }),
  };
}

/** The element's words are the question; the attribute may say another one. */
function suggestion(element: Element, { suggestions }: Page): Declaration | undefined {
  if (!element.hasAttribute(SUGGESTION)) return undefined;
  const text = read(element, SUGGESTION) ?? readText(element).replace(/\s+/g, " ");
  return text ? { key: JSON.stringify(["suggestion", text]), register: () => suggestions.add(text) } : undefined;
}

/** Sends `data-pageside-prompt`, or else clicks the element. */
function command(element: Element, { client }: Page): Declaration | undefined {
  const name = read(element, COMMAND);
  if (!name || !(element instanceof HTMLElement)) return undefined;
  const prompt = read(element, PROMPT);
  const description = read(element, DESCRIPTION) ?? readText(element).replace(/\s+/g, " ");
  return {
    key: JSON.stringify(["command", name, description, prompt]),
    register: () =>
      commandsOf(client).register({
        command: name.startsWith("/") ? name : `/${name}`,
        description,
        ...(prompt ? { prompt } : { handler: () => element.click() }),
      }),
  };
}
