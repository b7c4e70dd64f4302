import type { Token } from "marked";
import { memo, useEffect, useState, useSyncExternalStore, type ReactNode } from "react";
import { useLatest } from "../hooks/effects.js";
import { BlockView, headingLevels } from "./blocks.js";
import { endOfPortion } from "./budget.js";
import { IncrementalLexer } from "./lexer.js";
import { PlainNote } from "./PlainNote.js";

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
  const length = usePortions(source, lexer);
  const isWhole = !streaming && length === source.length;
  const { tokens, open, version } = lexer.read(source.slice(0, length), !isWhole);
  const sections: ReactNode[] = [];
  for (let from = 0, level: number | undefined; from < tokens.length; from += SECTION) {
    const part = tokens.slice(from, from + SECTION);
    sections.push(
      <Section key={from} tokens={part} isFirst={from === 0} open={open - from} version={version} level={level} />,
    );
    level = headingLevels(part, level).findLast((each) => each !== undefined) ?? level;
  }
  return (
    <div className="ps-md ps-stack" dir="auto">
      {sections}
      {isWhole && tokens.some(({ type }) => type === "plain") && <PlainNote />}
    </div>
  );
});

/** How much is drawn at once, and per frame after that: see `endOfPortion`. */
const FIRST = 24_000;
const PORTION = 8_000;

/** How much of a text is drawn. */
class Portions {
  #drawn: number | undefined;
  #length = Infinity;
  readonly #first: number;

  constructor(first: number) {
    this.#first = first;
  }

  /** Additions to a drawn text are drawn at once. */
  of(source: string, lexer: IncrementalLexer): number {
    this.#drawn ??= endOfPortion(source, 0, this.#first);
    const isDrawn = this.#drawn >= this.#length && source.length > this.#length;
    if (isDrawn && endOf(source, this.#length, lexer) === source.length) this.#drawn = source.length;
    this.#length = source.length;
    return Math.min(source.length, this.#drawn);
  }

  next(source: string, lexer: IncrementalLexer): void {
    this.#drawn = endOf(source, this.#drawn ?? 0, lexer);
  }
}

/** Behind the next portion. */
const endOf = (source: string, from: number, lexer: IncrementalLexer) =>
  Math.min(source.length, Math.max(lexer.plainUntil(source, from), endOfPortion(source, from, PORTION)));

/**
 * How much of a text is drawn: a long text is drawn in portions, so that the page stays responsive.
 */
function usePortions(source: string, lexer: IncrementalLexer): number {
  // On a server no frames follow.
  const isServer = useSyncExternalStore(noChange, isHere, isThere);
  const [portions] = useState(() => new Portions(isServer ? Infinity : FIRST));
  const [frames, setFrames] = useState(0);
  const drawn = portions.of(source, lexer);
  const isLonger = source.length > drawn;
  const latest = useLatest(source);
  useEffect(() => {
    if (!isLonger) return;
    const frame = requestAnimationFrame(() => {
      portions.next(latest.current, lexer);
      setFrames(frames + 1);
    });
    return () => cancelAnimationFrame(frame);
  }, [isLonger, frames, portions, lexer, latest]);
  return drawn;
}

const noChange = () => () => {};
const isHere = () => false;
const isThere = () => true;

/** The number of blocks that are compared as one. */
const SECTION = 64;

interface SectionProps {
  tokens: readonly Token[];
  isFirst: boolean;
  /** The index of the block that is still being written, where it is one of these. */
  open: number;
  version: string;
  /** Of the last heading above. */
  level: number | undefined;
}

/**
 * Some blocks. It renders again only when one of them changed. All but the first have a box of
 * their own, which is laid out only while it is in view.
 */
const Section = memo(function Section({ tokens, isFirst, open, version, level }: SectionProps) {
  const levels = headingLevels(tokens, level);
  const blocks = tokens.map((token, index) => (
    <BlockView key={index} token={token} open={index === open} version={version} level={levels[index]} />
  ));
  return isFirst ? blocks : <div className="ps-md-section ps-stack">{blocks}</div>;
}, sameSection);

function sameSection(a: SectionProps, b: SectionProps): boolean {
  const isOpen = ({ open, tokens }: SectionProps) => open >= 0 && open < tokens.length;
  if (isOpen(a) || isOpen(b) || a.version !== b.version || a.level !== b.level) return false;
  return a.tokens.length === b.tokens.length && a.tokens.every((token, index) => token === b.tokens[index]);
}
