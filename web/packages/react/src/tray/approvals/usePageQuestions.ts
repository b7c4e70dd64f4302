import type { Question } from "@pageside/core";
import { useEffect, useMemo } from "react";
import { useQuestions } from "../../hooks/useQuestions.js";
import { isOfPage } from "./question.js";

/** The questions that no call of the model raised. Opens the tray for them. */
export function usePageQuestions(open: () => void): readonly Question[] {
  const all = useQuestions();
  const waiting = useMemo(() => all.filter(isOfPage), [all]);
  useEffect(() => {
    if (waiting.length > 0) open();
  }, [waiting.length, open]);
  return waiting;
}
