import type { PagesideClient } from "@pageside/core";
import { useContext, useEffect, useRef, useState, type KeyboardEvent } from "react";
import { useAssistantContext } from "../../context.js";
import { useAssistantSnapshot } from "../../hooks/useAssistant.js";
import { CopyButton } from "../../ui/CopyButton.js";
import { AlertIcon, ChevronIcon, PencilIcon, RetryIcon, ThumbDownIcon, ThumbUpIcon } from "../../ui/icons.js";
import { errorText } from "../../ui/format.js";
import { useLabels } from "../../labels/useLabels.js";
import { useMessageLabels } from "../../labels/messages.js";
import { HoldContext } from "../transcript/useFollow.js";

interface QuestionActionsProps {
  messageId: string;
  /** The user comes back from editing it: the focus goes to where they began. */
  back: boolean;
  onEdit: () => void;
}

/** Under a question: change it, and go through the ways the conversation went on from it. */
export function QuestionActions({ messageId, back, onEdit }: QuestionActionsProps) {
  const labels = useLabels();
  const edit = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (back) edit.current?.focus({ preventScroll: true });
  }, [back]);
  return (
    <>
      <BranchPicker messageId={messageId} />
      <button
        ref={edit}
        type="button"
        className="ps-icon-button ps-small"
        aria-label={labels.editMessage}
        title={labels.editMessage}
        onClick={onEdit}
      >
        <PencilIcon />
      </button>
    </>
  );
}

/**
 * The step to another branch that was just taken: the picker that comes in its place gets the
 * focus.
 */
let taken: { runId: string; by: -1 | 1 } | undefined;

function BranchPicker({ messageId }: { messageId: string }) {
  const { client } = useAssistantContext("BranchPicker");
  const labels = useLabels();
  const picker = useRef<HTMLSpanElement>(null);
  const branches = useAssistantSnapshot((thread) => thread.branches?.[messageId]);
  const at = branches?.findIndex(({ current }) => current) ?? -1;
  const current = branches?.[at]?.runId;
  useEffect(() => {
    if (!taken || taken.runId !== current) return;
    picker.current?.querySelectorAll("button")[taken.by < 0 ? 0 : 1]?.focus({ preventScroll: true });
    taken = undefined;
  }, [current]);
  if (!branches || branches.length < 2 || at < 0) return null;
  const step = (by: -1 | 1, name: string) => {
    const to = branches[at + by];
    return (
      <button
        type="button"
        className="ps-icon-button ps-small"
        data-back={by < 0 || undefined}
        aria-label={name}
        title={name}
        aria-disabled={!to || undefined}
        onClick={() => {
          if (!to) return;
          taken = { runId: to.runId, by };
          void client.switchTo(to.runId);
        }}
      >
        <ChevronIcon />
      </button>
    );
  };
  return (
    <span ref={picker} className="ps-branches" role="group" aria-label={labels.branches}>
      {step(-1, labels.previousBranch)}
      <span className="ps-small-text">{labels.branchOf(at + 1, branches.length)}</span>
      {step(1, labels.nextBranch)}
    </span>
  );
}

/** Under a question that did not reach the server. */
export function Unsent() {
  const { client } = useAssistantContext("Unsent");
  const labels = useMessageLabels();
  return (
    <p className="ps-unsent">
      <AlertIcon />
      {labels.messageNotSent}
      <button type="button" className="ps-button ps-ghost" onClick={() => void client.retry()}>
        {labels.retry}
      </button>
    </p>
  );
}

