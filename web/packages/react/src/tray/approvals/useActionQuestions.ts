import { confirmationsOf, type ActionConfirmation, type PagesideClient } from "@pageside/core";
import { useEffect, useMemo, useSyncExternalStore } from "react";
import { allowancesOf, toAllowableAction } from "./allowances.js";

/**
 * The questions of the page's actions. Answers those that the user has allowed, and opens the tray
 * for the others.
 */
export function useActionQuestions(client: PagesideClient, open: () => void): readonly ActionConfirmation[] {
  const { all, answer, subscribe } = confirmationsOf(client);
  const questions = useSyncExternalStore(subscribe, all, all);
  const [allowed, waiting] = useMemo(() => split(client, questions), [client, questions]);
  useEffect(() => {
    for (const { id } of allowed) answer(id, { approved: true });
  }, [allowed, answer]);
  useEffect(() => {
    if (waiting.length > 0) open();
  }, [waiting.length, open]);
  return waiting;
}

/** Those that are allowed already, and those that wait for the user. */
function split(client: PagesideClient, questions: readonly ActionConfirmation[]) {
  const allowances = allowancesOf(client);
  const isAllowed = (question: ActionConfirmation) => allowances.isAllowed(toAllowableAction(question, question.args));
  return [questions.filter(isAllowed), questions.filter((question) => !isAllowed(question))] as const;
}
