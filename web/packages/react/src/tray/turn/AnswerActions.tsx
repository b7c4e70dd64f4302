import { readMetadata, type AnswerFeedback, type FeedbackReason, type PagesideClient } from "@pageside/core";
import { useContext, useState } from "react";
import { useAssistantContext } from "../../context.js";
import { useAssistantSnapshot } from "../../hooks/useAssistant.js";
import { useMessageLabels } from "../../labels/messages.js";
import { useLabels } from "../../labels/useLabels.js";
import { Button, IconButton } from "../../ui/Button.js";
import { CopyButton } from "../../ui/CopyButton.js";
import { errorText } from "../../ui/errors.js";
import { RetryIcon, ThumbDownIcon, ThumbUpIcon } from "../../ui/icons.js";
import { InspectIcon } from "../../ui/partIcons.js";
import { ReadOnlyContext } from "../transcript/readOnly.js";
import { HoldContext } from "../transcript/useFollow.js";
import { BranchPicker } from "./BranchPicker.js";

/** What the user thinks of an answer; 0 for nothing. */
type Rating = -1 | 0 | 1;

const REASONS: readonly FeedbackReason[] = ["incorrect", "incomplete", "irrelevant", "too_long", "unsafe"];

const RATINGS = Symbol("ratings of answers");

/** What the user thought of answers, by message, for when their buttons are drawn anew. */
const ratingsOf = (client: PagesideClient) => client.extension(RATINGS, () => new Map<string, Rating>());

interface AnswerActionsProps {
  messageId: string;
  /** The answer, as it is copied. */
  text: string;
}

/** Under an answer: copy it, rate it, ask for another one. */
export function AnswerActions({ messageId, text }: AnswerActionsProps) {
  const labels = useLabels();
  const readOnly = useContext(ReadOnlyContext);
  return (
    <>
      {text && <CopyButton text={text} label={labels.copyMessage} />}
      {!readOnly && <Judgement messageId={messageId} />}
    </>
  );
}

