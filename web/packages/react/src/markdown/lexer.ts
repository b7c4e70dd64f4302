import { Lexer, type Links, type Token, type Tokens } from "marked";
import {
  bounded,
  endOfParagraph,
  endOfPart,
  countTokens,
  isTooMuch,
  MAX_SHORT,
  MAX_TEXT,
  MAX_TOKENS,
  plain,
} from "./budget.js";
import { repair, repairCode } from "./repair.js";
import { known, type KnownToken } from "./token.js";
import { TextTokenizer } from "./tokenizer.js";

/** Characters of plain text that are drawn in one frame: of an answer that is over, of a block. */
const PLAIN_REST = 64_000;
const PLAIN_BLOCK = 16_000;

/** The blocks of a document. Closed blocks keep their identity from one parse to the next. */
interface Blocks {
  tokens: readonly Token[];
  /** Index of the block that is still being written, -1 when nothing is. */
  open: number;
  /** Changes with the link definitions: blocks with the same source may then look different. */
  version: string;
}

/**
 * Cuts a growing markdown text into blocks. A block that two others follow can no longer change
 * (one is not enough: after "1. a", the "1" of a coming "1. b" is a paragraph for a moment), so
 * only the text after the last such block is read again. Text that does not continue what was read
 * before is read from its start.
 *
 * Long texts are read in parts, and what would take too long is plain text: `budget.ts` says what.
 */
export class IncrementalLexer {
  /** What the closed blocks were read from. */
  #source = "";
  #closed: Token[] = [];
  #count = 0;
  /** Characters of it that are no code. */
  #length = 0;
  /** Up to here, and then to the end of the paragraph, goes a block that is too long. */
  #floodEnd: number | undefined;
  #isWhole = false;
  /** Does what was read last end with plain text? */
  #endsPlain = false;
  #links: Links = noLinks();
  #definitions = 0;
  readonly #lines = new LineEnds();

  /**
   * Reads `source`; while `streaming`, its end is completed so that half-written markup does not
   * show.
   */
  read(source: string, streaming: boolean): Blocks {
    const read = this.#read(source, streaming);
    this.#endsPlain = read.tokens.at(-1)?.type === "plain";
    return read;
  }

