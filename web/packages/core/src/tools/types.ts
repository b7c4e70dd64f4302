/** Tools that run in the page, and the state of their calls. */
import type { Tool } from "@ag-ui/core";
import type { Json, JsonSchema } from "../protocol/types.js";
import type { ToolParameters } from "./schema.js";

/** Where a tool call stands. */
export type ToolStatus =
  | "pending" // the model is still writing the arguments, or the handler has not started
  | "executing"
  | "complete"
  | "failed"
  | "awaiting-approval"
  | "denied"
  | "cancelled";

/** How far a tool has come, in its own words. */
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
  requiresConfirmation?: boolean | string | ((args: Args) => boolean | string | Promise<boolean | string>);
  /**
   * Runs in the page. The model gets its result (JSON, at most 1 MiB) or error. `context` has
   * `toolCallId`, `signal` and `progress(stage, message?, fraction?)`. Without a handler the action
   * only draws.
   */
  handler?: (args: Args, context: ToolContext) => Result | Promise<Result>;
  /**
   * `"disabled"`: not offered to the model, only draws calls of that name.
   * @defaultValue `"enabled"`
   */
  available?: "enabled" | "disabled";
  /**
   * Milliseconds for the handler, without its confirmation. `Infinity` where it waits for a person.
   * @defaultValue `60_000`
   */
  timeout?: number;
  /**
   * Never runs in parallel with other calls.
   * @defaultValue `false`
   */
  exclusive?: boolean;
  /**
   * It cannot be undone: `requiresConfirmation` asks each time, and the user cannot always allow
   * it.
   * @defaultValue `false`
   */
  destructive?: boolean;
  /**
   * Where it stands among tools of its name, of which the uppermost that can run does: a number
   * that `nextOrder()` gave. Default: above all that have one. A hook asks for one while it first
   * renders, and so is above the components around it.
   */
  order?: number;
  /**
   * The component or plug-in it belongs to.
   * @defaultValue the plug-in around, in React
   */
  source?: string;
}

/** A tool of the page, as "what the assistant sees" lists it. */
export interface ToolEntryInfo extends Tool {
  source?: string;
  destructive?: boolean;
}

/** The state of one tool call, of a frontend or a backend tool. */
export interface ToolCallState {
  id: string;
  name: string;
  /** Whether it runs here in the page. */
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

/** The tools of the page. */
export interface ToolsApi {
  /**
   * A stack per name: the newest registration that can run wins (see `order`), undoing it restores
   * the one below.
   */
  registerTool<Args = unknown, Result = unknown>(tool: FrontendTool<Args, Result>): () => void;
  /** The tools that would be offered to the model now, by name. */
  getTools(): Tool[];
  /** Every tool the page has for the model, also those that are switched off, by name. */
  getToolEntries(): ToolEntryInfo[];
  /**
   * Answers what a tool of this page asks before it runs (`confirmation` of its `ToolCallState`).
   * Calls that wait at the same time are answered each for itself. Nothing happens where no call of
   * that id waits.
   */
  confirm(toolCallId: string, answer: Approval): void;
}
