import type { ThreadSnapshot } from "@pageside/core";
import { useEffect, useRef } from "react";
import { useLabels } from "../labels/useLabels.js";
import { toPlainText } from "./transcript/later.js";

/** Longer answers are read in the transcript. */
const SPOKEN_LENGTH = 400;

/** The state that is announced to screen readers. */
export interface StatusRegionProps {
  /** Does a run go on? */
  busy: boolean;
  /** Did the user stop the answer? */
  stopped: boolean;
  /** The text for an answer that was cut. */
  cut?: string;
  /** Is an error shown? Its card speaks for itself. */
  failed: boolean;
  /** Of the connection: it is announced where it is broken. */
  connection?: ThreadSnapshot["connection"];
  /** How many questions of the page wait for the user. */
  asking?: number;
  /** Does something wait for the user? */
  waiting?: boolean;
  /** The markdown of the last answer. */
  answer: string;
}

/** Announces to screen readers that an answer begins, that it is complete, and what it says. */
export function StatusRegion({
  busy,
  stopped,
  cut = "",
  failed,
  waiting = false,
  asking = 0,
  connection,
  answer,
}: StatusRegionProps) {
  const labels = useLabels();
  const region = useRef<HTMLDivElement>(null);
  const was = useRef(busy);

  useEffect(() => {
    if (was.current === busy) return;
    was.current = busy;
    const say = (text: string) => {
      if (region.current) region.current.textContent = text;
    };
    if (busy) return say(labels.response("running"));
    if (failed) return say("");
    if (stopped) return say(labels.response("stopped"));
    void spoken(answer).then((text) => {
      if (!was.current)
        say(
          cut
            ? `${cut} ${text}`
            : [waiting ? labels.waitingForYou : labels.response("complete"), text].filter(Boolean).join(". "),
        );
    });
  }, [busy, stopped, cut, failed, waiting, answer, labels]);

  // A tool of the page asks while the run goes on.
  useEffect(() => {
    if (busy && waiting && region.current) region.current.textContent = labels.waitingForYou;
  }, [busy, waiting, labels]);

  useEffect(() => {
    if (asking > 0 && region.current) region.current.textContent = labels.waitingForYou;
  }, [asking, labels]);

  useEffect(() => {
    const isBroken = connection === "reconnecting" || connection === "offline";
    if (isBroken && region.current) region.current.textContent = labels.disconnected(connection === "offline");
  }, [connection, labels]);

  return <div ref={region} className="ps-sr-only" role="status" aria-live="polite" aria-atomic="true" />;
}

async function spoken(markdown: string): Promise<string> {
  const text = await toPlainText(markdown);
  if (text.length <= SPOKEN_LENGTH) return text;
  return `${text.slice(0, SPOKEN_LENGTH).replace(/\s+\S*$/, "")}…`;
}
