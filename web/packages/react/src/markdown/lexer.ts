import { Lexer, type Links, type Token, type Tokens } from "marked";
import { repair } from "./repair.js";
import { TextTokenizer } from "./tokenizer.js";

/** The blocks of a document. Closed ones keep their identity from one reading to the next. */
export interface Blocks {
  tokens: readonly Token[];
  /** Index of the block that is still being written, -1 when nothing is. */
  open: number;
  /** Changes when link definitions did: blocks with the same source may then look different. */
  version: string;
}

/**
 * Cuts a growing markdown text into blocks. A block that two others follow can no longer change (one is not enough:
 * after "1. a", the "1" of a coming "1. b" is a paragraph for a moment), so only the text after the last such block is
 * read again. Text that does not continue what was read before is read from its start.
 */
export class IncrementalLexer {
  #source = "";
  #closed: Token[] = [];
  #whole = false;

  /** Reads `source`; while `streaming`, its end is completed so that half-written markup does not show. */
  read(source: string, streaming: boolean): Blocks {
    const text = source.includes("\r") ? source.replace(/\r\n?/g, "\n") : source;
    if (!text.startsWith(this.#source)) this.#restart();
    if (this.#whole) return readWhole(text, streaming);
    const tail = text.slice(this.#source.length);
    const [tokens, links] = readPart(tail, streaming);
    if (Object.keys(links).length === 0) return this.#settle(tokens, tail, streaming);
    // A link definition is valid in the whole document, also above itself. They are rare: read all of it from now on.
    this.#whole = true;
    return readWhole(text, streaming);
  }

  #restart() {
    this.#source = "";
    this.#closed = [];
    this.#whole = false;
  }

  #settle(tokens: readonly Token[], tail: string, streaming: boolean): Blocks {
    const all = [...this.#closed, ...tokens];
    let read = 0;
    for (const token of tokens.slice(0, firstOpen(tokens))) {
      if (!tail.startsWith(token.raw, read)) break;
      read += token.raw.length;
      this.#closed.push(token);
    }
    this.#source += tail.slice(0, read);
    return blocks(all, streaming, "");
  }
}

function readWhole(text: string, streaming: boolean): Blocks {
  const [tokens, links] = readPart(text, streaming);
  return blocks(tokens, streaming, JSON.stringify(links));
}

function blocks(tokens: readonly Token[], streaming: boolean, version: string): Blocks {
  const visible = (token: Token) => token.type !== "space" && token.type !== "def";
  return { tokens, open: streaming ? tokens.findLastIndex(visible) : -1, version };
}

/** The index of the last block but one; blank lines do not count. */
function firstOpen(tokens: readonly Token[]): number {
  let seen = 0;
  for (let index = tokens.length - 1; index >= 0; index--) {
    if (tokens[index]!.type !== "space" && ++seen === 2) return index;
  }
  return 0;
}

function readPart(text: string, streaming: boolean): [Token[], Links] {
  if (!streaming) return lex(text);
  const [tokens, links] = lex(repair(text));
  if (/\S$/.test(text.slice(-1))) demoteTrailingAutolink(tokens);
  return [tokens, links];
}

function lex(source: string): [Token[], Links] {
  try {
    const lexer = new Lexer({ gfm: true, tokenizer: new TextTokenizer() });
    // marked keys this map by what the document says; it must not find `constructor` there.
    lexer.tokens.links = Object.create(null) as Links;
    const tokens = lexer.lex(source);
    return [[...tokens], tokens.links];
  } catch {
    // Nested deeper than the stack: show what was written.
    return [[{ type: "plain", raw: source, text: source }], {}];
  }
}

/** A bare address at the very end may go on with the next delta: it becomes a link when it is whole. */
function demoteTrailingAutolink(tokens: Token[]) {
  const last = tokens.at(-1) as Tokens.Generic | undefined;
  if (!last) return;
  if (last.type === "link") {
    if (last.autolink) Object.assign(last, { type: "text", tokens: undefined });
    return;
  }
  const children: Token[] | undefined =
    last.type === "list" ? last.items : last.type === "table" ? lastCell(last as Tokens.Table) : last.tokens;
  if (children) demoteTrailingAutolink(children);
}

function lastCell(table: Tokens.Table): Token[] | undefined {
  const row = table.rows.at(-1) ?? table.header;
  return row.findLast((cell) => cell.text !== "")?.tokens;
}
