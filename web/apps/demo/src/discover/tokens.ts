import type { ErrorDetails } from "../shell/http.ts";

/* Just enough of the query language to colour it. The server is the judge of what is right. */

type TokenKind = "keyword" | "function" | "string" | "number" | "pipe" | "operator" | "text";

interface Token {
  kind: TokenKind;
  text: string;
}

const keywords = new Set(
  (
    "source where stats sort head fields eval top timechart " +
    "by as and or not in like between is null asc desc span true false"
  ).split(" "),
);

const pattern =
  /('(?:[^']|'')*'?|"(?:[^"]|"")*"?)|(`[^`]*`?)|(\d+(?:\.\d+)?(?:ms|[smhdw])?\b)|(\|)|([=!<>]=?|<>|[+-](?=\s*[\w`(])|[*/%])|([A-Za-z_@][\w.@]*)|(\s+|.)/gsu;

/** Splits a query for colouring: the texts put together are the query again. */
export function tokenize(query: string): Token[] {
  return [...query.matchAll(pattern)].map((match) => ({ kind: kindOf(match, query), text: match[0] }));
}

function kindOf(match: RegExpMatchArray, query: string): TokenKind {
  const [text, string, name, number, pipe, operator, word] = match;
  if (string) return "string";
  if (number) return "number";
  if (pipe) return "pipe";
  if (operator) return "operator";
  if (name || !word) return "text";
  if (query[match.index! + text.length] === "(" && !/^(?:and|or|not|in|by)$/i.test(word)) return "function";
  return keywords.has(word.toLowerCase()) ? "keyword" : "text";
}

/** A part of the query text, in UTF-16 code units. */
interface TextRange {
  start: number;
  end: number;
}

/**
 * The text range of a line, column and length that count from 1 in Unicode code points, as the
 * server reports them.
 */
export function textRange(query: string, { line = 1, column = 1, length = 0 }: ErrorDetails): TextRange {
  const lines = query.split("\n");
  const at = Math.min(line, lines.length) - 1;
  const before = lines.slice(0, at).reduce((sum, text) => sum + text.length + 1, 0);
  const points = [...(lines[at] ?? "")];
  const from = column - 1;
  const start = before + points.slice(0, from).join("").length;
  return { start, end: start + points.slice(from, from + length).join("").length };
}

/** A piece of the query as it is drawn. */
interface Piece extends Token {
  wrong: boolean;
}

/**
 * The tokens cut where the wrong part starts and ends. A wrong part of no length becomes a space of
 * its own.
 */
export function markRange(tokens: Token[], range: TextRange | null): Piece[] {
  if (range === null) return tokens.map((token) => ({ ...token, wrong: false }));
  const pieces: Piece[] = [];
  let at = 0;
  for (const { kind, text } of tokens) {
    const cuts = [0, range.start - at, range.end - at, text.length].map((cut) =>
      Math.min(Math.max(cut, 0), text.length),
    );
    for (const [index, wrong] of [false, true, false].entries()) {
      const part = text.slice(cuts[index], cuts[index + 1]);
      if (part !== "") pieces.push({ kind, text: part, wrong });
    }
    at += text.length;
  }
  if (range.end === range.start && range.start >= at) pieces.push({ kind: "text", text: " ", wrong: true });
  return pieces;
}
