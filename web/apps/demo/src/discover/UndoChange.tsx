import { Button } from "../ui/Button.tsx";
import { useStore } from "../ui/store.ts";
import type { Discover } from "./discover.ts";
import type { ChangeEnd } from "./reducer.ts";

/** The newest call of each turn: its receipt offers to undo what the turn changed. */
const newestCalls = new Map<string, string>();

/** Notes that a call may change the page in a turn. */
export function noteCall(turn: string, toolCallId: string): void {
  newestCalls.set(turn, toolCallId);
}

const WORDS: Record<ChangeEnd, string> = {
  undone: "Undone",
  "changed by the user": "You have changed the page since, so this cannot be undone",
  "followed by another": "The assistant has changed the page since, so this cannot be undone",
};

/**
 * On the receipt of the last call of a turn: undoes what the assistant changed in it, or says why
 * that is no longer possible.
 */
export function UndoChange({ model, toolCallId }: { model: Discover; toolCallId: string }) {
  const { change, ended } = useStore(model);
  const turn = [...newestCalls].find(([, newest]) => newest === toolCallId)?.[0];
  if (turn === undefined) return null;
  if (change?.turn !== turn) return ended[turn] ? <small className="muted">{WORDS[ended[turn]]}</small> : null;
  return (
    <Button
      kind="quiet"
      icon="undo"
      onClick={({ currentTarget }) => {
        currentTarget.closest<HTMLElement>("[role=log]")?.focus({ preventScroll: true });
        model.dispatch({ type: "undo" });
      }}
    >
      Undo
    </Button>
  );
}
