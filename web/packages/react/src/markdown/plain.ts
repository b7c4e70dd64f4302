import type { Token } from "marked";
import { plainText } from "./inline.js";
import { IncrementalLexer } from "./lexer.js";
import { known } from "./token.js";

/** Longer texts are cut. */
const MAX_LENGTH = 20_000;

/** The visible text of markdown, or of the beginning of a long one, in one line. */
export function toPlainText(source: string): string {
  const { tokens } = new IncrementalLexer().read(source.slice(0, MAX_LENGTH), source.length > MAX_LENGTH);
  return tokens.map(blockText).filter(Boolean).join(" ").replace(/\s+/g, " ").trim();
}

function blockText(block: Token): string {
  const token = known(block);
  switch (token.type) {
    case "space":
    case "def":
    case "hr":
    case "checkbox":
      return "";
    case "code":
      return token.text;
    case "list":
      return token.items.map((item) => item.tokens.map(blockText).join(" ")).join(". ");
    case "table":
      return [token.header, ...token.rows]
        .map((row) => row.map((cell) => plainText(cell.tokens)).join(", "))
        .join(". ");
    case "blockquote":
      return token.tokens.map(blockText).join(" ");
    default:
      return "tokens" in token && token.tokens ? plainText(token.tokens) : token.raw;
  }
}
