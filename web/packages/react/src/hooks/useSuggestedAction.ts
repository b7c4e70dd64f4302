import { useAssistantContext, type SuggestedActionHandler } from "../context.js";
import { useLatest, useLayoutEffect } from "./effects.js";
import { useOrder } from "./registration.js";

/**
 * Carries out a suggested action with a client handler, as long as the component is mounted: the
 * model offers it as a button under an answer, the user clicks it. Without a mounted handler, an
 * action has no button. Actions with a server handler need nothing here.
 *
 * Use it for actions that only change the page: navigating, opening a panel. What the assistant
 * itself should do is a `useAssistantAction`.
 *
 * @example
 * useSuggestedAction("open_report", () => navigate("/report"));
 */
export function useSuggestedAction(action: string, handler: SuggestedActionHandler): void {
  const { suggestedActions } = useAssistantContext("useSuggestedAction");
  const latest = useLatest(handler);
  const order = useOrder();
  useLayoutEffect(
    () => suggestedActions.register(action, (args) => latest.current(args), order),
    [suggestedActions, action, latest, order],
  );
}
