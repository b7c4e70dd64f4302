import { useContext, useEffect, useRef, useState, type KeyboardEvent } from "react";
import { useAssistantContext } from "../context.js";
import { useAssistantSnapshot } from "../hooks/use-assistant.js";
import { ChevronIcon, PencilIcon, RetryIcon, ThumbDownIcon, ThumbUpIcon } from "./icons.js";
import { errorText } from "./format.js";
import { useLabels } from "./labels.js";
import { HoldContext } from "./useFollow.js";

/** Under a question: change it, and go through the ways the conversation went on from it. */
export function QuestionActions({ messageId, onEdit }: { messageId: string; onEdit: () => void }) {
  const labels = useLabels();
  return (
    <div className="ps-actions ps-question-actions">
      <BranchPicker messageId={messageId} />
      <button
        type="button"
        className="ps-icon-button ps-small"
        aria-label={labels.editMessage}
        title={labels.editMessage}
        onClick={onEdit}
      >
        <PencilIcon />
      </button>
    </div>
  );
}

function BranchPicker({ messageId }: { messageId: string }) {
  const { client } = useAssistantContext("BranchPicker");
  const labels = useLabels();
  const branches = useAssistantSnapshot((thread) => thread.branches?.[messageId]);
  const at = branches?.findIndex(({ current }) => current) ?? -1;
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
        onClick={() => to && void client.switchTo(to.runId)}
      >
        <ChevronIcon />
      </button>
    );
  };
  return (
    <span className="ps-branches" role="group" aria-label={labels.branches}>
      {step(-1, labels.previousBranch)}
      <span className="ps-small-text">{labels.branchOf(at + 1, branches.length)}</span>
      {step(1, labels.nextBranch)}
    </span>
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

/** Under an answer: whether it was good, and another one. */
export function AnswerActions({ messageId }: { messageId: string }) {
  const { client } = useAssistantContext("AnswerActions");
  const labels = useLabels();
  const hold = useContext(HoldContext);
  const [rating, setRating] = useState<-1 | 0 | 1>(0);
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
