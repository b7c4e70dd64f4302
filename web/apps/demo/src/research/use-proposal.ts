import { usePayload } from "@pageside/react";
import { looks } from "./cards.tsx";
import type { Payloads } from "./payloads.ts";

const storageKey = (cardId: string) => `research.before.${cardId}`;

interface ProposalHandlers<Data, State> {
  acceptLabel: string;
  /** What accepting changes, as it is now. A card can be undone after a reload too. */
  state: State;
  accept(data: Data): void;
  /** Brings back what was there before. */
  restore(state: State): void;
}

/** Applies the assistant's proposals of a type, and undoes them. */
export function useProposal<Type extends keyof Payloads, State>(
  type: Type,
  { acceptLabel, state, accept, restore }: ProposalHandlers<Payloads[Type], State>,
): void {
  usePayload<Payloads[Type]>(type, {
    ...looks[type],
    acceptLabel,
    accept(data, cardId) {
      accept(data);
      sessionStorage.setItem(storageKey(cardId), JSON.stringify(state));
    },
    undo(_, cardId) {
      const text = sessionStorage.getItem(storageKey(cardId));
      if (text === null) throw new Error("What was there before is no longer known in this browser tab.");
      restore(JSON.parse(text) as State);
    },
  });
}
