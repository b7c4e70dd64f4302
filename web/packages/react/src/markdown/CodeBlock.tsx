import { memo, useEffect, useState, type ReactNode } from "react";
import { useLabels } from "../labels/useLabels.js";
import { endOfSlice } from "./budget.js";
import { CodeTools } from "./CodeTools.js";
import type { highlight } from "./highlight.js";
import { paintingTurns } from "./painting.js";

interface CodeBlockProps {
  code: string;
  /** As the fence names it; empty if it names none. */
  language: string;
  /** Is it still being written? */
  open: boolean;
}

/** Used as soon as it is loaded. */
let painter: typeof highlight | undefined;

/** A fenced or indented code block: plain while it streams, then highlighted in place. */
export const CodeBlock = memo(function CodeBlock({ code, language, open }: CodeBlockProps) {
  const labels = useLabels();
  const name = language || labels.code;
  const painted = usePainted(code, language, !open && language !== "");

  return (
    <figure className="ps-code" dir="ltr">
      <figcaption className="ps-code-head ps-row ps-text-xs ps-muted">
        <span className="ps-grow ps-cut">{name}</span>
        <CodeTools code={code} language={language} open={open} />
      </figcaption>
      <pre tabIndex={0} aria-label={name}>
        <code>{painted ?? <Plain code={code} />}</code>
      </pre>
    </figure>
  );
});

/** The colours of one block, made once for each text. */
class Painted {
  #key = "";
  #node: ReactNode;

  /** Undefined while it is not its turn. */
  read(code: string, language: string, paint: typeof highlight): ReactNode {
    const key = `${language}\n${code}`;
    if (key !== this.#key) {
      if (!paintingTurns.take(code.length)) return undefined;
      this.#key = key;
      this.#node = paint(code, language) ?? <Plain code={code} />; // an unknown language, or too long
    }
    return this.#node;
  }
}

/** The code in colours, as soon as that is loaded and its turn has come. */
function usePainted(code: string, language: string, isWanted: boolean): ReactNode {
  const [paint, setPaint] = useState(() => painter);
  const [painted] = useState(() => new Painted());
  const [, setTurn] = useState(0);
  const node = isWanted && paint ? painted.read(code, language, paint) : undefined;
  const isWaiting = isWanted && paint !== undefined && node === undefined;

  useEffect(() => {
    if (!isWanted || paint) return;
    let left = false;
    void import("./highlight.js").then(
      (module) => {
        painter = module.highlight;
        if (!left) setPaint(() => painter);
      },
      () => {}, // it stays plain
    );
    return () => void (left = true);
  }, [isWanted, paint]);

  const { length } = code;
  useEffect(
    () => (isWaiting ? paintingTurns.wait(length, () => setTurn((turn) => turn + 1)) : undefined),
    [isWaiting, length],
  );

  return node;
}

/** Longer code is split into slices, without highlighting. */
const LONG = 30_000;

/**
 * Code without highlighting. Of long code only visible slices are laid out, and only the last one
 * while it streams.
 */
function Plain({ code }: { code: string }): ReactNode {
  if (code.length <= LONG) return code;
  const slices: ReactNode[] = [];
  for (let from = 0; from < code.length;) {
    const to = endOfSlice(code, from);
    slices.push(<Slice key={from} text={code.slice(from, to)} />);
    from = to;
  }
  return slices;
}

const Slice = memo(({ text }: { text: string }) => <span className="ps-code-slice">{text}</span>);
