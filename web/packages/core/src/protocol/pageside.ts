/**
 * What Pageside writes where AG-UI leaves room: `metadata.pageside` of messages, events and
 * interrupts (`Metadata`), and activity messages of a type of its own (`Note`). The server's side of
 * this file is `agui/pageside.go`.
 */
import type { Json } from "../types.js";

/** Anything that may carry metadata: a message, an event, an interrupt. */
export interface WithMetadata {
  metadata?: Record<string, unknown> | null;
}

/** What became of a payload card: the user has not decided, or has accepted or dismissed it. */
export type PayloadStatus = "open" | "accepted" | "dismissed";

/** A button under an answer. `handler` says where it runs. */
export interface SuggestedAction {
  label: string;
  action: string;
  handler?: "client" | "server";
  args?: Json;
}

/** A chip under an answer: clicking it sends `value`. */
export interface SuggestedValue {
  label: string;
  value: string;
}

/** What Pageside says about a message, in `metadata.pageside`. */
export interface MessageDetails {
  /** Of a payload card: whether a tool or the model's text brought it. */
  source?: "tool" | "llm";
  /** Of a payload card: the call that returned it, or that the model wrote it with. */
  toolCallId?: string;
  /**
   * Of a payload card: what the user made of it. Of an answer: that it ended early. `stopped` by
   * the user, `failed` by an error, `cut` by the provider.
   */
  status?: PayloadStatus | "stopped" | "failed" | "cut";
  /** What cut an answer, or the card it ends with: the model's limit, or the provider's filter. */
  reason?: "length" | "filter";
  /**
   * The code of the error that ended an answer with `status: "failed"`, where nothing else tells.
   */
  code?: string;
  suggestedValues?: SuggestedValue[];
  suggestedActions?: SuggestedAction[];
  /** Of a user message: it is not shown. */
  hidden?: boolean;
}

/**
 * All that Pageside says in `metadata.pageside`. No message, event or interrupt has more than a few
 * of its members.
 */
export interface Metadata extends MessageDetails {
  /** Of a payload card: its content is not complete. */
  streaming?: boolean;
  /** Of an interrupt: the tool that wants to run. */
  tool?: string;
  /** Of an approval: the effect class of the tool. */
  effect?: string;
  /** Of an interrupt: what the call would do, in words. */
  summary?: string;
  /**
   * Of an interrupt: the arguments that run when it is approved. Of a tool result: those that ran,
   * where they are not the model's.
   */
  args?: Json;
  /** Of an approval: what the answer `always` would allow. */
  allowance?: AllowanceOffer;
  /** Of a run's terminal event: what the run cost, in US dollars. */
  cost?: number;
  /** Of the RUN_FINISHED of a thread's snapshot: how its last run ended, where that was not well. */
  lastRun?: LastRun;
  /** Of a message that the user has rated. */
  feedback?: Feedback;
}

/** What an answer of `always` to an approval would allow. */
export interface AllowanceOffer {
  scope: "thread";
  /** In seconds. */
  maxAge: number;
}

/** How the last run of a thread ended, where that was not well. */
export interface LastRun {
  status: "failed" | "cancelled";
  /** The code of its RUN_ERROR. */
  code?: string;
}

/** What the user thinks of a message. */
export interface Feedback {
  rating: 1 | -1;
}

const NOTHING: Metadata = {};

/**
 * What Pageside says about a message, an event or an interrupt; an empty object where it says
 * nothing. The server is trusted with the types of the members: check what a wrong one would break.
 */
export function readMetadata(of: WithMetadata | undefined): Metadata {
  const own = of?.metadata?.pageside;
  return typeof own === "object" && own !== null ? own : NOTHING;
}

/** The metadata object that says this. */
export function writeMetadata(own: Metadata): Record<string, unknown> {
  return { pageside: own };
}

/** The message with another status. Whatever else its metadata say stays. */
export function withStatus<M extends WithMetadata>(message: M, status: PayloadStatus): M {
  return { ...message, metadata: { ...message.metadata, ...writeMetadata({ ...readMetadata(message), status }) } };
}

/** The activity type of notes. */
export const NOTE_TYPE = "pageside_note";

/**
 * A line that the server writes into a thread for the model, so that what happened beside the
 * conversation keeps its place in it. The content of an activity message that is never shown.
 */
export interface Note {
  kind: "page" | "payload" | "context" | "summary" | "cleared";
  /** Of kind `page` and `payload` a line, of kind `summary` the summary. */
  text?: string;
  /** Of kind `page`: the path of the place. */
  page?: string;
  /** Of kind `page`: what the place is about. */
  scope?: Record<string, string>;
  /** Of kind `payload`: the card. */
  messageId?: string;
  /** Of kind `payload`: what became of it. */
  status?: string;
  /** Of kind `context`: the block that stands here in the prompt. */
  id?: string;
  /** Of kind `context`: keys of what the page shows. */
  items?: string[];
  /** Of kind `summary`: the message before which the text tells all. */
  before?: string;
  /** Of kind `cleared`: the last call whose result is left out. */
  through?: string;
}

/** Reports whether a message is a note, or an event is about one. */
export function isNote<T extends object>(of: T): of is T & { activityType: typeof NOTE_TYPE; content?: Note } {
  return (of as { activityType?: unknown }).activityType === NOTE_TYPE;
}
