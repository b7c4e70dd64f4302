import type { ThreadSnapshot } from "@pageside/core";
import { useEffect, useState, type ReactNode } from "react";
import { useLabels } from "../../labels/useLabels.js";
import { ArrowDownIcon } from "../../ui/icons.js";
import { isBusy, type Turn } from "../turn/turns.js";
import { ErrorCard } from "./ErrorCard.js";
import { transcriptPart, TurnList } from "./later.js";
import { Skeleton } from "./Skeleton.js";
import { HoldContext, useFollow } from "./useFollow.js";

/** The props of `<Transcript>`. */
export interface TranscriptProps {
  /** The thread. */
  snapshot: ThreadSnapshot;
  /** The messages of the snapshot, grouped by `toTurns`. */
  turns: readonly Turn[];
  /** Shown while the thread has no messages. */
  empty: ReactNode;
  /** Names of tools on screen, by tool name. */
  toolLabels?: Readonly<Record<string, string>>;
  /** The user tries again after an error. */
  onRetry: () => void;
  /** The user has read the error. */
  onDismiss: () => void;
}

/** The conversation. It follows its end while an answer is written, until the reader scrolls up. */
export function Transcript({ snapshot, turns, empty, toolLabels, onRetry, onDismiss }: TranscriptProps) {
  const labels = useLabels();
  const question = turns.findLast((turn) => turn.question !== undefined)?.id ?? "";
  const busy = isBusy(snapshot);
  const freshId = useFreshTurn(snapshot.threadId, turns, busy);
  useEffect(() => transcriptPart.preload(), []);
  const { scrollerRef, contentRef, onScroll, atEnd, unseen, scrollToEnd, hold } = useFollow(
    `${snapshot.threadId} ${question}`,
    busy,
  );

  return (
    <div className="ps-transcript">
      <div
        className="ps-scroller"
        ref={scrollerRef}
        onScroll={onScroll}
        role="log"
        aria-live="off"
        aria-busy={busy}
        aria-label={labels.conversation}
        tabIndex={0}
      >
        <div className="ps-turns" ref={contentRef} data-empty={(turns.length === 0 && !snapshot.loading) || undefined}>
          <HoldContext.Provider value={hold}>
            {turns.length === 0 && (snapshot.loading ? <Skeleton /> : !snapshot.error && empty)}
            {turns.length > 0 && (
              <TurnList
                key={snapshot.threadId}
                snapshot={snapshot}
                turns={turns}
                freshId={freshId}
                busy={busy}
                toolLabels={toolLabels}
              />
            )}
            {snapshot.error && (
              <ErrorCard
                error={snapshot.error}
                asked={snapshot.messages.at(-1)?.role === "user"}
                onRetry={onRetry}
                onDismiss={onDismiss}
              />
            )}
          </HoldContext.Provider>
        </div>
      </div>
      {!atEnd && (
        <button
          type="button"
          className="ps-to-end ps-row ps-text-sm"
          onClick={scrollToEnd}
          aria-label={unseen ? labels.newReply : labels.scrollToEnd}
          title={labels.scrollToEnd}
        >
          {unseen && <span>{labels.newReply}</span>}
          <ArrowDownIcon />
        </button>
      )}
    </div>
  );
}

/**
 * The last turn, where it was here before its answer: also of what draws turns, which may be loaded
 * after both.
 */
function useFreshTurn(threadId: string, turns: readonly Turn[], busy: boolean): string | undefined {
  const [fresh, setFresh] = useState<{ threadId: string; id: string }>();
  const last = turns.at(-1);
  const isAsked = busy && last?.items.length === 0;
  if (isAsked && fresh?.id !== last.id) setFresh({ threadId, id: last.id });
  else if (fresh && fresh.threadId !== threadId) setFresh(undefined);
  return fresh?.id;
}
