import { membersOf } from "@pageside/core/messages";
import type { Answer, Question } from "@pageside/core";
import { useEffect, useId, useRef, useState, type ComponentProps } from "react";
import { useAssistantContext } from "../../context.js";
import { useQuestionLabels } from "../../labels/questions.js";
import type { TrayLabels } from "../../labels/types.js";
import { useLabels } from "../../labels/useLabels.js";
import { Button } from "../../ui/Button.js";
import { useMinutesLeft } from "../../ui/clocks.js";
import { focusedIn } from "../../ui/focus.js";
import { BlockedIcon, CheckIcon, ClockIcon } from "../../ui/icons.js";
import { Revealed } from "../../ui/Revealed.js";
import { useKeptFocus, type CardRef } from "../cards/usePayloadCard.js";
import { ApprovalForm, type AskProps } from "./ApprovalForm.js";
import { InputForm } from "./Inputs.js";
import { isOfPage, lookOf } from "./question.js";

/** The props of `<QuestionCard>`. */
export interface QuestionCardProps {
  /** What is asked. */
  question: Question;
  /** What would run, as it is called on screen. */
  tool: string;
  /** The questions that are answered together with it: until the last, answers can be changed. */
  others?: readonly Question[];
  /** Takes the focus of the answered question; by default the conversation does. */
  onLeave?: () => void;
}

/** Something that waits for the user, or how it was answered. */
export function QuestionCard({ question, tool, others = [], onLeave }: QuestionCardProps) {
  const labels = useLabels();
  const { askedBy } = useQuestionLabels();
  const titleId = useId();
  const summaryId = useId();
  const card = useRef<HTMLDivElement>(null);
  const { settled, answer, change } = useAnswering(question, others, card, onLeave);
  const { agent, summary, destructive } = question;
  return (
    <div
      ref={card}
      className={lookOf(question)}
      data-destructive={(destructive && !settled) || undefined}
      role="group"
      aria-labelledby={titleId}
      aria-describedby={summary && summaryId}
    >
      {agent && <Line className="ps-muted ps-text-xs" text={askedBy(agent)} />}
      <Line className="ps-card-title" id={titleId} text={titleOf(question, tool, labels)} />
      {summary && <Line id={summaryId} text={summary} />}
      {settled ? (
        <Given question={question} onChange={others.length > 0 ? change : undefined} />
      ) : (
        <OpenForm question={question} tool={tool} onAnswer={answer} />
      )}
    </div>
  );
}

/** A sentence that a model may have written. */
const Line = ({ text, ...props }: ComponentProps<"p"> & { text: string }) => (
  <p dir="auto" {...props}>
    <Revealed text={text} />
  </p>
);

/** The call is named by its tool. Its own words are for what no tool, or another agent, asks. */
function titleOf({ kind, from, agent, message }: Question, tool: string, labels: TrayLabels): string {
  const named = kind === "approval" && !agent && tool ? labels.approvalTitle(tool) : undefined;
  return (from === "run" ? (named ?? message) : (message ?? named)) ?? labels.question;
}

/** Whether a question is answered, and answering it. The focus goes on to what comes next. */
function useAnswering(question: Question, others: readonly Question[], card: CardRef, onLeave?: () => void) {
  const { client } = useAssistantContext("QuestionCard");
  const [changing, setChanging] = useState(false);
  const settled = question.answer !== undefined && !changing;
  const keepFocus = useKeptFocus(String(settled), card);
  const giveBack = useTakenFocus(question, card);

  const leave = () => {
    if (others.some((other) => !other.answer)) return keepFocus();
    if (giveBack()) return;
    if (onLeave) return onLeave();
    card.current?.closest<HTMLElement>("[role=log]")?.focus({ preventScroll: true });
  };
  const answer = (given?: Answer) => {
    setChanging(false);
    leave();
    void client.answer(question.id, given);
  };
  const change = () => {
    keepFocus();
    setChanging(true);
  };
  return { settled, answer, change };
}

/**
 * The user continues with a question that a command or a button of the tray has raised. After a
 * command the focus does not go to a button, because the Enter that sent it may repeat. Returns
 * what gives the focus back to the button.
 */
function useTakenFocus({ from }: Question, card: CardRef) {
  const button = useRef<HTMLElement>(null);
  useEffect(() => {
    const focused = focusedIn(card.current);
    if (!isOfPage({ from }) || !(focused instanceof HTMLElement)) return;
    const isTyped = focused instanceof HTMLTextAreaElement;
    const isBeside = card.current?.closest(".ps-root")?.contains(focused);
    if (!isBeside || !(isTyped || from === "server")) return;
    if (!isTyped) button.current = focused;
    card.current?.querySelector<HTMLElement>(isTyped ? "[tabindex]" : "[data-focus]")?.focus();
  }, [from, card]);
  return () => {
    button.current?.focus();
    return button.current?.isConnected;
  };
}

/** Before the last minutes, a deadline is nothing to act upon. */
const NEAR_MINUTES = 30;

/** The question of an open card, and its deadline. An expired one can only be dismissed. */
function OpenForm({ question, tool, onAnswer }: AskProps) {
  const labels = useLabels();
  const minutes = useMinutesLeft(question.expiresAt) ?? Infinity;
  const isExpired = minutes <= 0;
  return (
    <>
      {minutes <= NEAR_MINUTES && (
        <p className={`ps-expiry ps-row ps-text-sm ${isExpired ? "ps-card-error" : "ps-muted"}`}>
          <ClockIcon />
          {labels.expiresIn(minutes)}
        </p>
      )}
      {isExpired ? (
        <div className="ps-card-footer">
          <Button isNext onClick={() => onAnswer()}>
            {labels.dismiss}
          </Button>
        </div>
      ) : question.kind === "approval" ? (
        <ApprovalForm question={question} tool={tool} onAnswer={onAnswer} />
      ) : (
        <InputForm schema={question.schema} onAnswer={onAnswer} />
      )}
    </>
  );
}

/** The answer that waits for the others. */
function Given({ question, onChange }: { question: Question; onChange?: () => void }) {
  const labels = useLabels();
  const isSkipped = question.answer!.status !== "resolved";
  const given = membersOf(question.answer!.payload);
  const positive = !isSkipped && given.approved !== false;
  return (
    <div className="ps-card-line ps-row ps-tight" data-positive={positive || undefined}>
      <span className="ps-tool-icon ps-muted">{positive ? <CheckIcon /> : <BlockedIcon />}</span>
      <span className="ps-grow" dir="auto">
        {isSkipped ? labels.given("skipped") : answerText(question.kind, given, labels)}
      </span>
      {onChange && (
        <Button look="ghost" isNext onClick={onChange}>
          {labels.change}
        </Button>
      )}
    </div>
  );
}

function answerText(kind: Question["kind"], given: Record<string, unknown>, labels: TrayLabels): string {
  const { approved, always, allowance, answer } = given;
  if (kind === "approval" && approved !== true) return labels.toolStatus("denied");
  if (kind === "approval") return labels.given(always === true && !allowance ? "always" : "approved");
  if (typeof answer === "boolean") return labels.yesOrNo(answer);
  if (Array.isArray(answer)) return answer.join(", ");
  return typeof answer === "string" ? answer : labels.given("answered");
}
