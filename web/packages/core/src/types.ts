/**
 * The vocabulary of the SDK. AG-UI's own types come from `@ag-ui/core` (types only); what stands
 * here is Pageside's.
 */
import type {
  Interrupt as AgUiInterrupt,
  Message as AgUiMessage,
  TokenUsage as AgUiTokenUsage,
  Tool as AgUiTool,
} from "@ag-ui/core";
import type { PayloadStatus, SuggestedValue } from "./protocol/pageside.js";
import type { ThreadsApi } from "./types-api.js";
import type { Attachment, InstructionEntry } from "./types-page.js";
import type { ToolParameters } from "./types-schema.js";

export type Message = AgUiMessage;

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A JSON Schema object (2020-12). */
export type JsonSchema = { [keyword: string]: unknown };

// ---------------------------------------------------------------- context

/** What a context entry tells about. */
export type ContextKind = "page" | "dynamic" | "selection" | "mention";

/** One thing on the page that the assistant should know. It is data, never instructions. */
export interface ContextEntry {
  /** Unique among the entries of a client; registering the same id again replaces it. */
  id: string;
  description: string;
  /**
   * The value, or a function that returns it (no promise), called whenever a run begins. It must be
   * JSON-serialisable.
   */
  value: unknown | (() => unknown);
  /** `"@selected-rows"`: lets the user mention it. */
  label?: string;
  /** Sent with every message? Default true; with `false` only when mentioned. */
  auto?: boolean;
  kind: ContextKind;
  /** Who registered it: a component or plugin name. */
  source?: string;
  /**
   * All of what the value shows in brief, in its order: rows with every field, say. It is not sent;
   * the assistant gets a tool, `retrieve_items`, that asks the page for single ones. Called when it
   * does.
   */
  items?: () => readonly unknown[];
  /**
   * Called before a run reads the value, and waited for, though not long: for a value that takes a
   * moment to get.
   */
  prepare?: () => unknown;
}

/** A context entry without its value. */
export type ContextEntryInfo = Omit<ContextEntry, "value" | "items" | "prepare"> & { auto: boolean };

/** What `forwardedProps.pageside.context` says about the context item at the same position. */
export interface ContextDetail {
  id: string;
  label?: string;
  kind: ContextKind;
  source?: string;
}

/** Where the user is in the host application. */
export interface Place {
  page: string;
  tab?: string;
  subtab?: string;
  /** What the place is about: `{ stream: "42" }`. */
  scope?: Record<string, string>;
}

// ---------------------------------------------------------------- tools

export type ToolStatus =
  | "pending" // the model is still writing the arguments, or the handler has not started
  | "executing"
  | "complete"
  | "failed"
  | "awaiting-approval"
  | "denied"
  | "cancelled";

export interface ToolProgress {
  stage: string;
  message: string;
  /** 0 to 1, or undefined where unknown. */
  fraction?: number;
}

/** What a handler is given beside its arguments. */
export interface ToolContext {
  toolCallId: string;
  /** Aborted when the user stops the run or the timeout passes. */
  signal: AbortSignal;
  progress(stage: string, message?: string, fraction?: number): void;
}

/** A tool that runs in the browser. */
export interface FrontendTool<Args = unknown, Result = unknown> {
  name: string;
  description: string;
  /**
   * JSON Schema of the arguments, or a schema of a library that keeps to Standard Schema (zod,
   * valibot, ArkType). They are validated before the handler runs, and the handler is given what
   * the schema makes of them.
   */
  parameters?: ToolParameters;
  /** Makes the JSON Schema for the model, where `parameters` is of a library that cannot itself. */
  toJsonSchema?: (parameters: ToolParameters) => JsonSchema;
  /**
   * Asks the user before the handler runs: with `true` in general words, with a text in these, and
   * as a function about these arguments (`false`: this call need not be asked about). Denied, the
   * handler does not run and the model is told.
   */
  requiresConfirmation?: boolean | string | ((args: Args) => boolean | string | Promise<boolean | string>);
  /**
   * Absent for a render-only action. What it returns goes to the model as JSON, at most 1 MiB of
   * it; what it throws goes there as an error.
   */
  handler?: (args: Args, context: ToolContext) => Result | Promise<Result>;
  /** `"disabled"`: not offered to the model, only rendered. */
  available?: "enabled" | "disabled";
  /** Milliseconds; default 60,000. `Infinity` for a tool that waits for a person. */
  timeout?: number;
  /** Never runs beside another call. */
  exclusive?: boolean;
  /**
   * What it does cannot be taken back: with `requiresConfirmation`, the user is asked each time,
   * and cannot allow it for good.
   */
  destructive?: boolean;
  /**
   * Where it stands among tools of its name, of which the uppermost that can run does: a number
   * that `nextOrder()` gave. Default: above all that have one. A hook asks for one while it first
   * renders, and so is above the components around it.
   */
  order?: number;
  /** Who registered it: a component or plugin name. */
  source?: string;
}

