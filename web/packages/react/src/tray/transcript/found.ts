import { toPlainText } from "../../markdown/plain.js";
import { toolTitle } from "../../ui/format.js";
import type { Turn, TurnItem } from "../turn/turns.js";

/** One of the matches in a thread: the turn, and how many are before it in that turn. */
export interface Hit {
  id: string;
  nth: number;
}

/** All matches in a thread, drawn or not, from the first turn to the last. */
export function hitsIn(turns: readonly Turn[], query: string, toolLabels?: Readonly<Record<string, string>>): Hit[] {
  const pattern = patternOf(query);
  if (!pattern) return [];
  return turns.flatMap(({ id, question = "", items }) => {
    const text = [question, ...items.map((item) => textOf(item, toolLabels))].join("\n");
    return [...text.matchAll(pattern)].map((_, nth) => ({ id, nth }));
  });
}

/** What is written, in any case; one space for any between two words. */
function patternOf(query: string): RegExp | undefined {
  const words = query.trim().split(/\s+/).filter(Boolean);
  const escaped = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return words.length > 0 ? new RegExp(escaped.join("\\s+"), "giu") : undefined;
}

/** Texts are read once, not with each letter of what is looked for. */
const read = new WeakMap<TurnItem, string>();

/** What an item shows, as plain text. */
function textOf(item: TurnItem, toolLabels?: Readonly<Record<string, string>>): string {
  const known = read.get(item) ?? plainOf(item, toolLabels);
  read.set(item, known);
  return known;
}

function plainOf(item: TurnItem, toolLabels: Readonly<Record<string, string>> = {}): string {
  switch (item.kind) {
    case "text":
    case "reasoning":
      return toPlainText(item.text);
    case "tool":
      return toolLabels[item.call.name] ?? toolTitle(item.call.name);
    case "payload":
      return valuesOf(item.payload.data).join("\n");
    case "action":
      return valuesOf(item.action).join("\n");
    case "calls":
      return "";
    case "lane":
      return item.items.map((each) => textOf(each, toolLabels)).join("\n");
  }
}

/** The words and numbers in a card's data, however deep. */
function valuesOf(data: unknown): string[] {
  if (typeof data === "string" || typeof data === "number") return [String(data)];
  return data && typeof data === "object" ? Object.values(data).flatMap(valuesOf) : [];
}

/**
 * Where a match stands on screen. Undefined where it cannot be seen, as in what is folded; the last
 * one where what is drawn has fewer.
 */
export function rangeOf(turn: Element, query: string, nth: number): Range | undefined {
  const nodes: { node: Text; from: number }[] = [];
  const walker = document.createTreeWalker(turn, NodeFilter.SHOW_TEXT);
  let text = "";
  while (walker.nextNode()) {
    const node = walker.currentNode as Text;
    nodes.push({ node, from: text.length });
    text += node.data;
  }
  const matches = [...text.matchAll(patternOf(query) ?? /$^/g)];
  const match = matches[nth] ?? matches.at(-1);
  if (!match) return undefined;
  const at = (position: number) => {
    const { node, from } = nodes.findLast((each) => each.from <= position)!;
    return [node, position - from] as const;
  };
  const range = document.createRange();
  range.setStart(...at(match.index));
  const [last, offset] = at(match.index + match[0].length - 1);
  range.setEnd(last, offset + 1);
  return range;
}
