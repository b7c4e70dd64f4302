import type { ThreadSnapshot } from "@pageside/core";
import { useContext, useRef, useState } from "react";
import { RunQuestions } from "../approvals/questions.js";
import { Suggestions } from "../suggestions/Suggestions.js";
import type { Turn } from "../turn/turns.js";
import { TurnView } from "../turn/TurnView.js";
import { Backlog, BacklogContext } from "./backlog.js";
import { KeepPosition, Older } from "./Older.js";
import { ReadOnlyContext } from "./readOnly.js";

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
  const { error } = snapshot;
  const asked = snapshot.questions.filter(({ from }) => from === "run");
  const readOnly = useContext(ReadOnlyContext);
  const [backlog] = useState(() => new Backlog(turns.map(({ id }) => id)));
  backlog.grow(turns);
  const below = asked.length > 0 ? "interrupts" : error && "error";
  const row = useRef<HTMLDivElement>(null);
  // it stays, to say that all is loaded
  const [isLong, setLong] = useState(false);
  if (snapshot.older && !isLong) setLong(true);
  return (
    <BacklogContext.Provider value={backlog}>
      {isLong && (
        <KeepPosition first={turns[0]?.id} row={row}>
          <Older older={snapshot.older} row={row} />
        </KeepPosition>
      )}
      {turns.map((turn, index) => (
        <TurnView
          key={turn.id}
          turn={turn}
          last={index === turns.length - 1}
          near={index === turns.length - 2}
          below={index === turns.length - 1 ? below : undefined}
          fresh={turn.id === freshId}
          busy={busy && index === turns.length - 1}
          streamingId={snapshot.streamingMessageId}
          retrying={snapshot.retrying}
          toolLabels={toolLabels}
        />
      ))}
      {!busy && !readOnly && asked.length === 0 && !error && <Suggestions messages={snapshot.messages} />}
      {asked.length > 0 && <RunQuestions questions={asked} toolLabels={toolLabels} />}
    </BacklogContext.Provider>
  );
}