function Judgement({ messageId }: { messageId: string }) {
  const { client } = useAssistantContext("AnswerActions");
  const labels = useLabels();
  const { rating, rate, problem, ...wrong } = useRating(messageId);
  return (
    <>
      {!client.identity.direct && (
        <>
          <Thumb value={1} name={labels.rating(1)} rating={rating} onRate={rate} />
          <Thumb value={-1} name={labels.rating(-1)} rating={rating} onRate={rate} />
        </>
      )}
      <IconButton isSmall label={labels.regenerate} onClick={() => void client.regenerate(messageId)}>
        <RetryIcon />
      </IconButton>
      <InspectorLink messageId={messageId} />
      {wrong.comment !== undefined && <ReasonForm {...wrong} comment={wrong.comment} />}
      {problem && (
        <p className="ps-card-error" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}

/** Leads to the run behind an answer, for users who may see the server's inspector. */
function InspectorLink({ messageId }: { messageId: string }) {
  const { client } = useAssistantContext("InspectorLink");
  const labels = useMessageLabels();
  const isOffered = useAssistantSnapshot(({ rights }) => rights?.includes("inspector") === true);
  if (!isOffered) return null;
  // The address is read late: the thread and the page may change while the link is there.
  const address = () => {
    const query = { thread: client.getSnapshot().threadId, message: messageId, from: location.href };
    return `${client.identity.url.replace(/\/+$/, "")}/inspector#${new URLSearchParams(query).toString()}`;
  };
  return (
    <a
      className="ps-icon-button ps-small"
      href={address()}
      target="_blank"
      rel="noopener"
      aria-label={labels.openInInspector}
      title={labels.openInInspector}
      onClick={({ currentTarget }) => (currentTarget.href = address())}
    >
      <InspectIcon />
    </a>
  );
}

/** Under an answer that was asked for again: the versions of it. */
export const AnswerVersions = ({ messageId }: { messageId: string }) => (
  <BranchPicker messageId={messageId} of="answer" />
);

/** Reads "11:45 PM" in a page that goes from right to left, too. */
const PLAIN = { unicodeBidi: "plaintext" } as const;

/** When the question was asked: the time, with the date as a tooltip. */
export function AskedAt({ messageId }: { messageId: string }) {
  const labels = useMessageLabels();
  const asked = useAssistantSnapshot((thread) => thread.askedAt?.[messageId]);
  if (!asked) return null;
  const { time, long } = labels.askedAt(new Date(asked));
  return (
    <time className="ps-asked-at ps-text-xs ps-muted" dateTime={asked} title={long} style={PLAIN}>
      {time}
    </time>
  );
}

/** Goes on with an answer that was cut off. The button goes away, so the message box is next. */
export function ContinueButton({ messageId }: { messageId: string }) {
  const { client } = useAssistantContext("ContinueButton");
  const labels = useLabels();
  return (
    <Button
      className="ps-continue"
      onClick={({ currentTarget }) => {
        void client.continueAnswer(messageId);
        currentTarget.closest(".ps-root")?.querySelector<HTMLElement>(".ps-input")?.focus({ preventScroll: true });
      }}
    >
      {labels.continueAnswer}
    </Button>
  );
}

/** The rating of an answer, and sending it. A bad one is sent again with the user's reasons. */
function useRating(messageId: string) {
  const { client } = useAssistantContext("AnswerActions");
  const labels = useLabels();
  const hold = useContext(HoldContext);
  const known = ratingsOf(client);
  const told = useToldRating(messageId);
  const [chosen, setChosen] = useState(() => known.get(messageId));
  const [comment, setComment] = useState<string>();
  const [reason, setReason] = useState<FeedbackReason>();
  const [problem, setProblem] = useState<string>();
  const rating = chosen ?? told;

  const setRating = (next: Rating) => {
    known.set(messageId, next);
    setChosen(next);
  };
  const send = async (feedback: AnswerFeedback) => {
    hold();
    setRating(feedback.rating);
    setProblem(undefined);
    try {
      await client.sendFeedback(messageId, feedback);
    } catch (cause) {
      setRating(rating);
      setProblem(errorText(cause, labels));
    }
  };
  const rate = (next: Rating) => {
    setReason(undefined);
    setComment(next === -1 ? "" : undefined);
    return send({ rating: next });
  };
  const choose = (chosen: FeedbackReason | undefined) => {
    setReason(chosen);
    void send(badFor(chosen, comment));
  };
  const finish = () => {
    setComment(undefined);
    void send(badFor(reason, comment));
  };
  return { rating, rate, problem, reason, choose, comment, setComment, finish };
}

const badFor = (reason: FeedbackReason | undefined, comment = ""): AnswerFeedback => ({
  rating: -1,
  ...(reason && { reason }),
  ...(comment.trim() && { comment: comment.trim() }),
});

/** The rating that the server has. */
function useToldRating(messageId: string): Rating {
  return useAssistantSnapshot(({ messages }) => {
    const { feedback } = readMetadata(messages.findLast(({ id }) => id === messageId));
    return feedback?.rating === 1 || feedback?.rating === -1 ? feedback.rating : 0;
  });
}

interface ThumbProps {
  value: -1 | 1;
  name: string;
  rating: Rating;
  onRate: (rating: Rating) => Promise<void>;
}

/** Up or down. Pressed again, it takes the rating back. */
function Thumb({ value, name, rating, onRate }: ThumbProps) {
  return (
    <IconButton
      isSmall
      label={name}
      aria-pressed={rating === value}
      onClick={() => void onRate(rating === value ? 0 : value)}
    >
      {value > 0 ? <ThumbUpIcon /> : <ThumbDownIcon />}
    </IconButton>
  );
}

interface ReasonFormProps {
  reason: FeedbackReason | undefined;
  choose: (reason: FeedbackReason | undefined) => void;
  comment: string;
  setComment: (comment: string) => void;
  finish: () => void;
}

const WRAP = { flexWrap: "wrap" } as const;

/** What was wrong with a bad answer. A reason is sent at once, and again with the comment. */
function ReasonForm({ reason, choose, comment, setComment, finish }: ReasonFormProps) {
  const labels = useMessageLabels();
  return (
    <>
      <div className="ps-feedback ps-row" style={WRAP} role="group" aria-label={labels.feedbackComment}>
        {REASONS.map((each) => (
          <button
            key={each}
            type="button"
            className="ps-chip"
            aria-pressed={each === reason}
            onClick={() => choose(each === reason ? undefined : each)}
          >
            {labels.feedbackReason(each)}
          </button>
        ))}
      </div>
      <form
        className="ps-feedback ps-row"
        onSubmit={(event) => {
          event.preventDefault();
          finish();
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
        <Button type="submit">{labels.sendFeedback}</Button>
      </form>
    </>
  );
}
