import type { ThreadSnapshot } from "@pageside/core";
import {
  createContext,
  memo,
  useCallback,
  useContext,
  useEffect,
  useState,
  type Dispatch,
  type ReactNode,
  type SetStateAction,
} from "react";
import { useLatest, useLayoutEffect } from "../../hooks/effects.js";
import type { TrayLabels } from "../../labels/types.js";
import { useLabels } from "../../labels/useLabels.js";
import { Markdown } from "../../markdown/index.js";
import { MarksContext } from "../../markdown/marks.js";
import { useSecondsLeft } from "../../ui/clocks.js";
import { AlertIcon, StopIcon } from "../../ui/icons.js";
import { MessageAttachments } from "../attachments/MessageAttachments.js";
import { PayloadCard } from "../cards/PayloadCard.js";
import { ToolCall } from "../tools/ToolCall.js";
import { ToolGroup } from "../tools/ToolGroup.js";
import { ReadOnlyContext } from "../transcript/readOnly.js";
import { ActionView } from "./ActionView.js";
import { AnswerActions, AnswerVersions, AskedAt, ContinueButton } from "./AnswerActions.js";
import { cutAtMarks, type Source } from "./answerSources.js";
import { Lane } from "./Lane.js";
import { QuestionActions, QuestionEditor, QuestionVersions } from "./QuestionActions.js";
import { Reasoning } from "./Reasoning.js";
import { SourceList, SourceMark } from "./Sources.js";
import { answerOf, grouped, isWaiting, type ItemViewProps, type Turn, type TurnItem } from "./turns.js";
import { useGrowingText } from "./settled.js";
import { useReveal } from "./useReveal.js";
import { AnswerMark, UserMessage } from "./UserMessage.js";

/** The props of `<TurnView>`. */
export interface TurnViewProps {
  /** The question, and what answers it. */
  turn: Turn;
  /** Is this the turn being answered? */
  busy: boolean;
  /** Is it the last turn? */
  last: boolean;
  /** Is it the one before the last? */
  near?: boolean;
  /** What stands below the last turn and changes how it ends. */
  below?: "interrupts" | "error";
  /** Was it here before anything answered it? */
  fresh?: boolean;
  /** The message that is being streamed. */
  streamingId?: string;
  /** The server tries the model again. */
  retrying?: ThreadSnapshot["retrying"];
  /** Names of tools on screen, by tool name. */
  toolLabels?: Readonly<Record<string, string>>;
}

/** A question and its answer. It renders again only when something in it changed. */
export const TurnView = memo(function TurnView(props: TurnViewProps) {
  const { turn, busy, last, near, below, fresh = false, streamingId, retrying, toolLabels } = props;
  // Calls that were seen one by one stay so until the next question, so that nothing moves when an
  // answer is complete.
  const [live, setLive] = useState(busy);
  if (busy && !live) setLive(true);
  const isNew = useIsNew(turn, busy, fresh);
  const [revealing, setRevealing] = useState(0);
  // What stands below an answer comes after its last word, which may not be shown yet.
  const going = busy || revealing > 0;
  const items = busy || (live && last) ? turn.items : grouped(turn.items);
  const waiting = busy && isWaiting(turn, streamingId);
  const answered = turn.items.length > 0 || waiting || turn.stopped || turn.failed;
  return (
    <div
      className="ps-turn"
      data-turn={turn.id}
      data-last={last || undefined}
      data-near={near || undefined}
      data-below={below}
      data-answered={answered || undefined}
    >
      {turn.question !== undefined && <Question turn={turn} busy={busy} />}
      {answered && (
        <div className="ps-answer">
          <AnswerMark />
          <div className="ps-answer-body ps-stack ps-grow">
            <RevealContext.Provider value={setRevealing}>
              <Marked sources={turn.sources}>
                {items.map((item) => (
                  <ItemView
                    key={item.id}
                    item={item}
                    streaming={(busy && (item.kind === "lane" || item.id === streamingId) && streamingId) || undefined}
                    toolLabels={toolLabels}
                    isNew={isNew}
                  />
                ))}
              </Marked>
            </RevealContext.Provider>
            {waiting && <Thinking retrying={retrying} />}
            {!going && turn.sources.length > 0 && <SourceList sources={turn.sources} />}
            <AnswerFooter turn={turn} busy={going} last={last} />
          </div>
        </div>
      )}
    </div>
  );
});

/** Changes how many texts of the answer still appear word by word. */
const RevealContext = createContext<Dispatch<SetStateAction<number>>>(() => {});

/** Turns the marks of sources in the texts inside into links. */
function Marked({ sources, children }: { sources: readonly Source[]; children: ReactNode }) {
  const mark = useCallback(
    (text: string) =>
      cutAtMarks(text, sources).map((part, at) =>
        typeof part === "string" ? part : <SourceMark key={at} source={part} />,
      ),
    [sources],
  );
  return <MarksContext.Provider value={sources.length > 0 ? mark : undefined}>{children}</MarksContext.Provider>;
}

/**
 * Reports whether a message arrives while the reader watches, as opposed to being there when the
 * turn was drawn.
 */
