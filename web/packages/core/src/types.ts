/**
 * The vocabulary of the SDK. AG-UI's own types come from `@ag-ui/core` (types only); what stands here is Pageside's.
 */
import type { Message as AgUiMessage, Tool as AgUiTool } from "@ag-ui/core";

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
  /** The value, or a function that returns it (no promise), called whenever a run begins. It must be JSON-serialisable. */
  value: unknown | (() => unknown);
  /** `"@selected-rows"`: lets the user mention it. */
  label?: string;
  /** Sent with every message? Default true; with `false` only when mentioned. */
  auto?: boolean;
  kind: ContextKind;
  /** Who registered it: a component or plugin name. */
  source?: string;
}

/** A context entry without its value. */
export type ContextEntryInfo = Omit<ContextEntry, "value"> & { auto: boolean };

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
  /** JSON Schema of the arguments; they are validated before the handler runs. */
  parameters?: JsonSchema;
  /**
   * Absent for a render-only action. What it returns goes to the model as JSON, at most 1 MiB of it; what it throws goes
   * there as an error.
   */
  handler?: (args: Args, context: ToolContext) => Result | Promise<Result>;
  /** `"disabled"`: not offered to the model, only rendered. */
  available?: "enabled" | "disabled";
  /** Milliseconds; default 60,000. `Infinity` for a tool that waits for a person. */
  timeout?: number;
  /** Never runs beside another call. */
  exclusive?: boolean;
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
}

export interface AgentModel {
  /** `script/demo`, `openai/gpt-5-mini`. */
  name: string;
  /** Plays rules from a file: the tray labels it. */
  scripted: boolean;
}

/** An immutable picture of a thread. Unchanged parts keep their identity from one snapshot to the next. */
export interface ThreadSnapshot {
  threadId: string;
  title?: string;
  messages: readonly Message[];
  status: RunStatus;
  /** The message that is being streamed, if any. */
  streamingMessageId?: string;
  /** Assistant messages whose run the user stopped; where none had begun, the last message before. */
  stoppedMessageIds: readonly string[];
  toolCalls: Readonly<Record<string, ToolCallState>>;
  error?: ClientError;
  /** The server tries a model call again; absent once the answer goes on. */
  retrying?: { attempt?: number; code?: string; waitMs?: number };
  /** Is the thread being loaded from the server? */
  loading?: boolean;
  state: unknown;
  model?: AgentModel;
}

export interface ClientOptions {
  /** Base URL of the Pageside server. Default: same origin. */
  url?: string;
  /** Agent id. Default `"default"`. */
  agent?: string;
  /** Sent with every request; the function is called for each. */
  headers?: Record<string, string> | (() => Record<string, string>);
  fetch?: typeof fetch;
  /** Continue this thread; default a new one. */
  threadId?: string;
}

export interface SendOptions {
  /** Ids of context entries the user mentioned with @. */
  mentions?: string[];
}

export interface ThreadSummary {
  id: string;
  title: string;
  updatedAt: string;
}

/** The framework-free client: one thread, its registries, and the runs on it. Safe to share between components. */
export interface PagesideClient {
  /**
   * Calls the listener after every change of the snapshot, at most about 30 times a second while an answer streams. What
   * it throws goes to the console. The first subscription loads the thread that the options named. The function undoes it.
   */
  subscribe(listener: () => void): () => void;
  /** The thread as it is now: the same object until something changes. */
  getSnapshot(): ThreadSnapshot;

  /**
   * Sends a user message and resolves when the answer, and every frontend tool it called, is done. A message sent while
   * a run is going on waits for its end, so the handler of a tool must not wait for it. Rejects never: failures are in
   * the snapshot. A text of nothing but white space is not sent.
   */
  send(text: string, options?: SendOptions): Promise<void>;
  /**
   * Stops the run, here and on the server, and the tools; what was answered so far stays. The results of tools that were
   * done by then go out with the next message.
   */
  stop(): Promise<void>;
  /**
   * Does again what failed: sends the message or the tool results again with the same ids and a new run id, or loads the
   * thread again. Tools that ran are not run again.
   */
  retry(): Promise<void>;
  /** Takes the error out of the snapshot. `retry()` is still possible. */
  clearError(): void;

  /** Leaves the thread and begins an empty one. A run of the old one goes on on the server; its tools here are stopped. */
  newThread(): void;
  /** Leaves the thread and loads another; a failure is in the snapshot. Frontend tools that are still waiting for a result are shown as pending, not run. */
  openThread(threadId: string): Promise<void>;
  /** Runs the frontend tools that were still pending when the thread was loaded, each at most once, and sends their results. */
  resumePending(): Promise<void>;
  /** One page of the user's threads, newest first; `next` is the cursor of the page after it. Rejects where the server cannot be asked. */
  listThreads(cursor?: string): Promise<{ threads: ThreadSummary[]; next?: string }>;

  /** Where the user is. */
  setPlace(place: Place | undefined): void;
  /** A part of where the user is, on top of what `setPlace` said: a layout knows the page, a panel the tab. Of the same field the newest wins. */
  registerPlace(part: Partial<Place>): () => void;
  /** What `setPlace` and `registerPlace` come to; undefined without a page. */
  getPlace(): Place | undefined;
  /** The function undoes the registration. */
  registerContext(entry: ContextEntry): () => void;
  /** A stack per name: the newest registration wins, undoing it restores the one below. */
  registerTool<Args = unknown, Result = unknown>(tool: FrontendTool<Args, Result>): () => void;

  /** What would be sent now: for "what the assistant sees". */
  getContext(mentions?: string[]): { description: string; value: string }[];
  /** The tools that would be offered to the model now, by name. */
  getTools(): AgUiTool[];
  /** The registered context entries without their values: those with a `label` can be mentioned. */
  getContextEntries(): ContextEntryInfo[];

  /** Stops listening, the run's stream and the tools here, for good. What the server does goes on. */
  destroy(): void;
}
