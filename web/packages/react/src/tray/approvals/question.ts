import type { Question } from "@pageside/core";
import { useEffect, useMemo } from "react";
import { useQuestions } from "../../hooks/useQuestions.js";

/** Among the open arguments: the tool is allowed, whatever its arguments. */
export const ANY_ARGUMENTS = "*";

/** The classes of a question's card. */
export const lookOf = (question: Question) => `${isOfPage(question) ? "ps-queue" : "ps-card"} ps-interrupt`;

/** Whether a question is asked beside the conversation: no call of the model started it. */
export const isOfPage = ({ from }: Pick<Question, "from">) => from === "action" || from === "server";

/** The questions that no call of the model raised. Opens the tray for them. */
export function usePageQuestions(open: () => void): readonly Question[] {
  const all = useQuestions();
  const waiting = useMemo(() => all.filter(isOfPage), [all]);
  useEffect(() => {
    if (waiting.length > 0) open();
  }, [waiting.length, open]);
  return waiting;
}