function useIsNew({ items }: Turn, busy: boolean, fresh: boolean): (id: string) => boolean {
  const [old] = useState(() => {
    const all = fresh ? [] : items.flatMap((item) => (item.kind === "lane" ? item.items : item));
    return new Set(all.map(idOf));
  });
  // A whole answer may arrive together with its end.
  const before = useLatest(busy);
  return (id) => (fresh || busy || before.current) && !old.has(id);
}

const idOf = ({ id }: TurnItem) => id;

function ItemView({ item, streaming, toolLabels, isNew }: ItemViewProps) {
  switch (item.kind) {
    case "text":
      return <Answer id={item.id} text={item.text} streaming={streaming === item.id} isNew={isNew?.(item.id)} />;
    case "reasoning":
      return <Reasoning id={item.id} text={item.text} streaming={streaming === item.id} />;
    case "tool":
      return <ToolCall call={item.call} label={toolLabels?.[item.call.name]} />;
    case "payload":
      return <PayloadCard payload={item.payload} />;
    case "action":
      return <ActionView action={item.action} id={item.id} />;
    case "calls":
      return <ToolGroup calls={item.calls} toolLabels={toolLabels} />;
    case "lane":
      return (
        <Lane
          Item={ItemView}
          items={item.items}
          id={item.id}
          streaming={streaming}
          toolLabels={toolLabels}
          isNew={isNew}
        />
      );
  }
}

interface AnswerProps {
  id: string;
  text: string;
  streaming: boolean;
  isNew?: boolean;
}

/** A text. Its last words still appear one by one after the answer is complete. */
function Answer({ id, text: settled, streaming, isNew }: AnswerProps) {
  const text = useGrowingText(id, settled, streaming);
  const shown = useReveal(text, streaming, isNew);
  const isRevealing = shown.length < text.length;
  const setRevealing = useContext(RevealContext);
  useLayoutEffect(() => {
    if (!isRevealing) return;
    setRevealing((texts) => texts + 1);
    return () => setRevealing((texts) => texts - 1);
  }, [isRevealing, setRevealing]);
  return <Markdown source={shown} streaming={streaming || isRevealing} />;
}

/** What the user asked. It can be edited while nothing runs. */
function Question({ turn, busy }: { turn: Turn; busy: boolean }) {
  const [editing, setEditing] = useState<boolean>();
  const readOnly = useContext(ReadOnlyContext);
  const text = turn.question ?? "";
  if (editing) return <QuestionEditor messageId={turn.id} text={text} onLeave={() => setEditing(false)} />;
  return (
    <div>
      {turn.files && <MessageAttachments message={turn.files} />}
      <div className="ps-question">
        {(text || !turn.files) && <UserMessage text={text} />}
        {!busy && !readOnly && <QuestionActions back={editing === false} onEdit={() => setEditing(true)} />}
      </div>
      {!busy && <QuestionVersions messageId={turn.id} />}
    </div>
  );
}

/** How long a model may be silent before the user is told that it has not stopped. */
const STILL_AFTER = 20_000;

/** Stands while nothing arrives: each time that something does, the silence begins anew. */
function Thinking({ retrying }: Pick<TurnViewProps, "retrying">) {
  const labels = useLabels();
  const left = useSecondsLeft(retrying);
  const [still, setStill] = useState(false);
  useEffect(() => {
    const timer = setTimeout(setStill, STILL_AFTER, true);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p className="ps-muted">
      <span className="ps-shimmer">{retrying ? labels.retrying(left) : labels.thinking(still)}</span>
    </p>
  );
}

/** How an answer ended, if the model did not end it. */
function markOf({ stopped, failed, failure, cut }: Turn, labels: TrayLabels): string {
  if (stopped) return labels.cut("stopped");
  if (failed) return (failure && labels.errorSentence(failure)) || labels.cut("unfinished");
  return cut ? labels.cut(cut) : "";
}

/** Always takes its space, so that nothing moves when an answer is complete. */
function AnswerFooter({ turn, busy, last }: Pick<TurnViewProps, "turn" | "busy" | "last">) {
  const labels = useLabels();
  const readOnly = useContext(ReadOnlyContext);
  const canContinue = last && !busy && !readOnly && !turn.stopped && !turn.failed;
  const answer = busy ? "" : answerOf(turn);
  const answerId = busy ? undefined : turn.items.findLast(({ kind }) => kind === "text")?.id;
  const mark = busy ? "" : markOf(turn, labels);
  return (
    <div className="ps-actions">
      {mark && (
        <span className="ps-stopped ps-row ps-tight ps-text-sm ps-muted">
          {turn.stopped ? <StopIcon /> : <AlertIcon />}
          {mark}
        </span>
      )}
      {!busy && turn.question !== undefined && <AnswerVersions messageId={turn.id} />}
      {answerId && <AnswerActions messageId={answerId} text={answer} />}
      {!busy && <AskedAt messageId={turn.id} />}
      {canContinue && turn.cutId && <ContinueButton messageId={turn.cutId} />}
    </div>
  );
}
