import { attribute, childNodesOf, closest, matches } from "./dom.js";
import { isField, isOpenField, valueOf, valuesOf } from "./fields.js";
import { CLOSED, VALUE } from "./names.js";
import type { Roots } from "./roots.js";

/** The most characters of a text, and rows of a table, that are read. */
const MAX_TEXT = 20_000;
const MAX_ROWS = 500;

const UNREAD = `script, style, template, noscript, svg, canvas, iframe, pageside-tray, [hidden], [aria-hidden="true"], ${CLOSED}`;

/** Elements that stand on lines of their own. */
const BLOCK =
  /^(?:ADDRESS|ARTICLE|ASIDE|BLOCKQUOTE|BR|DD|DIV|DL|DT|FIGURE|FOOTER|FORM|H[1-6]|HEADER|HR|LI|MAIN|NAV|OL|P|PRE|SECTION|TABLE|TR|UL)$/;

/**
 * An element's data: its `data-pageside-value`, a table's rows, a form's fields, or the text.
 * Undefined if it is not to be read.
 */
export function readElement(element: Element, roots: Roots): unknown {
  if (closest(element, CLOSED)) return undefined;
  const stated = attribute(element, VALUE);
  if (stated !== null) return parse(stated);
  if (element instanceof HTMLTableElement) return readTable(element);
  if (element instanceof HTMLFormElement || element instanceof HTMLFieldSetElement) return valuesOf(element, roots);
  if (isField(element)) return isOpenField(element) ? valueOf([element]) : undefined;
  return readText(element);
}

/** JSON, or else the text itself. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** The rows as records under the column titles. */
export function readTable(table: HTMLTableElement): Record<string, unknown>[] {
  if (closest(table, CLOSED)) return [];
  const titles = columnTitles(table);
  return [...table.rows]
    .filter((row) => !isTitleRow(row) && !row.matches(UNREAD))
    .slice(0, MAX_ROWS)
    .map((row) => {
      const cells = [...row.cells].map((cell, index) => [titles[index] ?? `column ${index + 1}`, readCell(cell)]);
      return Object.fromEntries(cells.filter(([, value]) => value !== undefined)) as Record<string, unknown>;
    });
}

const isTitleRow = (row: HTMLTableRowElement) =>
  row.parentElement instanceof HTMLTableSectionElement && row.parentElement.tagName === "THEAD"
    ? true
    : row.cells.length > 0 && [...row.cells].every(({ tagName }) => tagName === "TH");

/** The texts of the last header row; repeated titles get a number. */
function columnTitles(table: HTMLTableElement): string[] {
  const row = [...table.rows].filter(isTitleRow).at(-1);
  const seen = new Map<string, number>();
  return [...(row?.cells ?? [])].flatMap((cell) => {
    const words = readText(cell);
    const count = (seen.get(words) ?? 0) + 1;
    seen.set(words, count);
    const title = count > 1 ? `${words} ${count}` : words;
    return [title, ...Array<string>(cell.colSpan - 1).fill("")];
  });
}

function readCell(cell: HTMLTableCellElement): unknown {
  if (cell.matches(UNREAD)) return undefined;
  const stated = cell.getAttribute(VALUE);
  return stated === null ? readText(cell) : parse(stated);
}

/** The visible text of an element, without redacted parts. */
export function readText(element: Element): string {
  if (closest(element, CLOSED)) return "";
  const inner = isField(element) ? words(element) : [...childNodesOf(element)].map(words).join("");
  const text = inner
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n[\n ]*/g, "\n")
    .trim();
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}

function words(node: Node): string {
  if (node instanceof Text) return node.data.replace(/\s+/g, " ");
  if (!(node instanceof Element) || matches(node, UNREAD)) return "";
  if (isField(node)) return isOpenField(node) ? String(valueOf([node]) ?? "") : "";
  const inner = [...childNodesOf(node)].map(words).join("");
  if (BLOCK.test(node.tagName)) return `\n${inner}\n`;
  return /^T[DH]$/.test(node.tagName) ? `${inner} | ` : inner;
}
