import { Tokenizer, type Tokens } from "marked";
import { endOfParagraph, MAX_DEFINITIONS, MAX_LAZY, MAX_NESTED } from "./budget.js";
import type { KnownToken } from "./token.js";

/** The deepest nesting of blocks. */
const MAX_NESTING = 24;
/** A longer row of the same marks is text. */
const MAX_RUN = 12;
/** Marks that pair up in one paragraph, at most. */
const MAX_MARKS = 800;
/** Characters that are read in one paragraph in search of the ends of marks that have none. */
const MAX_SEARCH = 60_000;
/**
 * Plain text is taken in pieces of at most so many characters: some of marked's expressions look
 * ahead to its end.
 */
const MAX_PIECE = 512;

/**
 * marked's reading of markdown, with two differences. Raw HTML is text; only `<br>` is read,
 * because it is the one way to break a line in a table cell. And slow input is bounded: confused or
 * manipulated models write rows of thousands of asterisks. Beyond a bound, marks are text.
 */
export class TextTokenizer extends Tokenizer {
  #nesting = 0;
  #definitions: number;
  #left = MAX_NESTED;
  /** The work spent on each paragraph, by its text. */
  readonly #spent = new Map<string, { marks: number; searched: number }>();

  /** The text above has so many link definitions. */
  constructor(definitions = 0) {
    super();
    this.#definitions = definitions;
  }

  /** Begins another paragraph, with new bounds on its marks. */
  beginParagraph(): void {
    this.#spent.clear();
  }

  override html() {
    return undefined;
  }

  override tag(source: string): Tokens.Tag | undefined {
    const match = /^<br[ \t]*\/?>/i.exec(source);
    return match ? instead({ type: "br", raw: match[0] }) : undefined;
  }

  override blockquote(source: string) {
    if (this.#nesting === 0 && isQuote(source) && countLazy(source) > MAX_LAZY)
      return plainBlock<Tokens.Blockquote>(source);
    return this.#nested(source, isQuote, () => super.blockquote(source));
  }

  override list(source: string) {
    return this.#nested(source, isList, () => super.list(source));
  }

  override def(source: string) {
    return this.#definitions >= MAX_DEFINITIONS ? undefined : this.#counted(super.def(source));
  }

  #counted<Token>(token: Token | undefined): Token | undefined {
    if (token) this.#definitions++;
    return token;
  }

  override emStrong(source: string, masked: string, previous?: string) {
    const run = /^(?:\*+|_+)/.exec(source)?.[0];
    if (run === undefined) return undefined;
    if (run.length > MAX_RUN) return plain(run);
    return this.#bounded(source, masked, () => super.emStrong(source, masked, previous));
  }

  /** Models write one tilde for "about"; two strike through. */
  override del(source: string, masked: string, previous?: string) {
    if (!source.startsWith("~~")) return undefined;
    return this.#bounded(source, masked, () => super.del(source, masked, previous));
  }

  override url(source: string) {
    return /^(?:https?:|ftp:|www\.|[\w.+-]{1,64}@)/i.test(source) ? super.url(source) : undefined;
  }

  override inlineText(source: string) {
    return super.inlineText(source.length > MAX_PIECE ? source.slice(0, endOfPiece(source)) : source);
  }

  /**
   * marked parses a block's content again for each continuation line. Beyond a bound, the outermost
   * block is text.
   */
  #nested<Token extends { raw: string }>(
    source: string,
    begins: (text: string) => boolean,
    read: () => Token | undefined,
  ) {
    if (this.#nesting >= MAX_NESTING || !begins(source)) return undefined;
    if (this.#nesting > 0) return this.#deeper(source, read);
    try {
      return this.#left > 0 ? this.#deeper("", read) : plainBlock<Token>(source);
    } catch (cause) {
      if (this.#left > 0) throw cause;
      this.#nesting = 0;
      return plainBlock<Token>(source);
    }
  }

  #deeper<Token>(source: string, read: () => Token): Token {
    this.#left -= source.length;
    if (this.#left <= 0) throw new RangeError("blocks in blocks take too long to read");
    this.#nesting++;
    try {
      return read();
    } finally {
      this.#nesting--;
    }
  }

  #bounded<Token extends { raw: string }>(source: string, masked: string, read: () => Token | undefined) {
    let spent = this.#spent.get(masked);
    if (!spent) this.#spent.set(masked, (spent = { marks: 0, searched: 0 }));
    if (spent.marks >= MAX_MARKS || spent.searched >= MAX_SEARCH) return undefined;
    const token = read();
    if (token) spent.marks++;
    // Before a space nothing opens, and nothing was searched.
    else if (!/^[*_~]+\s/.test(source)) spent.searched += source.length;
    return token;
  }
}

const isQuote = (source: string) => /^ {0,3}>/.test(source);
const isList = (source: string) => /^ {0,3}(?:[*+-]|\d{1,9}[.)])/.test(source);

/** How many lines of a quote begin without its mark. */
function countLazy(source: string): number {
  const lines = source.slice(0, endOfParagraph(source)).split("\n");
  return lines.reduce((count, line) => count + (isQuote(line) ? 0 : 1), 0);
}

/** A token of text in the place of a block, up to the next blank line. */
function plainBlock<Token>(source: string): Token {
  const raw = source.slice(0, endOfParagraph(source));
  return instead({ type: "plain", raw, text: raw });
}

/** A token of text in the place of emphasis. */
const plain = (raw: string) => instead<Tokens.Em>({ type: "text", raw, text: raw, escaped: false });

/** Hands marked another token than it asks for. */
const instead = <Expected>(token: KnownToken) => token as Expected;

/** Behind the last space of the first piece, so that no address is cut in two. */
function endOfPiece(source: string): number {
  const space = source.lastIndexOf(" ", MAX_PIECE - 2);
  return space > 0 && source[space + 1] !== "\n" ? space + 1 : MAX_PIECE;
}