/** A tool of the page, as "what the assistant sees" lists it. */
export interface ToolEntryInfo extends AgUiTool {
  source?: string;
  destructive?: boolean;
}

/** The state of one tool call, of a frontend or a backend tool. */
export interface ToolCallState {
  id: string;
  name: string;
  /** Does it run here in the page? */
  frontend: boolean;
  status: ToolStatus;
  /** Parsed arguments; while they stream, what can be parsed so far. */
  args?: unknown;
  /** The text the model wrote. */
  argsText: string;
  result?: unknown;
  error?: { message: string; code?: string };
  progress?: ToolProgress;
  /** Set while the call waits for `confirm`: what the user is asked, where the tool says it. */
  confirmation?: { message?: string };
  /**
   * A call without a result whose handler had begun before the page was loaded, here or in another
   * tab: it may have had its effect. `resumePending()` leaves it alone; `resumePending({ again:
   * true })` runs it.
   */
  attempted?: boolean;
  /** Milliseconds since the epoch. */
  startedAt: number;
  endedAt?: number;
}

// ---------------------------------------------------------------- the client

export type RunStatus =
  | "idle"
  | "submitted" // sent, nothing of the answer received yet
  | "streaming"
  | "executing" // frontend tools run
  | "error";

export interface ClientError {
  code: string;
  message: string;
  /** Can `retry()` help? */
  retryable: boolean;
  details?: string;
  /** It ended a run: the server has what was sent. */
  ofRun?: boolean;
}

export interface AgentModel {
  /** `script/demo`, `openai/gpt-5-mini`. */
  name: string;
  /** Plays rules from a file: the tray labels it. */
  scripted: boolean;
  /** What it can be shown, where the server tells; text files always. */
  media?: AgentMedia;
}

/** Media that a model can be shown, or not. */
export interface AgentMedia {
  image?: boolean;
  audio?: boolean;
  video?: boolean;
  pdf?: boolean;
}

/**
 * The connection to the server: `"idle"` when none is needed, `"live"` while a stream is open,
 * `"reconnecting"` while a broken one is being continued, `"offline"` while there is no network, or
 * after trying was given up.
 */
export type Connection = "idle" | "live" | "reconnecting" | "offline";

/** A message that waits for the end of the run that is going on. */
export interface QueuedMessage {
  /** The id the message will have. */
  id: string;
  text: string;
  /** Ids of context entries the user mentioned with @. */
  mentions: readonly string[];
  attachments?: readonly Attachment[];
  hidden?: boolean;
}

/**
 * What an interrupt is answered with: for the approval of a call, `{approved: true}`, with `args`
 * where they were edited.
 */
export interface Approval {
  /** Anything but true denies. */
  approved: boolean;
  /** Takes the place of the arguments the model wrote. */
  args?: Json;
  /** Of a denial: why. The model is told, and may do something else. */
  reason?: string;
}

/** A call or a question that waits for a person. */
export interface OpenInterrupt extends AgUiInterrupt {
  /** Set once it is answered here. The answers are sent when every open interrupt has one. */
  answer?: { status: "resolved" | "cancelled"; payload?: Approval | Json };
}

/**
 * A way the thread went on from one place. The user message at its beginning tells the branches
 * apart.
 */
export interface Branch {
  /** The run that brought the user message. What `switchTo` takes. */
  runId: string;
  messageId: string;
  /** The first words of the user message. */
  preview: string;
  createdAt: string;
  /** Is it the one that is shown? */
  current: boolean;
}

