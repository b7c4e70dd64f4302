/** Tools that run in the page, and the state of their calls. */
import type { Tool } from "@ag-ui/core";
import type { JsonSchema } from "../protocol/types.js";
import type { ToolParameters } from "./schema.js";

/** The state of a tool call. */
export type ToolStatus =
  | "pending" // the model is still writing the arguments, or the handler has not started
  | "executing"
  | "complete"
  | "failed"
  | "awaiting-approval"
  | "denied"
  | "cancelled";

/** A tool's report of its progress. */
export interface ToolProgress {
  stage: string;
  message: string;
  /** 0 to 1, or undefined if unknown. */
  fraction?: number;
}

/** What a handler gets besides its arguments. */
export interface ToolContext {
  toolCallId: string;
  /** Aborted when the user stops the run, or when the timeout passes, if there is one. */
  signal: AbortSignal;
  progress(stage: string, message?: string, fraction?: number): void;
  /**
   * Says what the result rests on. The server numbers the sources, tells the model the numbers, and
   * the answer shows them. May be called several times.
   */
  cite(sources: readonly CitableSource[]): void;
}

/** Something that an answer may cite. */
export interface CitableSource {
  title: string;
  /**
   * An http or https address, the id of an element of the page (`#row-3`), or a path of the
   * application (`/articles/12`). Any other is left out.
   */
  url?: string;
  /** A passage or a sentence about it, as plain text. */
  snippet?: string;
}

/**
 * What a call may change, from harmless to dangerous: nothing; something, and a second time nothing
 * more; something; it tells somebody else something; it cannot be undone.
 */
export type ToolEffect = "read" | "page" | "idempotent" | "write" | "exfil" | "destructive";

/** Whether a tool asks about a call, and how; undefined says nothing. */
export type Asks = boolean | string | undefined;

/** A tool that runs in the browser. */
export interface FrontendTool<Args = unknown, Result = unknown> {
  /** What the model calls. A tool of the server with the same name wins. */
  name: string;
  /** For the model: what it does and when to use it. */
  description: string;
  /**
   * JSON Schema (2020-12), or a schema of zod, valibot, ArkType or any other Standard Schema
   * library. Arguments are validated before the handler runs.
   * @defaultValue no arguments
   */
  parameters?: ToolParameters;
  /** Makes the JSON Schema where the library cannot. Without it such a schema throws. */
  toJsonSchema?: (parameters: ToolParameters) => JsonSchema;
  /**
   * Asks the user first: `true`, a question, or a function of the arguments that returns either
   * (`false`: don't ask about this call).
   * @defaultValue `false`
   */
  requiresConfirmation?: boolean | string | ((args: Args) => Asks | Promise<Asks>);
  /**
   * Runs in the page. The model gets its result (JSON, at most 1 MiB) or error. `context` has
   * `toolCallId`, `signal`, `progress(stage, message?, fraction?)` and `cite(sources)`. Without a
   * handler the action only draws.
   */
  handler?: (args: Args, context: ToolContext) => Result | Promise<Result>;
  /**
   * `"disabled"`: not offered to the model, only draws calls of that name.
   * @defaultValue `"enabled"`
   */
  available?: "enabled" | "disabled";
  /**
   * Milliseconds for the handler, without its confirmation. For what waits for a machine; a person
   * takes as long as it takes, and can stop the call.
   * @defaultValue no limit
   */
  timeout?: number;
  /**
   * Never runs in parallel with other calls.
   * @defaultValue `false`
   */
  exclusive?: boolean;
  /**
   * What a call may change. `"read"` changes nothing but the view, `"page"` acts in the user's
   * browser with the user's rights: both run at once. Declare what deletes, sends, pays or changes
   * something for others: calls of `"write"` and `"idempotent"` tools wait for the user once the
   * model has read what others may have written, those of `"exfil"` and `"destructive"` tools
   * always, before the page gets them.
   * @defaultValue `"page"`, unless the operator says otherwise (`approvals: {pageTools: write}`)
   */
  effect?: ToolEffect;
  /**
   * Somebody other than the application's developer wrote its name, description or parameters: they
   * are data to the assistant, and taint. Set it where a description is built from data.
   * @defaultValue `false`
   */
  foreign?: boolean;
  /**
   * It cannot be undone: its effect is `"destructive"`, `requiresConfirmation` asks each time, and
   * the user cannot always allow it.
   * @defaultValue `false`
   */
  destructive?: boolean;
  /**
   * Its rank among tools of the same name, of which the highest that can run does: a number from
   * `nextOrder()`. Default: above all ranked ones. Hooks take one on their first render, so inner
   * components rank above outer ones.
   */
  order?: number;
  /**
   * The component or plug-in it belongs to.
   * @defaultValue the plug-in around, in React
   */
  source?: string;
}

/** A tool of the page in "what the assistant sees". */
export interface ToolEntryInfo extends Tool {
  source?: string;
  /** The UI action that it is made from. */
  actionId?: string;
  destructive?: boolean;
}

/** Why a call failed. */
export interface ToolCallFailure {
  message: string;
  /** Such as `"timeout"`, or the name of the error that the handler threw. */
  code?: string;
  /** All that is wrong with the arguments, for example. */
  details?: string[];
}

/** The state of one tool call, of a frontend or a backend tool. */
export interface ToolCallState {
  id: string;
  name: string;
  /** Whether it runs here in the page. */
  frontend: boolean;
  status: ToolStatus;
  /** The parsed arguments; while they stream, what can be parsed so far. */
  args?: unknown;
  /** The text the model wrote. */
  argsText: string;
  result?: unknown;
  error?: ToolCallFailure;
  progress?: ToolProgress;
  /**
   * Set if the handler had begun before the page was loaded, here or in another tab, but there is
   * no result: it may have had its effect. It is `cancelled` once no page runs it.
   * `resumePending()` skips it; `resumePending({ again: true })` runs it.
   */
  attempted?: boolean;
  /** Milliseconds since the epoch. */
  startedAt: number;
  endedAt?: number;
}

/** How the page calls a tool itself. */
export interface CallOptions {
  /** The id of the call. By default one that the page has not used. */
  id?: string;
  /** Stops the call: its handler's signal is aborted, and its question withdrawn. */
  signal?: AbortSignal;
  /** The user has just chosen it, in a menu: it need not ask. */
  chosen?: boolean;
}

/** The calls that the page made itself. */
export interface PageCalls {
  /** By id. The same object until something changes. The last 50 that are over are kept. */
  all(): Readonly<Record<string, ToolCallState>>;
  /** Stops a call that runs, or waits for the user. */
  cancel(id: string): void;
  /** Calls the listener after every change. The function undoes it. */
  subscribe(listener: () => void): () => void;
}

/** The tools of the page. */
export interface ToolsApi {
  /**
   * Registers a tool. Of one name, the newest that can run wins (see `order`); undoing it restores
   * the one below.
   */
  registerTool<Args = unknown, Result = unknown>(tool: FrontendTool<Args, Result>): () => void;
  /** The tools that would be offered to the model now, by name. */
  getTools(): Tool[];
  /** All tools of the page by name, including those that are switched off. */
  getToolEntries(): ToolEntryInfo[];
}
