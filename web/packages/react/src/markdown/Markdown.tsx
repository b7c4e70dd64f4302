import type { Token } from "marked";
import { memo, useEffect, useState, useSyncExternalStore, type ReactNode } from "react";
import { BlockView, headingLevels } from "./blocks.js";
import { IncrementalLexer } from "./lexer.js";

/** The props of `<Markdown>`. */
export interface MarkdownProps {
  /** GitHub-flavoured markdown. Raw HTML is shown as text. */
  source: string;
  /** Is it still being written? If so, its end is completed to hide half-written markup. */
  streaming?: boolean;
}

/**
 * Shows a model's markdown. While the text grows, only the blocks at its end are read and rendered
 * again. No HTML is ever set; links go to http, https, mail or relative targets; an image is
 * fetched only after a click. What would block the page too long is shown as plain text: see
 * `budget.ts`.
 *
 * It is styled inside an element of class `ps-root`.
 */
export const Markdown = memo(function Markdown({ source, streaming = false }: MarkdownProps) {
  const [lexer] = useState(() => new IncrementalLexer());
  const length = usePortions(source.length);
  const { tokens, open, version } = lexer.read(source.slice(0, length), streaming || length < source.length);
  const sections: ReactNode[] = [];
  for (let from = 0, level: number | undefined; from < tokens.length; from += SECTION) {
    const part = tokens.slice(from, from + SECTION);
    sections.push(<Section key={from} tokens={part} open={open - from} version={version} level={level} />);
    level = headingLevels(part, level).findLast((each) => each !== undefined) ?? level;
  }
  return (
    <div className="ps-md" dir="auto">
      {sections}
    </div>
  );
});

/** The number of characters drawn at once, and per frame after that. */
const FIRST = 16_000;
const PORTION = 8_000;

/** How much of a text is drawn. */
class Portions {
  #drawn: number;
  #length = Infinity;

  constructor(drawn: number) {
    this.#drawn = drawn;
  }

  /** For a text of this length. Additions to a drawn text are drawn at once. */
  of(length: number): number {
    const more = length - this.#length;
    if (more > 0 && more <= PORTION && this.#drawn >= this.#length) this.#drawn = Math.max(length, this.#drawn);
    this.#length = length;
    return Math.min(length, this.#drawn);
  }

  next(): void {
    this.#drawn += PORTION;
  }
}

/**
 * How much of a text is drawn: a long text is drawn in portions, so that the page stays responsive.
 */
function usePortions(length: number): number {
  // On a server no frames follow.
  const isServer = useSyncExternalStore(noChange, isHere, isThere);
  const [portions] = useState(() => new Portions(isServer ? Infinity : FIRST));
  const [frames, setFrames] = useState(0);
  const drawn = portions.of(length);
  const isLonger = length > drawn;
  useEffect(() => {
    if (!isLonger) return;
    const frame = requestAnimationFrame(() => {
      portions.next();
      setFrames(frames + 1);
    });
    return () => cancelAnimationFrame(frame);
  }, [isLonger, frames, portions]);
  return drawn;
}

const noChange = () => () => {};
const isHere = () => false;
const isThere = () => true;

/** The number of blocks that are compared as one. */
const SECTION = 64;

interface SectionProps {
  tokens: readonly Token[];
  /** The index of the block that is still being written, where it is one of these. */
  open: number;
  version: string;
  /** Of the last heading above. */
  level: number | undefined;
}

/** Some blocks. It renders again only when one of them changed. */
const Section = memo(function Section({ tokens, open, version, level }: SectionProps) {
  const levels = headingLevels(tokens, level);
  return tokens.map((token, index) => (
    <BlockView key={index} token={token} open={index === open} version={version} level={levels[index]} />
  ));
}, sameSection);

function sameSection(a: SectionProps, b: SectionProps): boolean {
  const isOpen = ({ open, tokens }: SectionProps) => open >= 0 && open < tokens.length;
  if (isOpen(a) || isOpen(b) || a.version !== b.version || a.level !== b.level) return false;
  return a.tokens.length === b.tokens.length && a.tokens.every((token, index) => token === b.tokens[index]);
}