/**
 * Tokens that one model took in and gave out. `inputTokens` and `outputTokens` are totals, of which
 * the cached and the reasoning tokens are parts. A count that nobody told is absent, which is not
 * zero.
 */
export type TokenUsage = AgUiTokenUsage;

/**
 * An immutable picture of a thread. Unchanged parts keep their identity from one snapshot to the
 * next.
 */
export interface ThreadSnapshot {
  threadId: string;
  title?: string;
  messages: readonly Message[];
  status: RunStatus;
  connection: Connection;
  /** The message that is being streamed, if any. */
  streamingMessageId?: string;
  /**
   * Assistant messages whose run the user stopped; where none had begun, the last message before.
   */
  stoppedMessageIds: readonly string[];
  toolCalls: Readonly<Record<string, ToolCallState>>;
  /** What waits for the user's approval or answer. */
  interrupts: readonly OpenInterrupt[];
  /** Messages that wait for the end of the run, in the order in which they will be sent. */
  queue: readonly QueuedMessage[];
  /** After `stop()` or an error: nothing of the queue is sent by itself. */
  queueHeld: boolean;
  /** The branches at those user messages, by id, that have more than one; absent until known. */
  branches?: Readonly<Record<string, readonly Branch[]>>;
  error?: ClientError;
  /** The server tries a model call again; absent once the answer goes on. */
  retrying?: { attempt?: number; waitSeconds?: number; reason?: string };
  /** Is the thread being loaded from the server? */
  loading?: boolean;
  state: unknown;
  model?: AgentModel;
  /**
   * What all runs of the thread used that have ended, on whichever branch, by model; absent until
   * one told.
   */
  usage?: readonly TokenUsage[];
  /** What that cost, in US dollars; absent where a price that matters is not known. */
  cost?: number;
}

export interface ClientOptions {
  /** Base URL of the Pageside server. Default: same origin. */
  url?: string;
  /** Agent id. Default `"default"`. */
  agent?: string;
  /**
   * Who is signed in, in any words that tell users apart. What the tray remembers of a person's
   * decisions over a reload ("always allow") is kept for each of them; so say it where people sign
   * in and out.
   */
  user?: string;
  /** Sent with every request; the function is called for each. */
  headers?: Record<string, string> | (() => Record<string, string>);
  fetch?: typeof fetch;
  /** Continue this thread; default the remembered one, or else a new one. */
  threadId?: string;
  /**
   * Where the open thread and its run are remembered, so that a reload goes on with them: in this
   * tab (`sessionStorage`), in this browser (`localStorage`), or in what you give. Default nowhere.
   */
  memory?: "tab" | "browser" | MemoryStorage;
  reconnect?: ReconnectOptions;
}

/**
 * The part of the Web Storage interface that is used. What it throws is ignored: a client that
 * forgets still works.
 */
export type MemoryStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/**
 * How a broken connection is continued: after growing random pauses, and at once when the network
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
  /** A number from 0 to below 1, as `Math.random`. */
  random?: () => number;
  clock?: Clock;
}

/** Time, as reconnecting sees it. */
export interface Clock {
  /** Milliseconds since some fixed moment. */
  now(): number;
  /** Resolves after that many milliseconds, or as soon as the signal is aborted. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export interface SendOptions {
  /** Ids of context entries the user mentioned with @. */
  mentions?: readonly string[];
  /** Files that go with the message. With them the text may be empty. */
  attachments?: readonly Attachment[];
  /**
   * The message is sent and kept, with `metadata.pageside.hidden`, but not shown: what a button of
   * the page asks.
   */
  hidden?: boolean;
}

/** What became of a change of the shared state. */
export interface StateOutcome {
  /** False where the server's value stands in its place, or the thread was left. */
  kept: boolean;
  /** The state as it is now. */
  state: unknown;
}

/** What the user can switch off in "what the assistant sees". */
export type IncludedKind = "context" | "tool" | "instructions";

/**
 * The framework-free client: one thread, its registries, and the runs on it. Safe to share between
 * components.
 */
export interface PagesideClient {
  /** What it was made for. */
  readonly identity: { readonly url: string; readonly agent: string; readonly user: string };
  /**
   * Calls the listener after every change of the snapshot, at most about 30 times a second while an
   * answer streams. What it throws goes to the console. The first subscription loads the thread
   * that the options named. The function undoes it.
   */
  subscribe(listener: () => void): () => void;
  /** The thread as it is now: the same object until something changes. */
  getSnapshot(): ThreadSnapshot;

