import type { Token, Tokens } from "marked";
import { countTokens } from "./budget.js";
import { formatPiece } from "./lexer.js";

/** About so many tokens are formatted in one frame, of so many characters at most. */
const PER_FRAME = 300;
/** Marks that become no tokens take time to read, too. */
const CHARACTERS_PER_FRAME = 8_000;

/**
 * The formatting of what a text has as plain text because it is too much. Piece by piece, at the
 * user's wish; each stands where the plain one did.
 */
export class Formatting {
  #read: readonly Token[] = [];
  #tokens: Token[] = [];
  /** The index of the next piece to format; -1 where none is left. */
  #next = -1;

  /** The tokens of a text, formatted so far. `isWhole`: no more of it will come. */
  of(read: readonly Token[], isWhole: boolean): readonly Token[] {
    if (!isWhole) return read;
    if (!isSame(read, this.#read)) {
      this.#read = read;
      this.#tokens = [...read];
      this.#next = read.findIndex(isPlain);
    }
    return this.#tokens;
  }

  /** Is anything of the whole text plain? */
  get isOffered(): boolean {
    return this.#next >= 0;
  }

  /** Formats some more. Returns how many tokens there are now in what was formatted. */
  step(): number {
    let count = 0;
    let characters = 0;
    while (this.#next >= 0 && count < PER_FRAME && characters < CHARACTERS_PER_FRAME) {
      const index = this.#next;
      const formatted = formatPiece(this.#read[index]!, this.#read[this.#firstOf(index)]!);
      this.#tokens[index] = formatted;
      count += countTokens(formatted);
      characters += formatted.raw.length;
      this.#next = this.#read.findIndex((token, at) => at > index && isPlain(token));
    }
    this.#tokens = [...this.#tokens];
    return count;
  }

  /** The piece with which the text of a piece begins. */
  #firstOf(index: number): number {
    let first = index;
    while (first > 0 && (this.#read[first] as Tokens.Generic).follows) first--;
    return first;
  }
}

const isPlain = ({ type }: Token) => type === "plain";

function isSame(a: readonly Token[], b: readonly Token[]): boolean {
  return a.length === b.length && a.every((token, index) => token === b[index] || token.raw === b[index]!.raw);
}
