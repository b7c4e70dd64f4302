import { commandsOf, type ContextValue } from "@pageside/core";
import type { Page } from "../page.js";
import { attributesOf, click, hasAttribute } from "./dom.js";
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
import { brief } from "./words.js";

/** A declaration of an element: a key that covers all of it, and the function that registers it. */
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
  const scope = [...attributesOf(element)]
    .filter(({ name }) => name.startsWith(SCOPE))
    .map(({ name, value }) => [name.slice(SCOPE.length), value] as const);
  return scope.length > 0 ? Object.fromEntries(scope) : undefined;
}

let count = 0;

/** Read when it is sent, if it is still in a root. */
function context(element: Element, { client, roots }: Page): Declaration | undefined {
  const description = worded(element, CONTEXT);
  if (!description) return undefined;
  const label = worded(element, LABEL);
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
        value: () => (roots.covers(element) ? (readElement(element, roots) as ContextValue) : undefined),
        items:
          element instanceof HTMLTableElement ? () => (roots.covers(element) ? readTable(element) : []) : undefined,
      }),
  };
}

/** The question is the element's text, unless the attribute has another one. */
function suggestion(element: Element, { suggestions }: Page): Declaration | undefined {
  if (!hasAttribute(element, SUGGESTION)) return undefined;
  const text = read(element, SUGGESTION) ?? wordsOn(element);
  return text ? { key: JSON.stringify(["suggestion", text]), register: () => suggestions.add(text) } : undefined;
}

/** Sends `data-pageside-prompt`, or else clicks the element. */
function command(element: Element, { client, roots }: Page): Declaration | undefined {
  const name = worded(element, COMMAND);
  if (!name || !(element instanceof HTMLElement)) return undefined;
  const prompt = read(element, PROMPT);
  const description = brief(read(element, DESCRIPTION) ?? wordsOn(element));
  const press = () => {
    if (roots.covers(element)) click(element);
  };
  return {
    key: JSON.stringify(["command", name, description, prompt]),
    register: () =>
      commandsOf(client).register({
        command: name.startsWith("/") ? name : `/${name}`,
        description,
        ...(prompt ? { prompt } : { handler: press }),
      }),
  };
}

const worded = (element: Element, name: string) => brief(read(element, name) ?? "") || undefined;

const wordsOn = (element: Element) => readText(element).replace(/\s+/g, " ");
