import type { Json, OpenInterrupt, ThreadSnapshot } from "@pageside/core";
import { useId, useRef, useState, type ReactNode } from "react";
import { useAssistantContext } from "../../context.js";
import { ApprovalForm } from "./ApprovalForm.js";
import { humanize } from "../../ui/format.js";
import { BlockedIcon, CheckIcon, ClockIcon } from "../../ui/icons.js";
import { useLabels } from "../../labels/useLabels.js";
import { useMessageLabels } from "../../labels/messages.js";
import { QuestionForm } from "./QuestionForm.js";
import type { TrayLabels } from "../../labels/english.js";
import { useMinutesLeft } from "../useMinutesLeft.js";
import { useKeptFocus } from "../cards/usePayloadCard.js";

export interface InterruptsProps extends Pick<ThreadSnapshot, "interrupts" | "toolCalls"> {
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
      <p className="ps-muted ps-small-text">{labels.interruptHint}</p>
    </div>
  );
}

/**
 * The call an interrupt is about: what will run, where the server says it, or what the model wrote.
 */
interface InterruptedCall {
  name: string;
  args: unknown;
  /** What it would do, in the words of its tool, where it has some. */
  summary?: string;
  destructive: boolean;
  /** For how many hours the same call can be approved from now on, where that can be. */
  alwaysFor?: number;
}

function callOf(interrupt: OpenInterrupt, toolCalls: ThreadSnapshot["toolCalls"]): InterruptedCall {
  const { pageside } = (interrupt.metadata ?? {}) as {
    pageside?: { tool?: unknown; args?: unknown; summary?: unknown; effect?: unknown; allowance?: Offer };
  };
  const call = toolCalls[interrupt.toolCallId ?? ""];
  const name = typeof pageside?.tool === "string" ? pageside.tool : (call?.name ?? "");
  const summary = typeof pageside?.summary === "string" ? pageside.summary : undefined;
  return {
    name,
    args: pageside?.args ?? call?.args,
    summary,
    destructive: pageside?.effect === "destructive",
    alwaysFor: hoursOf(pageside?.allowance),
  };
}

interface Offer {
  scope?: unknown;
  maxAge?: unknown;
}

/** Of an offer that this tray can put into words. */
function hoursOf(offer: Offer | undefined): number | undefined {
  return offer?.scope === "thread" && typeof offer.maxAge === "number" ? Math.round(offer.maxAge / 3600) : undefined;
}

interface CardProps {
  interrupt: OpenInterrupt;
  call: InterruptedCall;
  only: boolean;
  /** Is everything else answered? Then this answer sends all of them. */
  lastOpen: boolean;
  toolLabels?: Readonly<Record<string, string>>;
}

function InterruptCard({ interrupt, call, only, lastOpen, toolLabels }: CardProps) {
  const { client } = useAssistantContext("Interrupts");
  const labels = useLabels();
  const messageLabels = useMessageLabels();
  const card = useRef<HTMLDivElement>(null);
  const titleId = useId();
  const summaryId = useId();
  const [changing, setChanging] = useState(false);
  const { id, answer } = interrupt;
  const settled = answer !== undefined && !changing;
  const keepFocus = useKeptFocus(String(settled), card);
  const minutes = useMinutesLeft(interrupt.expiresAt);
  const expired = minutes !== undefined && minutes <= 0;
  const approval = isApproval(interrupt);
  const tool = toolLabels?.[call.name] ?? humanize(call.name);
  const title = approval && tool ? labels.approvalTitle(tool) : (interrupt.message ?? labels.question);

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

  const always =
    approval && call.alwaysFor !== undefined
      ? { label: messageLabels.alwaysInThread, hint: messageLabels.alwaysInThreadHint(tool, call.alwaysFor) }
      : undefined;
  const Form = approval ? ApprovalForm : QuestionForm;
  return (
    <div
      ref={card}
      className="ps-card ps-interrupt"
      role="group"
      aria-labelledby={titleId}
      aria-describedby={call.summary && summaryId}
    >
      <p className="ps-card-title" id={titleId} dir="auto">
        {title}
      </p>
      {call.summary && (
        <p id={summaryId} dir="auto">
          {call.summary}
        </p>
      )}
      {settled ? (
        <Answer
          text={answerText(interrupt, labels)}
          positive={isPositive(interrupt)}
          onChange={only ? undefined : change}
        />
      ) : (
        <>
          <Expiry minutes={minutes} />
          <Form
            schema={interrupt.responseSchema}
            args={call.args}
            expired={expired}
            onRespond={respond}
            onCancel={cancel}
            always={always}
            destructive={call.destructive}
          />
        </>
      )}
    </div>
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

function Expiry({ minutes }: { minutes: number | undefined }) {
  const labels = useLabels();
  if (minutes === undefined || minutes > 24 * 60) return null;
  return (
    <p className={minutes <= 0 ? "ps-expiry ps-card-error" : "ps-expiry ps-muted"}>
      <ClockIcon />
      {minutes <= 0 ? labels.expired : labels.expiresIn(minutes)}
    </p>
  );
}

function isApproval({ reason, responseSchema }: OpenInterrupt): boolean {
  const { properties } = (responseSchema ?? {}) as { properties?: object };
  return reason === "tool_call" || (properties !== undefined && "approved" in properties);
}

function isPositive({ answer }: OpenInterrupt): boolean {
  const { approved } = (answer?.payload ?? {}) as { approved?: unknown };
  return answer?.status === "resolved" && approved !== false;
}

function answerText(interrupt: OpenInterrupt, labels: TrayLabels): string {
  const { answer } = interrupt;
  if (answer?.status !== "resolved") return labels.skipped;
  const { approved, always, answer: value } = (answer.payload ?? {}) as Record<string, unknown>;
  if (isApproval(interrupt) && approved === true) return always === true ? labels.approvedAlways : labels.approved;
  if (isApproval(interrupt)) return labels.toolDenied;
  if (typeof value === "boolean") return value ? labels.yes : labels.no;
  if (Array.isArray(value)) return value.join(", ");
  return typeof value === "string" ? value : labels.answered;
}