  /**
   * Sends a user message and resolves when the answer, and every frontend tool it called, is done.
   * A message sent while a run is going on waits in `queue` for its end, so the handler of a tool
   * must not wait for it; it resolves too when it is taken out of the queue. Rejects never:
   * failures are in the snapshot. A text of nothing but white space is not sent. Open interrupts
   * count as cancelled by it.
   */
  send(text: string, options?: SendOptions): Promise<void>;
  /** Changes a message of the queue. */
  editQueued(id: string, text: string): Promise<void>;
  /** Takes a message out of the queue. */
  removeQueued(id: string): Promise<void>;
  /**
   * Sends what `stop()` or an error held back in the queue. The next `send()` does so too, before
   * its own message.
   */
  sendQueue(): Promise<void>;
  /**
   * Stops the run, here and on the server, and the tools; what was answered so far stays. The
   * results of tools that were done by then go out with the next message. Messages in the queue
   * stay there, held: after "stop" nothing is sent until the user sends again. Where the server
   * cannot be told, or does not end the run, it ends here.
   */
  stop(): Promise<void>;
  /**
   * Does again what failed: goes on with the run whose connection was lost, sends the message or
   * the tool results again with the same ids and a new run id, or loads the thread again. Tools
   * that ran are not run again.
   */
  retry(): Promise<void>;
  /**
   * Tries at once what waits for its next attempt to reach the server, also after that was given
   * up.
   */
  reconnect(): Promise<void>;
  /** Takes the error out of the snapshot. `retry()` is still possible. */
  clearError(): void;

  /** Leaves the thread and begins an empty one. What `openThread` says of leaving holds. */
  newThread(): void;
  /**
   * Leaves the thread and loads another, with its live run, if it has one; a failure is in the
   * snapshot. A run of the old thread goes on on the server; its tools here are stopped, and what
   * those had done by then is sent. Its queue is kept for when it is opened again. Frontend tools
   * that are still waiting for a result are shown as pending, not run.
   */
  openThread(threadId: string): Promise<void>;
  /**
   * Runs the frontend tools that were still pending when the thread was loaded, and sends their
   * results: each once, and in one tab. Those whose handler had begun before (`attempted`) are only
   * run with `again`.
   */
  resumePending(options?: { again?: boolean }): Promise<void>;
  /**
   * Keeps the open thread in step with what happens to it in other tabs and on other devices, while
   * this page is visible. Tools are not run for what comes this way. The function undoes it.
   */
  follow(): () => void;
  /** One page of the user's threads, newest first; the same as `threads.list({ cursor })`. */
  listThreads: (cursor?: string) => ReturnType<ThreadsApi["list"]>;
  /** The user's threads: list, search, rename, archive, delete. */
  readonly threads: ThreadsApi;

  /**
   * Answers an interrupt. Once every open one has an answer, a run takes all of them to the server.
   * Where an approval's metadata has `pageside.allowance`, the answer may be `{ approved: true,
   * always: true }`: the same call then runs without asking, for as long as that says.
   */
  respond(interruptId: string, answer: Approval | Json): Promise<void>;
  /**
   * Answers an interrupt with "cancelled": the call is not executed, the question stays unanswered.
   */
  cancelInterrupt(interruptId: string): Promise<void>;

  /**
   * Answers what a tool of this page asks before it runs (`confirmation` of its `ToolCallState`).
   * Calls that wait at the same time are answered each for itself. Nothing happens where no call of
   * that id waits.
   */
  confirm(toolCallId: string, answer: Approval): void;

  /**
   * Asks again with another text in the place of a user message. What followed stays as another
   * branch.
   */
  edit(messageId: string, text: string, options?: SendOptions): Promise<void>;
  /**
   * Asks the same again: for another answer to the question that the message, a user's or an
   * assistant's, belongs to.
   */
  regenerate(messageId: string): Promise<void>;
  /**
   * The branches at a user message, oldest first, itself included. Also brings `branches` of the
   * snapshot up to date.
   */
  branches(messageId: string): Promise<readonly Branch[]>;
  /** Shows the branch that a run belongs to, up to its newest answer. */
  switchTo(runId: string): Promise<void>;

