import type { Effort, OfferedModel } from "@pageside/core";
import { useAssistantContext } from "../context.js";
import { useAssistantSnapshot } from "./useAssistant.js";

/** What `useModelChoice` returns. */
export interface ModelChoice {
  /** The models that the server offers, the default first. Empty where there is no choice. */
  choices: readonly OfferedModel[];
  /** The one that answers next. */
  model: OfferedModel | undefined;
  /** How hard it is asked to think; `undefined` leaves that to the provider. */
  effort: Effort | undefined;
  /** Chooses for the runs to come. Rejects if the server does not offer it. */
  choose: (model: string, effort?: Effort) => Promise<void>;
}

/**
 * The models that the user may choose from, and the one that is chosen.
 *
 * @example
 * const { choices, model, choose } = useModelChoice();
 * return choices.map(({ id, label }) => (
 *   <button key={id} aria-pressed={id === model?.id} onClick={() => void choose(id)}>
 *     {label}
 *   </button>
 * ));
 */
export function useModelChoice(): ModelChoice {
  const { client } = useAssistantContext("useModelChoice");
  const choices = useAssistantSnapshot((thread) => thread.choices) ?? [];
  const picked = useAssistantSnapshot((thread) => thread.picked);
  const model = choices.find(({ id }) => id === picked?.model) ?? choices[0];
  return { choices, model, effort: picked?.effort, choose: client.pickModel };
}
