/**
 * Warns of attributes that there are not: nothing reads a misspelt one, and nobody would notice.
 * Loaded after everything else.
 */
import { ATTRIBUTES, CHOICES } from "../settings.js";
import { attributesOf, attribute, allOfPage } from "./dom.js";
import {
  AUTO,
  COMMAND,
  CONFIRM,
  CONTEXT,
  DESCRIPTION,
  DESTRUCTIVE,
  IGNORE,
  LABEL,
  PAGE,
  PROMPT,
  REDACT,
  RESULT,
  ROOT,
  SCOPE,
  SUBTAB,
  SUGGESTION,
  TAB,
  TOOL,
  VALUE,
} from "./names.js";
import type { Roots } from "./roots.js";

const PREFIX = "data-pageside-";

const KNOWN = [
  ...[PAGE, TAB, SUBTAB, CONTEXT, VALUE, LABEL, AUTO, REDACT, TOOL, DESCRIPTION, CONFIRM, DESTRUCTIVE, RESULT],
  ...[SUGGESTION, COMMAND, PROMPT, ROOT, IGNORE],
];

const OF_SCRIPT = [...ATTRIBUTES, "roots", "unasked", "token"].map((name) => `data-${name}`);

/** The most warnings: what users wrote must not fill the console. */
const MOST = 10;

/** Warns of what is misspelt in the page's roots, on the script tag and on trays. */
export function tellMisspelt(script: Element | undefined, roots: Roots): void {
  const found = [
    ...(script ? ofSettings(script, "data-", OF_SCRIPT, (name) => name.startsWith("data-")) : []),
    ...allOfPage("pageside-tray").flatMap((tray) => ofSettings(tray, "", ATTRIBUTES, isNearSetting)),
    ...declaring()
      .filter((element) => roots.covers(element))
      .flatMap(ofDeclaration),
  ];
  for (const { element, text } of found.slice(0, MOST)) console.warn(`Pageside: ${text}`, element);
}

interface Finding {
  element: Element;
  text: string;
}

/** The elements with an attribute that begins as declarations do; no selector can find them. */
function declaring(): Element[] {
  const path = `//*[@*[starts-with(name(), "${PREFIX}")]]`;
  const result = Document.prototype.evaluate.call(document, path, document, null, 7, null);
  return Array.from({ length: result.snapshotLength }, (_, i) => result.snapshotItem(i) as Element);
}

const ofDeclaration = (element: Element): Finding[] =>
  [...attributesOf(element)]
    .map(({ name }) => name)
    .filter((name) => name.startsWith(PREFIX) && !name.startsWith(SCOPE) && !KNOWN.includes(name))
    .map((name) => unknown(element, name, KNOWN));

function ofSettings(
  element: Element,
  prefix: string,
  known: readonly string[],
  isOurs: (name: string) => boolean,
): Finding[] {
  const wrong = [...attributesOf(element)]
    .map(({ name }) => name)
    .filter((name) => !known.includes(name) && isOurs(name))
    .map((name) => unknown(element, name, known));
  const odd = Object.entries<readonly string[]>(CHOICES).flatMap(([name, values]) => {
    const value = attribute(element, prefix + name);
    if (value === null || values.includes(value)) return [];
    return [{ element, text: `${prefix}${name}="${value}" is not known: it is one of ${values.join(", ")}.` }];
  });
  return [...wrong, ...odd];
}

const isNearSetting = (name: string) => nearest(name, ATTRIBUTES) !== undefined;

function unknown(element: Element, name: string, known: readonly string[]): Finding {
  const meant = nearest(name, known);
  return { element, text: `there is no attribute ${name}${meant ? `; did you mean ${meant}?` : "."}` };
}

/** The known name that is at most two changes away. */
function nearest(name: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((each) => ({ each, apart: distance(name, each) }))
    .filter(({ each, apart }) => apart <= 2 && apart < each.length / 2)
    .sort((a, b) => a.apart - b.apart);
  return best?.each;
}

/** The Levenshtein distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++)
      next.push(Math.min(row[j]! + (a[i] === b[j] ? 0 : 1), row[j + 1]! + 1, next[j]! + 1));
    row = next;
  }
  return row[b.length]!;
}