  /**
   * Accepts or dismisses a payload card, or opens it again; the model is told with the next
   * message. Rejects where the server did not take it.
   */
  setPayloadStatus(messageId: string, status: PayloadStatus): Promise<void>;
  /** Keeps what the user thinks of an answer. */
  sendFeedback(messageId: string, feedback: { rating: -1 | 0 | 1; comment?: string }): Promise<void>;
  /**
   * Runs a suggested action whose handler is on the server, and resolves with its result. Where the
   * server wants to be sure that the user saw what will be done, it rejects with an error whose
   * `error.code` is `"approval_required"` and whose `args` are the arguments to show: ask, and run
   * it again with `approved`.
   */
  runAction(name: string, args?: Json, options?: { approved?: boolean }): Promise<unknown>;
  /**
   * What the user might ask here and now. Resolves with an empty list where the server has no idea.
   */
  suggest(instructions?: string): Promise<SuggestedValue[]>;

  /**
   * Changes the state that the thread shares with the agent. `change` returns another value and
   * leaves the old one as it is; the snapshot shows it at once, and the next run takes it to the
   * server. Resolves when such a run has ended, or as soon as the server writes something else
   * there: what the server says wins, and `kept` is false. Never rejects.
   */
  updateState(change: (state: unknown) => unknown): Promise<StateOutcome>;

  /** Where the user is. */
  setPlace(place: Place | undefined): void;
  /**
   * A part of where the user is, on top of what `setPlace` said: a layout knows the page, a panel
   * the tab. Of the same field the newest wins.
   */
  registerPlace(part: Partial<Place>): () => void;
  /** What `setPlace` and `registerPlace` come to; undefined without a page. */
  getPlace(): Place | undefined;
  /** The function undoes the registration. */
  registerContext(entry: ContextEntry): () => void;
  /**
   * A stack per name: the newest registration that can run wins (see `order`), undoing it restores
   * the one below.
   */
  registerTool<Args = unknown, Result = unknown>(tool: FrontendTool<Args, Result>): () => void;

  /**
   * Background the assistant is told with every run, as system messages. The function undoes the
   * registration.
   */
  registerInstructions(entry: InstructionEntry): () => void;

  /** What would be sent now: for "what the assistant sees". `id` is that of the entry. */
  getContext(mentions?: readonly string[]): { id: string; description: string; value: string }[];
  /** The tools that would be offered to the model now, by name. */
  getTools(): AgUiTool[];
  /** Every tool the page has for the model, also those that are switched off, by name. */
  getToolEntries(): ToolEntryInfo[];
  /**
   * The registered context entries without their values, also those that are switched off: those
   * with a `label` can be mentioned.
   */
  getContextEntries(): ContextEntryInfo[];
  /**
   * The registered instructions, also those that are switched off, in the order in which they are
   * sent.
   */
  getInstructions(): InstructionEntry[];
  /**
   * Switches a context entry (by id), a tool (by name) or instructions (by id) off, or on again:
   * what is off is not sent and not offered, until the client is gone. A context entry that the
   * user mentions is sent all the same.
   */
  setIncluded(kind: IncludedKind, id: string, included: boolean): void;
  /** True where nobody switched it off. */
  isIncluded(kind: IncludedKind, id: string): boolean;
  /**
   * Calls the listener, at most once a frame, after what the assistant sees has changed: something
   * was registered, undone or switched, or `pageChanged` was called. The function undoes it.
   */
  subscribePage(listener: () => void): () => void;
  /**
   * Says that what registered functions read is another now: the user has gone to another address,
   * for instance.
   */
  pageChanged(): void;

  /**
   * For extensions of the SDK: the part of this client that `key` names. The first call makes the
   * part, every later one returns the same, and it lives as long as the client. Write one function
   * for each part, as `commandsOf`, and keep its key to yourself.
   *
   * @example
   * const BOOKMARKS = Symbol("bookmarks");
   * export const bookmarksOf = (client: PagesideClient) => client.extension(BOOKMARKS, () => new Map<string, string>());
   */
  extension<Part>(key: symbol, make: (client: PagesideClient) => Part): Part;

  /**
   * Stops listening, the run's stream and the tools here, for good. What the server does goes on.
   */
  destroy(): void;
}
