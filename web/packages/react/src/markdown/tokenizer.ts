import { Tokenizer, type Tokens } from "marked";

/** Blocks in blocks in blocks: deeper than anyone writes on purpose. */
const MAX_NESTING = 24;
/** A longer row of the same marks is text. */
const MAX_RUN = 12;
/** Marks that pair up in one paragraph, at most. */
const MAX_MARKS = 800;
/** Characters that are read in one paragraph in search of the ends of marks that have none. */
const MAX_SEARCH = 60_000;
/** Plain text is taken in pieces of at most so many characters: some of marked's expressions look ahead to its end. */
const MAX_PIECE = 512;

/**
 * marked's reading of markdown, with two differences. Raw HTML is text; only `<br>` is read, because it is the one way
 * to break a line in a table cell. And what would take long is bounded: models write rows of thousands of asterisks
 * when they are confused, and whoever talked to them may want that. Beyond a bound, marks are text.
 */
export class TextTokenizer extends Tokenizer {
  #nesting = 0;
  /** What was spent on the paragraph, by its text. */
  readonly #spent = new Map<string, { marks: number; searched: number }>();

  override html() {
    return undefined;
  }

  override tag(source: string): Tokens.Tag | undefined {
    const match = /^<br[ \t]*\/?>/i.exec(source);
    return match ? ({ type: "br", raw: match[0] } as unknown as Tokens.Tag) : undefined;
  }

  override blockquote(source: string) {
    return this.#nested(() => super.blockquote(source));
  }

  override list(source: string) {
    return this.#nested(() => super.list(source));
  }

  override emStrong(source: string, masked: string, previous?: string) {
    const run = /^(?:\*+|_+)/.exec(source)?.[0];
    if (run === undefined) return undefined;
    if (run.length > MAX_RUN) return plain(run);
    return this.#bounded(source, masked, () => super.emStrong(source, masked, previous));
  }

  /** One tilde means "about" in what models write; two strike through. */
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

  #nested<Token>(read: () => Token): Token | undefined {
    if (this.#nesting >= MAX_NESTING) return undefined;
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

/** A token of text in the place of emphasis. */
const plain = (raw: string) => ({ type: "text", raw, text: raw }) as unknown as Tokens.Em;

/** Behind the last space of the first piece, so that no address is cut in two. */
function endOfPiece(source: string): number {
  const space = source.lastIndexOf(" ", MAX_PIECE - 2);
  return space > 0 && source[space + 1] !== "\n" ? space + 1 : MAX_PIECE;
}