  #read(source: string, streaming: boolean): Blocks {
    const text = this.#lines.read(source);
    if (!text.startsWith(this.#source)) this.#restart();
    // A link definition is valid in the whole document, also above itself; in a long one, from its
    // place on.
    if (text.length <= MAX_SHORT && endOfPart(text) === text.length) return this.#readShort(text, streaming);
    if (this.#isWhole) this.#restart();
    let tail = text.slice(this.#source.length);
    for (let end; (end = endOfPart(tail)) < tail.length || this.#floodEnd !== undefined || this.#isOver();) {
      const open = this.#readLong(tail, end, streaming);
      if (open) return blocks([...this.#closed, ...open], streaming, versionOf(this.#links));
      tail = text.slice(this.#source.length);
    }
    const [tokens, links] = readPart(tail, streaming, this.#links, this.#definitions);
    const all = this.#settle(tokens, tail, streaming, versionOf(links));
    if (!this.#isOver()) return all;
    return blocks([...this.#closed, ...plain(text.slice(this.#source.length))], streaming, versionOf(this.#links));
  }

  /**
   * How far from an index on a text is plain for sure, and so costs little: to the end of a block
   * that is too long, or of an answer.
   */
  plainUntil(text: string, from: number): number {
    if (this.#isOver()) return from + PLAIN_REST;
    if (this.#floodEnd === undefined && !this.#endsPlain) return from;
    return from + (endOfParagraph(text.slice(from, from + PLAIN_BLOCK)) ?? PLAIN_BLOCK);
  }

  #restart() {
    this.#source = "";
    this.#closed = [];
    this.#count = this.#length = this.#definitions = 0;
    this.#floodEnd = undefined;
    this.#isWhole = false;
    this.#links = noLinks();
  }

  #readShort(text: string, streaming: boolean): Blocks {
    const tail = text.slice(this.#source.length);
    if (!this.#isWhole) {
      const [tokens, links] = readPart(tail, streaming);
      if (Object.keys(links).length === 0) return this.#settle(tokens, tail, streaming, "");
      // They are rare: parse the whole text from now on.
      this.#restart();
      this.#isWhole = true;
    }
    const [tokens, links] = readPart(text, streaming);
    return blocks(tokens, streaming, JSON.stringify(links));
  }

  #settle(tokens: readonly Token[], tail: string, streaming: boolean, version: string): Blocks {
    const all = [...this.#closed, ...tokens];
    this.#close(tokens.slice(0, firstOpen(tokens)), tail);
    return blocks(all, streaming, version);
  }

  /** Keeps blocks that can no longer change. Returns how many characters they were read from. */
  #close(tokens: readonly Token[], tail: string): number {
    let read = 0;
    for (const token of tokens) {
      if (this.#isOver() || !tail.startsWith(token.raw, read)) break;
      read += token.raw.length;
      this.#count += countTokens(token);
      if (token.type !== "code") this.#length += token.raw.length;
      const block = known(token);
      if (block.type === "def") this.#define(block);
      this.#closed.push(token);
    }
    this.#source += tail.slice(0, read);
    return read;
  }

  /** The first definition of a label wins. */
  #define({ tag, href, title }: Tokens.Def): void {
    this.#definitions++;
    this.#links[tag] ??= { href, title };
  }

  /** No more markup is read. */
  #isOver(): boolean {
    return this.#count > MAX_TOKENS || this.#length > MAX_TEXT;
  }

  /**
   * Closes what it can at the beginning of a long tail; if that is all of it, returns the open
   * part.
   */
  #readLong(tail: string, end: number, streaming: boolean): readonly Token[] | undefined {
    if (this.#isOver()) return plain(tail);
    if (this.#floodEnd !== undefined) return this.#readFlood(tail, this.#floodEnd);
    const code = readCode(tail, end, streaming);
    if (code?.isOpen) return [code.token];
    const closed = code ? [code.token] : firstOf(lex(tail.slice(0, end), this.#links, this.#definitions)[0]);
    if (this.#close(closed.flatMap(bounded), tail) === 0) this.#floodEnd = this.#source.length + end;
    return undefined;
  }

  #readFlood(tail: string, until: number): readonly Token[] | undefined {
    const end = endOfParagraph(tail, Math.max(0, until - this.#source.length));
    if (end === undefined) return plain(tail);
    this.#close(plain(tail.slice(0, end)), tail);
    this.#floodEnd = undefined;
    return undefined;
  }
}

/** Makes every line end with a line feed. Of a text that grows, only what is new is read. */
class LineEnds {
  #source = "";
  #text = "";

  read(source: string): string {
    if (!source.includes("\r")) return source;
    const isMore = this.#source !== "" && source.startsWith(this.#source);
    const more = isMore ? source.slice(this.#source.length) : source;
    const rest = isMore && this.#source.endsWith("\r") && more.startsWith("\n") ? more.slice(1) : more;
    this.#text = (isMore ? this.#text : "") + rest.replace(/\r\n?/g, "\n");
    this.#source = source;
    return this.#text;
  }
}

const noLinks = () => Object.create(null) as Links;

/** Tells apart what the same text looks like with other definitions. */
const versionOf = (links: Links) => String(Object.keys(links).length || "");

function blocks(tokens: readonly Token[], streaming: boolean, version: string): Blocks {
  const visible = (token: Token) => token.type !== "space" && token.type !== "def";
  return { tokens, open: streaming ? tokens.findLastIndex(visible) : -1, version };
}

/** The index of the last block but one; blank lines do not count, and pieces of one are one. */
function firstOpen(tokens: readonly Token[]): number {
  let seen = 0;
  for (let index = tokens.length - 1; index >= 0; index--) {
    const token = known(tokens[index]!);
    const follows = token.type === "plain" && token.follows;
    if (token.type !== "space" && !follows && ++seen === 2) return index;
  }
  return 0;
}

/** A block that is at least so long shows where the one before it ended. */
const PLAIN_TO_SEE = 4_096;

/**
 * The blocks that have ended in a part of a text, of which the last is cut off. None where there is
 * only one.
 */
function firstOf(tokens: readonly Token[]): readonly Token[] {
  const last = tokens.findLastIndex(({ type }) => type !== "space");
  const end = (tokens[last]?.raw.length ?? 0) >= PLAIN_TO_SEE ? last : firstOpen(tokens);
  return tokens.slice(0, end || (tokens.length > 1 ? 1 : 0));
}

const FENCE = /^( {0,3})(`{3,}(?=[^`\n]*(?:\n|$))|~{3,})([^\n]*)(?:\n|$)/;

/** A fence that is longer than `size` is read by its lines: it may be of any length. */
function readCode(text: string, size: number, streaming: boolean): { token: Token; isOpen: boolean } | undefined {
  const [head, indent, marks, lang] = FENCE.exec(text) ?? [];
  if (head === undefined) return undefined;
  const closing = new RegExp(`^ {0,3}${marks![0]}{${marks!.length},}[ \\t]*${streaming ? "\\n" : "(?:\\n|$)"}`, "gm");
  closing.lastIndex = head.length;
  const end = closing.exec(text);
  if (end && closing.lastIndex <= size) return undefined;
  const raw = end ? text.slice(0, closing.lastIndex) : text;
  const body = end
    ? text.slice(head.length, end.index)
    : streaming
      ? repairCode(text).slice(head.length)
      : text.slice(head.length);
  const code = indent ? body.replace(new RegExp(`^ {1,${indent.length}}`, "gm"), "") : body;
  const token = { type: "code", raw, lang: lang!.trim(), text: end ? code.replace(/\n$/, "") : code };
  return { token, isOpen: !end };
}

function readPart(text: string, streaming: boolean, known?: Links, count?: number): [readonly Token[], Links] {
  const [tokens, links] = lex(streaming ? repair(text) : text, known, count);
  if (streaming && /\S$/.test(text.slice(-1))) demoteTrailingAutolink(tokens);
  return [tokens.flatMap(bounded), links];
}

/** `known` are link definitions of the text above, of which it has `count`. */
function lex(source: string, known?: Links, count = 0): [Token[], Links] {
  try {
    const lexer = new BoundedLexer(new TextTokenizer(count));
    // marked keys this map by what the document says; it must not find `constructor` there.
    lexer.tokens.links = Object.assign(noLinks(), known);
    const tokens = lexer.lex(source);
    return [[...tokens], tokens.links];
  } catch {
    // Too deep for the stack: show the source.
    return [plain(source), known ?? {}];
  }
}

/** Skips the markup of a paragraph, cell or item if parsing would take too long. */
class BoundedLexer extends Lexer {
  readonly #tokenizer: TextTokenizer;
  #depth = 0;

  constructor(tokenizer: TextTokenizer) {
    super({ gfm: true, tokenizer });
    this.#tokenizer = tokenizer;
  }

  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    if (isTooMuch(source)) {
      tokens.push({ type: "plain", raw: source, text: source });
      return tokens;
    }
    if (this.#depth++ === 0) this.#tokenizer.beginParagraph();
    try {
      return super.inlineTokens(source, tokens);
    } finally {
      this.#depth--;
    }
  }
}

/**
 * A bare address at the very end may go on with the next delta: it becomes a link when it is whole.
 */
function demoteTrailingAutolink(tokens: Token[]) {
  const end = tokens.at(-1);
  if (!end) return;
  const last = known(end);
  if (last.type === "link") {
    if (last.autolink) Object.assign(last, { type: "text", tokens: undefined });
    return;
  }
  const children = partsAtEnd(last);
  if (children) demoteTrailingAutolink(children);
}

function partsAtEnd(token: KnownToken): Token[] | undefined {
  if (token.type === "list") return token.items;
  if (token.type === "table") return lastCell(token);
  return "tokens" in token ? token.tokens : undefined;
}

function lastCell(table: Tokens.Table): Token[] | undefined {
  const row = table.rows.at(-1) ?? table.header;
  return row.findLast((cell) => cell.text !== "")?.tokens;
}
