import { useSyncExternalStore } from "react";
import { Button } from "../ui/Button.tsx";
import type { Discover } from "./discover.ts";

/** The newest call of each turn: its receipt offers to undo what the turn changed. */
const newestCalls = new Map<string, string>();

/** Notes that a call may change the page in a turn. */
export function noteCall(turn: string, toolCallId: string): void {
  newestCalls.set(turn, toolCallId);
}

/** Undoes what the assistant changed last, on the receipt of the call that did it. */
export function UndoChange({ model, toolCallId }: { model: Discover; toolCallId: string }) {
  const read = () => model.getSnapshot().change;
  const change = useSyncExternalStore(model.subscribe, read);
  if (!change || newestCalls.get(change.turn) !== toolCallId) return null;
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
