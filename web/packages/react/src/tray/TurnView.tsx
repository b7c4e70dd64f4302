import type { ThreadSnapshot } from "@pageside/core";
import { memo, useContext, useState } from "react";
import { Markdown } from "../markdown/index.js";
import { CopyButton } from "./CopyButton.js";
import { AlertIcon, BulbIcon, ChevronIcon, SparkIcon, StopIcon } from "./icons.js";
import { useLabels } from "./labels.js";
import { lazyPart } from "./lazyPart.js";
import { ToolCall } from "./ToolCall.js";
import { answerOf, isWaiting, sameTurn, type Turn, type TurnItem } from "./turns.js";
import { useSecondsLeft } from "./useSecondsLeft.js";
import { HoldContext } from "./useFollow.js";

export interface TurnViewProps {
  turn: Turn;
  /** Is this the turn being answered? */
  busy: boolean;
  last: boolean;
  streamingId?: string;
  /** The server tries the model again. */
  retrying?: ThreadSnapshot["retrying"];
  /** Names of tools on screen, by tool name. */
  toolLabels?: Readonly<Record<string, string>>;
}

const PayloadCard = lazyPart(
  () => import("./PayloadCard.js").then((module) => module.PayloadCard),
  <div className="ps-card ps-card-placeholder ps-shimmer" />,
);

const loadActions = () => import("./TurnActions.js");
const QuestionActions = lazyPart(() => loadActions().then((module) => module.QuestionActions));
const QuestionEditor = lazyPart(() => loadActions().then((module) => module.QuestionEditor));
const AnswerActions = lazyPart(() => loadActions().then((module) => module.AnswerActions));

/** A question and its answer. It renders again only when something in it changed. */
export const TurnView = memo(function TurnView(props: TurnViewProps) {
  const { turn, busy, last, streamingId, retrying, toolLabels } = props;
  const waiting = busy && isWaiting(turn, streamingId);
  const answered = turn.items.length > 0 || waiting || turn.stopped;
  return (
    <div className="ps-turn" data-last={last || undefined}>
      {turn.question !== undefined && <Question turn={turn} busy={busy} />}
      {answered && (
        <div className="ps-answer">
          <AnswerMark />
          <div className="ps-answer-body">
            {turn.items.map((item) => (
              <ItemView key={item.id} item={item} streaming={busy && item.id === streamingId} toolLabels={toolLabels} />
            ))}
            {waiting && <Thinking retrying={retrying} />}
            <AnswerFooter turn={turn} busy={busy} />
          </div>
        </div>
      )}
    </div>
  );
}, sameProps);

function sameProps(a: TurnViewProps, b: TurnViewProps): boolean {
  if (a.busy !== b.busy || a.last !== b.last || a.toolLabels !== b.toolLabels || !sameTurn(a.turn, b.turn))
    return false;
  return !a.busy || (a.streamingId === b.streamingId && a.retrying === b.retrying);
}

function AnswerMark() {
  const labels = useLabels();
  return (
    <span className="ps-mark" role="img" aria-label={labels.assistant}>
      <SparkIcon />
    </span>
  );
}

interface ItemViewProps {
  item: TurnItem;
  streaming: boolean;
  toolLabels?: Readonly<Record<string, string>>;
}

function ItemView({ item, streaming, toolLabels }: ItemViewProps) {
  switch (item.kind) {
    case "text":
      return <Markdown source={item.text} streaming={streaming} />;
    case "reasoning":
      return <Reasoning text={item.text} streaming={streaming} />;
    case "tool":
      return <ToolCall call={item.call} label={toolLabels?.[item.call.name]} />;
    case "payload":
      return <PayloadCard payload={item.payload} />;
  }
}

/** What the user asked; it can be written anew while nothing runs. */
function Question({ turn, busy }: { turn: Turn; busy: boolean }) {
  const [editing, setEditing] = useState(false);
  const text = turn.question ?? "";
  if (editing) return <QuestionEditor messageId={turn.id} text={text} onLeave={() => setEditing(false)} />;
  return (
    <div>
      <UserMessage text={text} />
      {!busy && <QuestionActions messageId={turn.id} onEdit={() => setEditing(true)} />}
    </div>
  );
}

export const UserMessage = memo(function UserMessage({ text }: { text: string }) {
  const labels = useLabels();
  return (
    <div className="ps-question">
      <span className="ps-sr-only">{labels.you}: </span>
      <p className="ps-bubble" dir="auto">
        {text}
      </p>
    </div>
  );
});

/** What the model thought: one line, its text behind a disclosure. */
export const Reasoning = memo(function Reasoning({ text, streaming }: { text: string; streaming: boolean }) {
  const labels = useLabels();
  const hold = useContext(HoldContext);
  const [open, setOpen] = useState(false);
  return (
    <div className="ps-reasoning">
      <button
        type="button"
        className="ps-tool-row"
        aria-expanded={open}
        onClick={() => {
          hold();
          setOpen(!open);
        }}
      >
        <span className="ps-tool-icon">
          <BulbIcon />
        </span>
        <span className={streaming ? "ps-tool-label ps-shimmer" : "ps-tool-label"}>
          {streaming ? labels.reasoningActive : labels.reasoning}
        </span>
        <span className="ps-tool-chevron">
          <ChevronIcon />
        </span>
      </button>
      {open && (
        <div className="ps-reasoning-text">
          <Markdown source={text} streaming={streaming} />
        </div>
      )}
    </div>
  );
});

function Thinking({ retrying }: Pick<TurnViewProps, "retrying">) {
  const labels = useLabels();
  const left = useSecondsLeft(retrying);
  return (
    <p className="ps-thinking">
      <span className="ps-shimmer">{retrying ? labels.retrying(left) : labels.thinking}</span>
    </p>
  );
}

/** Always takes its place, so that nothing moves when an answer is complete. */
function AnswerFooter({ turn, busy }: { turn: Turn; busy: boolean }) {
  const labels = useLabels();
  const answer = busy ? "" : answerOf(turn);
  const answerId = busy ? undefined : turn.items.findLast(({ kind }) => kind === "text")?.id;
  const mark = busy ? "" : turn.stopped ? labels.stopped : turn.failed ? labels.unfinished : "";
  return (
    <div className="ps-actions">
      {answer && <CopyButton text={answer} label={labels.copyMessage} />}
      {answerId && <AnswerActions messageId={answerId} />}
      {mark && (
        <span className="ps-stopped">
          {turn.stopped ? <StopIcon /> : <AlertIcon />}
          {mark}
        </span>
      )}
    </div>
  );
}
