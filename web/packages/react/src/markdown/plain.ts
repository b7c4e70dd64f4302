import type { Token, Tokens } from "marked";
import { plainText } from "./inline.js";
import { IncrementalLexer } from "./lexer.js";

/** Longer texts are cut. */
const MAX_LENGTH = 20_000;

/** The visible text of markdown, or of the beginning of a long one, in one line. */
export function toPlainText(source: string): string {
  const { tokens } = new IncrementalLexer().read(source.slice(0, MAX_LENGTH), source.length > MAX_LENGTH);
  return tokens.map(blockText).filter(Boolean).join(" ").replace(/\s+/g, " ").trim();
}

function blockText(token: Token): string {
  const { type, raw, text, tokens } = token as Tokens.Generic;
  switch (type) {
    case "space":
    case "def":
    case "hr":
    case "checkbox":
      return "";
    case "code":
      return String(text);
    case "list":
      return (token as Tokens.List).items.map((item) => item.tokens.map(blockText).join(" ")).join(". ");
    case "table":
      return [(token as Tokens.Table).header, ...(token as Tokens.Table).rows]
        .map((row) => row.map((cell) => plainText(cell.tokens)).join(", "))
        .join(". ");
    case "blockquote":
      return (tokens ?? []).map(blockText).join(" ");
    default:
      return tokens ? plainText(tokens) : raw;
  }
}
