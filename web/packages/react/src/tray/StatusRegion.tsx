import { useEffect, useRef, useState } from "react";
import { toPlainText } from "../markdown/index.js";
import { useLabels } from "./labels.js";

/** More than this is read by going to the transcript. */
const SPOKEN_LENGTH = 400;

export interface StatusRegionProps {
  busy: boolean;
  /** The user stopped the answer. */
  stopped: boolean;
  /** An error is shown; its card speaks for itself. */
  failed: boolean;
  /** The markdown of the last answer. */
  answer: string;
}

/** Tells a screen reader, once each, that an answer begins and that it is complete, and what it says. */
export function StatusRegion({ busy, stopped, failed, answer }: StatusRegionProps) {
  const labels = useLabels();
  const [text, setText] = useState("");
  const was = useRef(busy);

  useEffect(() => {
    if (was.current === busy) return;
    was.current = busy;
    if (busy) setText(labels.responding);
    else if (failed) setText("");
    else if (stopped) setText(labels.responseStopped);
    else setText([labels.responseComplete, spoken(answer)].filter(Boolean).join(". "));
  }, [busy, stopped, failed, answer, labels]);

  return (
    <div className="ps-sr-only" role="status" aria-live="polite" aria-atomic="true">
      {text}
    </div>
  );
}

function spoken(markdown: string): string {
  const text = toPlainText(markdown);
  if (text.length <= SPOKEN_LENGTH) return text;
  return `${text.slice(0, SPOKEN_LENGTH).replace(/\s+\S*$/, "")}…`;
}
