import { readMetadata, type AllowanceOffer, type Json, type OpenInterrupt, type ThreadSnapshot } from "@pageside/core";
import { useId, useRef, useState, type ReactNode } from "react";
import { useAssistantContext } from "../../context.js";
import { useMessageLabels } from "../../labels/messages.js";
import type { TrayLabels } from "../../labels/types.js";
import { useLabels } from "../../labels/useLabels.js";
import { useMinutesLeft } from "../../ui/clocks.js";
import { fullToolTitle } from "../../ui/format.js";
import { BlockedIcon, CheckIcon, ClockIcon } from "../../ui/icons.js";
import { Revealed } from "../../ui/Revealed.js";
import { useKeptFocus, type CardRef } from "../cards/usePayloadCard.js";
import { ApprovalForm } from "./ApprovalForm.js";
import { QuestionForm } from "./QuestionForm.js";

interface InterruptsProps extends Pick<ThreadSnapshot, "interrupts" | "toolCalls"> {
  toolLabels?: Readonly<Record<string, string>>;
}

/** What waits for the user: calls to approve, and questions. */
export function Interrupts({ interrupts, toolCalls, toolLabels }: InterruptsProps) {
  const labels = useLabels();
  return (
    <div className="ps-interrupts" role="group" aria-label={labels.waitingForYou}>
      {interrupts.map((interrupt) => (
        <InterruptCard
          key={interrupt.id}
          interrupt={interrupt}
          only={interrupts.length === 1}
          lastOpen={interrupts.every(({ id, answer }) => id === interrupt.id || answer)}
          call={callOf(interrupt, toolCalls)}
          toolLabels={toolLabels}
        />
      ))}
      <p className="ps-muted ps-small-text ps-interrupt-hint">{labels.interruptHint}</p>
    </div>
  );
}

/** The call an interrupt is about: the one that will run, or as the model wrote it. */
interface InterruptedCall {
  name: string;
  args: unknown;
  /** The agent whose own question it is, if it is not the server's. */
  agent?: string;
  /** The tool's summary of what the call would do, if it has one. */
  summary?: string;
  destructive: boolean;
  /** The hours for which the same call can be approved from now on, if that is offered. */
  alwaysFor?: number;
  /** What else is offered then. */
  offer?: AllowanceOffer;
}

function callOf(interrupt: OpenInterrupt, toolCalls: ThreadSnapshot["toolCalls"]): InterruptedCall {
  const { tool, args, summary, effect, allowance, agent } = readMetadata(interrupt);
  const call = toolCalls[interrupt.toolCallId ?? ""];
  return {
    name: tool ?? call?.name ?? "",
    args: args ?? call?.args,
    agent,
    summary,
    destructive: effect === "destructive",
    alwaysFor: hoursOf(allowance),
    offer: allowance,
  };
}

/** The hours of an offer that this tray can put into words. */
function hoursOf(offer: AllowanceOffer | undefined): number | undefined {
  return offer?.scope === "thread" && typeof offer.maxAge === "number" ? Math.round(offer.maxAge / 3600) : undefined;
}

interface CardProps {
  interrupt: OpenInterrupt;
  call: InterruptedCall;
  /** Is it the only one? */
  only: boolean;
  /** Is everything else answered? Then this answer sends all of them. */
  lastOpen: boolean;
  toolLabels?: Readonly<Record<string, string>>;
}

function InterruptCard({ interrupt, call, only, lastOpen, toolLabels }: CardProps) {
  const labels = useLabels();
  const { askedBy } = useMessageLabels();
  const card = useRef<HTMLDivElement>(null);
  const titleId = useId();
  const summaryId = useId();
  const { settled, ...answering } = useAnswering(interrupt, lastOpen, card);
  const tool = toolLabels?.[call.name] ?? fullToolTitle(call.name);
  const title =
    isApproval(interrupt) && tool && !call.agent ? labels.approvalTitle(tool) : (interrupt.message ?? labels.question);
  return (
    <div
      ref={card}
      className="ps-card ps-interrupt"
      data-destructive={(call.destructive && !settled) || undefined}
      role="group"
      aria-labelledby={titleId}
      aria-describedby={call.summary && summaryId}
    >
      {call.agent && (
        <p className="ps-muted ps-small-text" dir="auto">
          <Revealed text={askedBy(call.agent)} />
        </p>
      )}
      <p className="ps-card-title" id={titleId} dir="auto">
        <Revealed text={title} />
      </p>
      {call.summary && (
        <p id={summaryId} dir="auto">
          <Revealed text={call.summary} />
        </p>
      )}
      {settled ? (
        <Answer
          text={answerText(interrupt, labels)}
          positive={isPositive(interrupt)}
          onChange={only ? undefined : answering.change}
        />
      ) : (
        <OpenForm interrupt={interrupt} call={call} tool={tool} {...answering} />
      )}
    </div>
  );
}

