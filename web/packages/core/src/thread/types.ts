/** A thread as the client shows it, and what the user can do with it. */
import type { Attachment, ClientError, Message, TokenUsage } from "../protocol/types.js";
import type { Question } from "../tools/questions.js";
import type { ToolCallState } from "../tools/types.js";

/** What the open thread is doing. */
export type RunStatus =
  | "idle"
  | "submitted" // sent, nothing of the answer received yet
  | "streaming"
  | "executing" // frontend tools run
  | "error";

/** The model behind the agent. */
export interface AgentModel {
  /** `script/demo`, `openai/gpt-5-mini`. */
  name: string;
  /** Plays rules from a file: the tray labels it. */
  scripted: boolean;
  /** The media it accepts, if the server says so; text files always. */
  media?: AgentMedia;
}

/** A model that the user may choose. */
export interface OfferedModel {
  /** Its name in requests. */
  id: string;
  label: string;
  /** The reasoning efforts that may be asked of it; absent if the provider decides. */
  efforts?: readonly Effort[];
}

/** How hard a model is asked to think. */
export type Effort = "low" | "medium" | "high";

/** What the user has chosen. */
export interface PickedModel {
  /** The `id` of an offered model. */
  model: string;
  /** @defaultValue what the provider takes for the best */
  effort?: Effort;
}

/** The kinds of media that a model accepts. */
export interface AgentMedia {
  image?: boolean;
  audio?: boolean;
  video?: boolean;
  pdf?: boolean;
}

/**
 * The connection to the server: `"idle"` when none is needed, `"live"` while a stream is open,
 * `"reconnecting"` while a broken one is being continued, `"offline"` without network, or after
 * reconnecting was given up.
 */
export type Connection = "idle" | "live" | "reconnecting" | "offline";

/** A message that waits for the current run to end. */
export interface QueuedMessage {
  /** The id the message will have. */
  id: string;
  text: string;
  /** Ids of context entries the user mentioned with @. */
  mentions: readonly string[];
  attachments?: readonly Attachment[];
  hidden?: boolean;
  suggested?: boolean;
}

/**
 * One of several continuations of a thread. Branches differ in the user message at their beginning.
 */
export interface Branch {
  /** The run that brought the user message. What `switchTo` takes. */
  runId: string;
  messageId: string;
  /** The first words of the user message. */
  preview: string;
  createdAt: string;
  /** Whether it is the one shown. */
  current: boolean;
}

/**
 * An immutable snapshot of a thread. Unchanged parts keep their identity from one snapshot to the
 * next.
 */
export interface ThreadSnapshot {
  /** Id of the open thread. */
  threadId: string;
  /** Title of the thread. */
  title?: string;
  /** AG-UI messages of the branch that is shown. */
  messages: readonly Message[];
  /**
   * Whether there are messages before the first one: `available`, `loading` or `failed`. Absent if
   * there are none. `loadOlder()` loads them.
   */
  older?: "available" | "loading" | "failed";
  /** `idle`, `submitted`, `streaming`, `executing` (tools of the page run) or `error`. */
  status: RunStatus;
  /** `idle`, `live`, `reconnecting` or `offline`. */
  connection: Connection;
  /** The message that is being streamed. */
  streamingMessageId?: string;
  /** Assistant messages whose run the user stopped, else the last message before. */
  stoppedMessageIds: readonly string[];
  /** Tool calls by id. Arguments may be half written. */
  toolCalls: Readonly<Record<string, ToolCallState>>;
  /**
   * All that waits for the user: the thread's questions, and behind them those of the page, which
   * stay when the thread is left. `answer` answers them.
   */
  questions: readonly Question[];
  /** Messages that wait for the end of the run, in order. */
  queue: readonly QueuedMessage[];
  /** After `stop()` or an error: the queue is not sent by itself. */
  queueHeld: boolean;
  /** Branches by user message, where there are several. Absent until known. */
  branches?: Readonly<Record<string, readonly Branch[]>>;
  /** When the user's messages were sent, by message, in ISO 8601. Absent until known. */
  askedAt?: Readonly<Record<string, string>>;
  /**
   * `code`, `message`, `retryable`, `retryAt` if a limit is renewed then. With `ofRun` the server
   * has what was sent.
   */
  error?: ClientError;
  /** Set while the server tries a model call again. */
  retrying?: { attempt?: number; waitSeconds?: number; reason?: string };
  /** The id of the remembered thread that is gone, if this one has taken its place. */
  formerId?: string;
  /** Whether the thread is being loaded. */
  loading?: boolean;
  /**
   * The state that the agent and the page share, with what streaming tool calls are about to set.
   */
  state: unknown;
  /** The model behind the agent. `media` says what it can be shown. */
  model?: AgentModel;
  /** The models that the user may choose from, the default first. Absent if there is no choice. */
  choices?: readonly OfferedModel[];
  /** What the user has chosen of them with `pickModel`. Absent until then. */
  picked?: PickedModel;
  /** What the user may read besides own threads, such as `inspector`. Absent until known. */
  rights?: readonly string[];
  /** Whether the user can share threads as links. Absent until known. */
  sharing?: boolean;
  /** Tokens by model, of all finished runs on all branches. Absent if unknown. */
  usage?: readonly TokenUsage[];
  /** What these tokens cost in US dollars. Absent if a price is unknown. */
  cost?: number;
}

/** What may be wrong with an answer. */
export type FeedbackReason = "incorrect" | "incomplete" | "irrelevant" | "too_long" | "unsafe";

/** What the user thinks of an answer; a rating of 0 takes it back. */
export interface AnswerFeedback {
  rating: -1 | 0 | 1;
  /** What was wrong, with a rating of -1. */
  reason?: FeedbackReason;
  comment?: string;
}

/** Options of a user message. */
export interface SendOptions {
  /** Ids of context entries to mention, beside those whose `@label` is in the text. */
  mentions?: readonly string[];
  /** Files that go with the message. With them the text may be empty. */
  attachments?: readonly Attachment[];
  /**
   * Sends and stores the message with `metadata.pageside.hidden`, but does not show it: for buttons
   * of the page.
   */
  hidden?: boolean;
  /**
   * The text is a suggestion that a model made and the user clicked. The message is stored with
   * `metadata.pageside.suggested`, and the server trusts it no more than what the model has read.
   */
  suggested?: boolean;
}

/** What became of a change of the shared state. */
export interface StateOutcome {
  /** False if the server's value replaced it, or the thread was left. */
  kept: boolean;
  /** The state as it is now. */
  state: unknown;
}

/**
 * How a broken connection is resumed: after growing random pauses, or at once when the network
 * comes back.
 */
export interface ReconnectOptions {
  /**
   * Milliseconds without any success after which it is given up; time without network does not
   * count. Default 120,000; 0 never tries.
   */
  giveUpAfter?: number;
  /**
   * The first pause is at most this many milliseconds, each further one up to twice as long.
   * Default 500.
   */
  minDelay?: number;
  /**
   * The longest pause, in milliseconds; a server's `Retry-After` may ask for more. Default 15,000.
   */
  maxDelay?: number;
  /** A number from 0 up to, but not including, 1, like `Math.random`. */
  random?: () => number;
  clock?: Clock;
}

/** The clock that reconnecting uses. */
export interface Clock {
  /** Milliseconds since some fixed moment. */
  now(): number;
  /** Resolves after that many milliseconds, or as soon as the signal is aborted. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}
