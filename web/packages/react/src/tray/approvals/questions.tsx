/** The places of questions: below the turns, in place of a call, above the message box. */
import type { Question, ToolCallState } from "@pageside/core";
import { useAssistantSnapshot } from "../../hooks/useAssistant.js";
import { useLabels } from "../../labels/useLabels.js";
import { fullToolTitle, toolTitle } from "../../ui/format.js";
import { QuestionCard } from "./later.js";

interface RunQuestionsProps {
  questions: readonly Question[];
  toolLabels?: Readonly<Record<string, string>>;
}

/** What the run asks: calls to approve, and questions. Answered together. */
export function RunQuestions({ questions, toolLabels }: RunQuestionsProps) {
  const labels = useLabels();
  return (
    <div className="ps-interrupts ps-stack" role="group" aria-label={labels.waitingForYou}>
      {questions.map((question) => (
        <QuestionCard
          key={question.id}
          question={question}
          tool={toolLabels?.[question.name ?? ""] ?? fullToolTitle(question.name ?? "")}
          others={questions.filter((other) => other !== question)}
        />
      ))}
      <p className="ps-muted ps-text-xs ps-interrupt-hint">{labels.interruptHint}</p>
    </div>
  );
}

/** What a call of the page's tool asks before it runs, if it does. */
export const useCallQuestion = ({ id }: ToolCallState): Question | undefined =>
  useAssistantSnapshot(({ questions }) =>
    questions.find(({ from, toolCallId }) => from === "tool" && toolCallId === id),
  );

/** The props of `<PageQuestions>`. */
export interface PageQuestionsProps {
  questions: readonly Question[];
  /** Takes the focus of an answered question. */
  onLeave: () => void;
}

/** The questions of actions, that no call of the model started. */
export function PageQuestions({ questions, onLeave }: PageQuestionsProps) {
  return questions.map((question) => (
    <QuestionCard
      key={question.id}
      question={question}
      tool={question.label ?? toolTitle(question.name ?? "")}
      onLeave={onLeave}
    />
  ));
}