/** Whether an interrupt is answered, and answering it. The focus goes on to what comes next. */
function useAnswering({ id, answer }: OpenInterrupt, lastOpen: boolean, card: CardRef) {
  const { client } = useAssistantContext("Interrupts");
  const [changing, setChanging] = useState(false);
  const settled = answer !== undefined && !changing;
  const keepFocus = useKeptFocus(String(settled), card);

  const leave = () => {
    setChanging(false);
    if (lastOpen) card.current?.closest<HTMLElement>("[role=log]")?.focus({ preventScroll: true });
    else keepFocus();
  };
  const respond = (payload: Json) => {
    leave();
    void client.respond(id, payload);
  };
  const cancel = () => {
    leave();
    void client.cancelInterrupt(id);
  };
  const change = () => {
    keepFocus();
    setChanging(true);
  };
  return { settled, respond, cancel, change };
}

interface OpenFormProps extends Pick<ReturnType<typeof useAnswering>, "respond" | "cancel"> {
  interrupt: OpenInterrupt;
  call: InterruptedCall;
  /** The tool's name on screen. */
  tool: string;
}

/** The question of an open interrupt, and its deadline. */
function OpenForm({ interrupt, call, tool, respond, cancel }: OpenFormProps) {
  const labels = useMessageLabels();
  const minutes = useMinutesLeft(interrupt.expiresAt);
  const approval = isApproval(interrupt);
  const Form = approval ? ApprovalForm : QuestionForm;
  const always =
    approval && call.alwaysFor !== undefined
      ? { label: labels.alwaysInThread, hint: labels.alwaysInThreadHint(tool, call.alwaysFor), offer: call.offer }
      : undefined;
  return (
    <>
      <Expiry minutes={minutes} />
      <Form
        schema={interrupt.responseSchema}
        args={call.args}
        expired={minutes !== undefined && minutes <= 0}
        onRespond={respond}
        onCancel={cancel}
        always={always}
        destructive={call.destructive}
      />
    </>
  );
}

function Answer({ text, positive, onChange }: { text: ReactNode; positive: boolean; onChange?: () => void }) {
  const labels = useLabels();
  return (
    <div className="ps-card-line" data-positive={positive || undefined}>
      <span className="ps-tool-icon">{positive ? <CheckIcon /> : <BlockedIcon />}</span>
      <span className="ps-answer-text" dir="auto">
        {text}
      </span>
      {onChange && (
        <button type="button" className="ps-button ps-ghost" data-focus onClick={onChange}>
          {labels.change}
        </button>
      )}
    </div>
  );
}

/** Before the last minutes, a deadline is nothing to act upon. */
const NEAR_MINUTES = 30;

function Expiry({ minutes }: { minutes: number | undefined }) {
  const labels = useLabels();
  if (minutes === undefined || minutes > NEAR_MINUTES) return null;
  return (
    <p className={minutes <= 0 ? "ps-expiry ps-card-error" : "ps-expiry ps-muted"}>
      <ClockIcon />
      {minutes <= 0 ? labels.expired : labels.expiresIn(minutes)}
    </p>
  );
}

function isApproval({ reason, responseSchema }: OpenInterrupt): boolean {
  const { properties } = (responseSchema ?? {}) as { properties?: object };
  if (properties === undefined) return reason === "tool_call" || reason === "agent:tool_call";
  return reason === "tool_call" || "approved" in properties;
}

function isPositive({ answer }: OpenInterrupt): boolean {
  const { approved } = (answer?.payload ?? {}) as { approved?: unknown };
  return answer?.status === "resolved" && approved !== false;
}

function answerText(interrupt: OpenInterrupt, labels: TrayLabels): string {
  const { answer } = interrupt;
  if (answer?.status !== "resolved") return labels.skipped;
  const { approved, always, allowance, answer: value } = (answer.payload ?? {}) as Record<string, unknown>;
  if (isApproval(interrupt) && approved === true)
    return always === true && !allowance ? labels.approvedAlways : labels.approved;
  if (isApproval(interrupt)) return labels.toolDenied;
  if (typeof value === "boolean") return value ? labels.yes : labels.no;
  if (Array.isArray(value)) return value.join(", ");
  return typeof value === "string" ? value : labels.answered;
}
