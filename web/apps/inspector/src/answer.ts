/**
 * An answer as its reader saw it: Markdown, read as the tray reads it. Links are text, since a
 * model chose where they lead.
 */
import type { Token, Tokens } from "marked";
import { decodeEntities } from "../../../packages/react/src/markdown/entities.ts";
import { IncrementalLexer } from "../../../packages/react/src/markdown/lexer.ts";
import { h } from "./dom.ts";

/** Deeper nesting is shown as its source. */
const MAX_DEPTH = 24;

/** The answer. */
export const answerOf = (markdown: string): HTMLElement =>
  h("div", { class: "answer" }, blocksOf(new IncrementalLexer().read(markdown, false).tokens, 0));

const blocksOf = (tokens: readonly Token[], depth: number) => tokens.flatMap((token) => blockOf(token, depth));

function blockOf(token: Token, depth: number): (Node | string)[] {
  if (depth > MAX_DEPTH) return [h("p", {}, token.raw)];
  const block = token as Tokens.Generic;
  switch (block.type) {
    case "paragraph":
      return [h("p", {}, inlineOf(block.tokens))];
    case "heading":
      return [h("h4", {}, inlineOf(block.tokens))];
    case "code":
      return [h("pre", {}, String(block.text))];
    case "list":
      return [listOf(block as Tokens.List, depth)];
    case "table":
      return [tableOf(block as Tokens.Table)];
    case "blockquote":
      return [h("blockquote", {}, blocksOf(block.tokens ?? [], depth + 1))];
    case "hr":
      return [h("hr")];
    case "plain":
      return [h("p", {}, block.raw)];
    case "space":
    case "def":
    case "checkbox":
      return [];
    default:
      return inlineOf(block.tokens ?? [token]);
  }
}

function listOf({ ordered, start, items }: Tokens.List, depth: number): HTMLElement {
  const mark = ({ task, checked }: Tokens.ListItem) => (task ? (checked ? "☑ " : "☐ ") : "");
  return h(
    ordered ? "ol" : "ul",
    { start: ordered && start !== 1 && start },
    items.map((item) => h("li", {}, mark(item), ...blocksOf(item.tokens, depth + 1))),
  );
}

function tableOf({ header, rows }: Tokens.Table): HTMLElement {
  const rowOf = (tag: string, cells: readonly Tokens.TableCell[]) =>
    h(
      "tr",
      {},
      cells.map(({ tokens, align }) => h(tag, { "data-end": align === "right" }, inlineOf(tokens))),
    );
  return h("table", {}, rowOf("th", header), rows.map((cells) => rowOf("td", cells))); // prettier-ignore
}

const ELEMENTS: Record<string, string> = { strong: "strong", em: "em", del: "del", codespan: "code" };

function inlineOf(tokens: readonly Token[] = []): (Node | string)[] {
  return tokens.flatMap((token) => {
    const { type, raw, text, href, tokens: inner } = token as Tokens.Generic;
    const written = String(text ?? raw);
    const content = inner ? inlineOf(inner) : [type === "text" ? decodeEntities(written) : written];
    if (type === "br") return [h("br")];
    if (type === "link" || type === "image") return href === text ? [href] : [...content, ` (${href})`];
    return ELEMENTS[type] ? [h(ELEMENTS[type], {}, content)] : content;
  });
}
