/**
 * Pageside's extensions of AG-UI: `metadata.pageside` of messages, events and interrupts
 * (`Metadata`), and an activity type of its own (`Note`). In Go: `agui/pageside.go`.
 */
import { membersOf } from "../base/values.js";
import type { Json } from "./types.js";

/** Anything that may carry metadata: a message, an event, an interrupt. */
export interface WithMetadata {
  metadata?: Record<string, unknown> | null;
}

/** What became of a payload: still open, or accepted or dismissed by the user. */
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
  /** Of a payload: whether a tool returned it or the model wrote it. */
  source?: "tool" | "llm";
  /** Of a payload: the call that returned it, or that the model wrote it with. */
  toolCallId?: string;
  /**
   * Of a payload: what became of it. Of an answer: why it ended early: `stopped` by the user,
   * `failed` by an error, `cut` by a limit or a filter.
   */
  status?: PayloadStatus | "stopped" | "failed" | "cut";
  /**
   * What cut off an answer, on its text or on the payload it ends with: the model's limit on its
   * length, the provider's filter, or the run's limit on steps. See `cutBy`.
   */
  reason?: "length" | "filter" | "steps";
  /** Of an answer with `status: "failed"`: the code of the error, if nothing else says it. */
  code?: string;
  suggestedValues?: SuggestedValue[];
  suggestedActions?: SuggestedAction[];
  /** The suggestions are the page's own, because the model made none. */
  static?: boolean;
  /** Of a user message: it is not shown. */
  hidden?: boolean;
  /**
   * Of a user message: the user clicked a suggested value. A model chose the words, so they may
   * come from what the model has read.
   */
  suggested?: boolean;
}

/** All members of `metadata.pageside`. A message, event or interrupt has only a few of them. */
export interface Metadata extends MessageDetails {
  /** Of a payload: its content is not complete. */
  streaming?: boolean;
  /** Of a payload: its place does not offer the type, so it cannot be accepted or dismissed. */
  readOnly?: boolean;
  /** Of an interrupt: the tool that wants to run. */
  tool?: string;
  /** Of an approval, or of a tool that the page offers: the effect class of the tool. */
  effect?: string;
  /** Of a tool that the page offers: its description is not the application developer's. */
  foreign?: boolean;
  /**
   * Of a call of a tool of the page: the user has approved it, on the server's question, or allows
   * such calls. Only the server writes that.
   */
  approved?: boolean;
  /** Of an interrupt: the agent whose own question it is. The server asks all others. */
  agent?: string;
  /** Of an interrupt: what the call would do, in words. */
  summary?: string;
  /**
   * Of an interrupt: the arguments that run when it is approved. Of a tool result: those that ran,
   * if they differ from the model's. Of an approved call of the page: those of the model, if they
   * were changed.
   */
  args?: Json;
  /** Of an approval: what the answer `always` would allow. */
  allowance?: AllowanceOffer;
  /** Of a run's terminal event: what the run cost, in US dollars. */
  cost?: number;
  /** Of the RUN_FINISHED of a thread's snapshot: how its last run ended, if it failed. */
  lastRun?: LastRun;
  /** Of a MESSAGES_SNAPSHOT that leaves older messages out: the id of its first one. */
  before?: string;
  /** Of a message that the user has rated. */
  feedback?: Feedback;
}

/** What an answer of `always` to an approval would allow. */
export interface AllowanceOffer {
  scope: "thread";
  /** In seconds. */
  maxAge: number;
  /** How long it may hold in all of the user's threads instead, in seconds. */
  userMaxAges?: number[];
  /** The arguments that may be left open: calls with any value there then run too. */
  openArgs?: string[];
}

/** How the last run of a thread ended, if it failed. */
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
 * The Pageside metadata of a message, an event or an interrupt; an empty object if there is none.
 * Member types are not checked: check those that could do harm.
 */
export function readMetadata(of: WithMetadata | undefined): Metadata {
  const own = of?.metadata?.pageside;
  return typeof own === "object" && own !== null ? own : NOTHING;
}

/** What cut off the answer that ends with a message; undefined if nothing did. */
export function cutBy(message: WithMetadata & { role: string }): MessageDetails["reason"] {
  const { status, reason, source } = readMetadata(message);
  return (message.role === "activity" ? source === "llm" : status === "cut") ? reason : undefined;
}

/** The metadata object with these members. */
export function writeMetadata(own: Metadata): Record<string, unknown> {
  return { pageside: own };
}

/** The message with another status. The rest of its metadata stays. */
export function withStatus<M extends WithMetadata>(message: M, status: PayloadStatus): M {
  return { ...message, metadata: { ...message.metadata, ...writeMetadata({ ...readMetadata(message), status }) } };
}

/**
 * The activity type of data that the model wrote after a marker of no known payload type. The
 * content is a `Block`.
 */
export const BLOCK_TYPE = "pageside_block";

/** Data under a label. */
export interface Block {
  name?: string;
  data?: Json;
}

/** The activity type of notes. */
export const NOTE_TYPE = "pageside_note";

/**
 * A line in the thread for the model alone: it records what happened outside the conversation, at
 * the point where it happened. It is the content of an activity message that is never shown.
 */
export interface Note {
  kind: "page" | "payload" | "context" | "summary" | "cleared" | "call";
  /** Of kind `page` and `payload` a line, of kind `summary` the summary. */
  text?: string;
  /** Of kind `page`: the path of the place. */
  page?: string;
  /** Of kind `page`: what the place is about. */
  scope?: Record<string, string>;
  /** Of kind `payload`: the payload's message. */
  messageId?: string;
  /** Of kind `payload`: what became of it. */
  status?: string;
  /** Of kind `context`: the block that stands here in the prompt. */
  id?: string;
  /** Of kind `context`: keys of the context items that it holds. */
  items?: string[];
  /** Of kind `summary`: the message up to which the text covers the thread, exclusive. */
  before?: string;
  /** Of kind `cleared`: the last call whose result is left out. */
  through?: string;
  /** Of kind `call`: a call that the page has not been given. */
  call?: { id: string; name: string; arguments: string; encryptedValue?: string; messageId: string };
}

/** Reports whether a message is a note, or an event is about one. */
export function isNote<T extends object>(of: T): of is T & { activityType: typeof NOTE_TYPE; content?: Note } {
  return membersOf(of)["activityType"] === NOTE_TYPE;
}

/** The activity type of actions that the server carries out. */
export const ACTION_TYPE = "pageside_action";

/** A suggested action that the server carries out or has carried out, as the thread shows it. */
export interface ServerAction {
  action: string;
  /** Of the button that the user clicked. */
  label?: string;
  args?: Json;
  status: "executing" | "complete" | "failed";
  /** What its tool said, or why it failed. */
  text?: string;
  /** The last report of one that is executing. `progress` is 0 to 1. */
  progress?: { stage?: string; message?: string; progress?: number };
}

/** The action that a message shows, if it is one. */
export function actionOf(message: { role: string }): ServerAction | undefined {
  const { activityType, content } = membersOf(message);
  return activityType === ACTION_TYPE && typeof content === "object" ? (content as ServerAction) : undefined;
}