/** Writes a question anew, in its place. */
export function QuestionEditor({ messageId, text, onLeave }: { messageId: string; text: string; onLeave: () => void }) {
  const { client } = useAssistantContext("QuestionEditor");
  const labels = useLabels();
  const area = useRef<HTMLTextAreaElement>(null);
  const [draft, setDraft] = useState(text);
  useEffect(() => {
    area.current?.focus();
    area.current?.setSelectionRange(text.length, text.length);
  }, [text]);

  const send = () => {
    if (!draft.trim()) return;
    // The editor goes, and its message with it: the focus stays in the conversation.
    area.current?.closest<HTMLElement>("[role=log]")?.focus({ preventScroll: true });
    onLeave();
    void client.edit(messageId, draft.trim());
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (event.key !== "Escape" && (event.key !== "Enter" || event.shiftKey)) return;
    event.preventDefault();
    if (event.key === "Enter") send();
    else onLeave();
  };
  return (
    <div className="ps-question-editor">
      <textarea
        ref={area}
        className="ps-text-field"
        aria-label={labels.editMessage}
        dir="auto"
        rows={Math.min(8, Math.max(2, Math.ceil(draft.length / 40)))}
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="ps-card-footer">
        <button type="button" className="ps-button ps-ghost" onClick={onLeave}>
          {labels.cancel}
        </button>
        <button
          type="button"
          className="ps-button ps-primary"
          aria-disabled={!draft.trim() || undefined}
          onClick={send}
        >
          {labels.send}
        </button>
      </div>
    </div>
  );
}

/** What the user thought of answers, for when their buttons are drawn anew. */
const ratings = new WeakMap<PagesideClient, Map<string, -1 | 0 | 1>>();

function ratingsOf(client: PagesideClient): Map<string, -1 | 0 | 1> {
  let known = ratings.get(client);
  if (!known) ratings.set(client, (known = new Map()));
  return known;
}

/** What the server says of a message: `metadata.pageside.feedback`. */
function useToldRating(messageId: string): -1 | 0 | 1 {
  return useAssistantSnapshot(({ messages }) => {
    const { metadata } = messages.findLast(({ id }) => id === messageId) ?? {};
    const told = (metadata as { pageside?: { feedback?: { rating?: unknown } } } | undefined)?.pageside?.feedback
      ?.rating;
    return told === 1 || told === -1 ? told : 0;
  });
}

/** Under an answer: take it along, say whether it was good, ask for another one. */
export function AnswerActions({ messageId, text }: { messageId: string; text: string }) {
  const { client } = useAssistantContext("AnswerActions");
  const labels = useLabels();
  const hold = useContext(HoldContext);
  const known = ratingsOf(client);
  const told = useToldRating(messageId);
  const [chosen, setChosen] = useState(() => known.get(messageId));
  const rating = chosen ?? told;
  const setRating = (next: -1 | 0 | 1) => {
    known.set(messageId, next);
    setChosen(next);
  };
  const [comment, setComment] = useState<string>();
  const [problem, setProblem] = useState<string>();

  const rate = async (next: -1 | 0 | 1, text?: string) => {
    hold();
    const before = rating;
    setRating(next);
    setProblem(undefined);
    setComment(next === -1 && text === undefined ? "" : undefined);
    try {
      await client.sendFeedback(messageId, { rating: next, ...(text && { comment: text }) });
    } catch (cause) {
      setRating(before);
      setProblem(errorText(cause, labels));
    }
  };
  const thumb = (value: -1 | 1, name: string) => (
    <button
      type="button"
      className="ps-icon-button ps-small"
      aria-label={name}
      title={name}
      aria-pressed={rating === value}
      onClick={() => void rate(rating === value ? 0 : value)}
    >
      {value > 0 ? <ThumbUpIcon /> : <ThumbDownIcon />}
    </button>
  );
  return (
    <>
      {text && <CopyButton text={text} label={labels.copyMessage} />}
      {thumb(1, labels.goodAnswer)}
      {thumb(-1, labels.badAnswer)}
      <button
        type="button"
        className="ps-icon-button ps-small"
        aria-label={labels.regenerate}
        title={labels.regenerate}
        onClick={() => void client.regenerate(messageId)}
      >
        <RetryIcon />
      </button>
      {comment !== undefined && (
        <form
          className="ps-feedback"
          onSubmit={(event) => {
            event.preventDefault();
            void rate(-1, comment.trim());
          }}
        >
          <input
            className="ps-text-field"
            aria-label={labels.feedbackComment}
            placeholder={labels.feedbackComment}
            dir="auto"
            value={comment}
            onChange={(event) => setComment(event.target.value)}
          />
          <button type="submit" className="ps-button">
            {labels.sendFeedback}
          </button>
        </form>
      )}
      {problem && (
        <p className="ps-card-error" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}
