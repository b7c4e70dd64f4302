import type { ThreadSnapshot } from "@pageside/core";
import { useContext, useRef, useState } from "react";
import { RunQuestions } from "../approvals/questions.js";
import { Suggestions } from "../suggestions/Suggestions.js";
import type { Turn } from "../turn/turns.js";
import { TurnView } from "../turn/TurnView.js";
import { Find } from "./finding.js";
import { KeepPosition } from "./KeepPosition.js";
import { Older } from "./Older.js";
import { ReadOnlyContext } from "./readOnly.js";
import { useFind } from "./useFind.js";
import { useWindow } from "./useWindow.js";
import { piecesOf, type Gap as GapOf } from "./window.js";

/** The props of `<TurnList>`. */
export interface TurnListProps {
  /** The thread. */
  snapshot: ThreadSnapshot;
  /** The messages of the snapshot, grouped by `toTurns`. */
  turns: readonly Turn[];
  /** The turn that was here before anything answered it. */
  freshId?: string;
  /** A run is live and answers the last turn. */
  busy: boolean;
  /** Names of tools on screen, by tool name. */
  toolLabels?: Readonly<Record<string, string>>;
}

/** The turns of one thread, and below them what waits for the user. */
export function TurnList({ turns, snapshot, freshId, busy, toolLabels }: TurnListProps) {
  const { error, streamingMessageId: streamingId, retrying } = snapshot;
  const asked = snapshot.questions.filter(({ from }) => from === "run");
  const readOnly = useContext(ReadOnlyContext);
  const mark = useRef<HTMLSpanElement>(null);
  const view = useWindow(turns, mark);
  const [shown, show] = useState<string>();
  const pieces = piecesOf(turns, view, shown);
  const isWhole = !snapshot.older && !pieces.some((piece) => "gap" in piece);
  const [isFinding, stopFinding] = useFind(isWhole, mark);
  const close = () => {
    stopFinding();
    show(undefined);
  };
  const below = asked.length > 0 ? "interrupts" : error && "error";
  // it stays, to say that all is loaded
  const [isLong, setLong] = useState(false);
  if (snapshot.older && !isLong) setLong(true);
  const last = turns.at(-1);
  return (
    <>
      <span hidden ref={mark} />
      {isFinding && (
        <Find {...{ turns, toolLabels, mark, shown }} older={snapshot.older} onShow={show} onClose={close} />
      )}
      {isLong && <Older older={snapshot.older} />}
      <KeepPosition first={turns[0]?.id} view={view} mark={mark}>
        {pieces.map((piece) =>
          "gap" in piece ? (
            <Gap key={`gap ${piece.gap}`} {...piece} />
          ) : (
            <TurnView
              key={piece.id}
              turn={piece}
              last={piece === last}
              near={piece === turns.at(-2)}
              below={piece === last ? below : undefined}
              fresh={piece.id === freshId}
              busy={busy && piece === last}
              streamingId={piece === last ? streamingId : undefined}
              retrying={piece === last ? retrying : undefined}
              toolLabels={toolLabels}
            />
          ),
        )}
      </KeepPosition>
      {!busy && !readOnly && asked.length === 0 && !error && <Suggestions messages={snapshot.messages} />}
      {asked.length > 0 && <RunQuestions questions={asked} toolLabels={toolLabels} />}
    </>
  );
}

/** Keeps the room of turns that are not drawn. */
function Gap({ gap, height }: GapOf) {
  return <div className="ps-turn" data-turn={gap} data-gap data-answered style={{ blockSize: height }} />;
}
