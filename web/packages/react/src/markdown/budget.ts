/**
 * Bounds on the cost of rendering an answer. marked scans from many marks to the end of their
 * paragraph, so an answer with thousands of them could freeze the page. Beyond a bound a block is
 * shown completely, but as plain text. The bounds are far above readable answers.
 */
import type { Token, Tokens } from "marked";
import { known, type KnownToken, type PlainToken } from "./token.js";

/**
 * The most characters that are parsed at once, and so in one block: a table of 500 rows. Fenced
 * code has no bound.
 */
const MAX_BLOCK = 64_000;
/** The most lines that are parsed at once: lists of thousands of short items take longest. */
const MAX_LINES = 1_000;
/**
 * Characters of an answer whose link definitions hold above themselves: it is read anew with each
 * of them.
 */
export const MAX_SHORT = 32_000;
/** Characters of text in one answer: ten times the longest that models write. */
export const MAX_TEXT = 500_000;
/** Tokens in one block, and in one answer. Each is about one element. */
const MAX_BLOCK_TOKENS = 5_000;
/** So many tokens of one text are drawn. */
export const MAX_TOKENS = 15_000;
/** Characters of one paragraph, heading, item or cell. */
const MAX_PARAGRAPH = 20_000;
/** Its marks times its characters: about what marked looks at. It takes some milliseconds. */
const MAX_WORK = 6_000_000;
/** Characters without a space. The browser tries each of them as the end of a line. */
const MAX_WORD = 4_000;
/** Characters that are read in quotes and lists, over and over where one is in another. */
export const MAX_NESTED = 400_000;
/** Lines of a quote that begin without its mark. */
export const MAX_LAZY = 500;
/** Link definitions in one answer. */
export const MAX_DEFINITIONS = 500;
/** Plain text stands in pieces of about so many characters: only those in view are laid out. */
const SLICE = 4_000;

const MARKS = new Set([..."[]()`*_~<>&\\!@:/?"].map((mark) => mark.charCodeAt(0)));
/** Scripts from here on are written without spaces, and break anywhere. */
const IDEOGRAPHS = 0x2e80;

/** Reports whether parsing a paragraph's inline markup, or laying it out, would take too long. */
export function isTooMuch(text: string): boolean {
  if (text.length > MAX_PARAGRAPH) return true;
  let marks = 0;
  for (let at = 0; at < text.length; at++) if (MARKS.has(text.charCodeAt(at))) marks++;
  return marks * text.length > MAX_WORK || hasLongWord(text);
}

function hasLongWord(text: string): boolean {
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    length = code <= 32 || code >= IDEOGRAPHS ? 0 : length + 1;
    if (length > MAX_WORD) return true;
  }
  return false;
}

/** The block, or plain text if it is too expensive. */
export function bounded(token: Token): readonly Token[] {
  if (token.type === "code" || token.type === "space" || token.type === "plain") return [token];
  const { raw } = token;
  const isPlain = countTokens(token) > MAX_BLOCK_TOKENS || hasLongWord(raw);
  return isPlain || (token.type === "paragraph" && isTooMuch(raw)) ? plain(raw) : [token];
}

/** A text as it was written, in pieces that follow each other without a gap. */
export function plain(text: string): Token[] {
  const tokens: PlainToken[] = [];
  for (let at = 0; at < text.length;) {
    const raw = text.slice(at, endOfSlice(text, at));
    tokens.push({ type: "plain", raw, text: raw, follows: at > 0 });
    at += raw.length;
  }
  return tokens;
}

/** Behind the blank line that ends a block, from an index on. */
export function endOfParagraph(text: string, from = 0): number | undefined {
  const blank = /\n[ \t]*\n/g;
  blank.lastIndex = from;
  return blank.test(text) ? blank.lastIndex : undefined;
}

/** The end of the first part of a text: as many whole lines as are parsed at once. */
export function endOfPart(text: string): number {
  let end = 0;
  for (let line = 0; line < MAX_LINES; line++) {
    const next = text.indexOf("\n", end) + 1 || text.length;
    if (next > MAX_BLOCK) return end || MAX_BLOCK;
    end = next;
    if (end === text.length) break;
  }
  return end;
}

/** Behind a line, or else a word, or else a character. */
export function endOfSlice(text: string, from: number): number {
  if (from + SLICE >= text.length) return text.length;
  const slice = text.slice(from, from + SLICE);
  const end = slice.lastIndexOf("\n") + 1 || slice.lastIndexOf(" ") + 1 || SLICE;
  return from + end + (isHigh(text.charCodeAt(from + end - 1)) ? 1 : 0);
}

/** What a line, and a mark that may begin an element, cost in addition to its character. */
const COST_OF_LINE = 40;
const COST_OF_MARK = 20;
/** Six of them are a block of code, with its head and buttons. */
const COST_OF_TICK = 60;
const COSTLY = new Map([..."`*_[|<~@"].map((mark) => [mark.charCodeAt(0), mark === "`" ? COST_OF_TICK : COST_OF_MARK]));

/**
 * Behind as much of a text as may be drawn in one frame: `most` characters of prose, less where
 * there are many elements. It counts, rather than looks at a clock, so the same text always has the
 * same portions.
 */
export function endOfPortion(text: string, from: number, most: number): number {
  if (most === Infinity) return text.length;
  let at = from;
  for (let cost = 0; at < text.length && cost < most; at++) {
    const code = text.charCodeAt(at);
    cost += code === LINE_FEED ? COST_OF_LINE : (COSTLY.get(code) ?? 1);
  }
  return at;
}

const LINE_FEED = 10;

/** The first half of a character of two. */
const isHigh = (code: number) => code >= 0xd800 && code <= 0xdbff;

/** A token and everything in it. */
export function countTokens(token: Token | Tokens.TableCell): number {
  const parts = "type" in token ? partsOf(known(token)) : token.tokens;
  return parts.reduce((sum, each) => sum + countTokens(each), 1);
}

function partsOf(token: KnownToken): readonly (Token | Tokens.TableCell)[] {
  if (token.type === "list") return token.items;
  if (token.type === "table") return [...token.header, ...token.rows.flat()];
  return ("tokens" in token && token.tokens) || [];
}
