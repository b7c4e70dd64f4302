import type { Question } from "@pageside/core";
import { useSyncExternalStore } from "react";
import { useAssistantContext } from "../context.js";

/**
 * All that waits for the user, for a component that shows it; `<AssistantTray>` uses it. While no
 * component does, actions of the page that ask are refused at once. `useAssistant().answer`
 * answers.
 *
 * @example
 * const { answer } = useAssistant();
 * return useQuestions().map(({ id, message, name }) => (
 *   <button key={id} onClick={() => void answer(id, { approved: true })}>{message ?? name}</button>
 * ));
 */
export function useQuestions(): readonly Question[] {
  const { client } = useAssistantContext("useQuestions");
  const read = () => client.getSnapshot().questions;
  return useSyncExternalStore(client.watchQuestions, read, read);
}
