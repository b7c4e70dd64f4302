import { memo, useEffect, useState, type ReactNode } from "react";
import { useLabels } from "../labels/useLabels.js";
import { lazyPart } from "../ui/lazyPart.js";
import { endOfSlice } from "./budget.js";
import type { highlight } from "./highlight.js";

interface CodeBlockProps {
  code: string;
  /** As the fence names it; empty if it names none. */
  language: string;
  /** Is it still being written? */
  open: boolean;
}

const CodeTools = lazyPart(() => import("./CodeTools.js").then((module) => module.CodeTools));

/** Once it is here, it is used at once. */
let painter: typeof highlight | undefined;

/**
 * A fenced or indented code block: plain while it is written, then in colours, in the same place.
 */
export const CodeBlock = memo(function CodeBlock({ code, language, open }: CodeBlockProps) {
  const labels = useLabels();
  const [paint, setPaint] = useState(() => painter);
  const name = language || labels.code;
  const wanted = !open && language !== "";

  useEffect(() => {
    if (!wanted || paint) return;
    let left = false;
    void import("./highlight.js").then(
      (module) => {
        painter = module.highlight;
        if (!left) setPaint(() => painter);
      },
      () => {}, // it stays plain
    );
    return () => void (left = true);
  }, [wanted, paint]);

  return (
    <figure className="ps-code" dir="ltr">
      <figcaption className="ps-code-head">
        <span className="ps-code-language">{name}</span>
        <CodeTools code={code} language={language} open={open} />
      </figcaption>
      <pre tabIndex={0} aria-label={name}>
        <code>{(wanted && paint?.(code, language)) || <Plain code={code} />}</code>
      </pre>
    </figure>
  );
});

/** Longer code stands in slices. It has no colours either. */
const LONG = 30_000;

/**
 * Code without colours. Of long code only what is in view is laid out, and only its last slice
 * while it is written.
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
