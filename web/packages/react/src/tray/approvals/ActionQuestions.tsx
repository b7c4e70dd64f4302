import { confirmationsOf, type ActionConfirmation } from "@pageside/core";
import { useEffect, useRef } from "react";
import { useAssistantContext } from "../../context.js";
import { useMessageLabels } from "../../labels/messages.js";
import { focusedIn } from "../../ui/focus.js";
import { toAllowableAction, useAllowances } from "./allowances.js";
import { ConfirmationCard } from "./ConfirmationCard.js";

interface ActionQuestionsProps {
  questions: readonly ActionConfirmation[];
  /** Takes the focus of the answered question. */
  onAnswered: () => void;
}

const ROOM = { maxBlockSize: "60%" };

/** The questions of actions that no call of the model started, above the message box. */
export function ActionQuestions({ questions, onAnswered }: ActionQuestionsProps) {
  return questions.map((question) => <Question key={question.id} question={question} onAnswered={onAnswered} />);
}

function Question({ question, onAnswered }: { question: ActionConfirmation; onAnswered: () => void }) {
  const { client } = useAssistantContext("ActionQuestions");
  const labels = useMessageLabels();
  const card = useRef<HTMLDivElement>(null);
  const { id, name, message, args } = question;
  const asked = toAllowableAction(question, args);
  const allowances = useAllowances(client);

  // After a command, the user continues with its question. The focus does not go to a button,
  // because the Enter that sent the command may repeat.
  useEffect(() => {
    const focused = focusedIn(card.current);
    if (focused instanceof HTMLTextAreaElement && card.current?.parentElement?.contains(focused))
      card.current.querySelector<HTMLElement>("[tabindex]")?.focus();
  }, []);

  return (
    <ConfirmationCard
      cardRef={card}
      className="ps-queue"
      style={ROOM}
      title={message ?? labels.approvalTitle(name)}
      name={name}
      args={args}
      onAnswer={(answer) => {
        onAnswered();
        confirmationsOf(client).answer(id, answer);
      }}
      destructive={question.destructive}
      onAlways={asked && ((approved) => allowances.allow(toAllowableAction(question, approved)))}
    />
  );
}
