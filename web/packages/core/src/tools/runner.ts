/** Runs the tools of the page. Checks their arguments, and reports failures to the model. */
import type { ToolCall, ToolMessage } from "@ag-ui/core";
import { check, parseArguments, ToolFailure, reasonOf } from "./arguments.js";
import { askUser } from "./asking.js";
import { claim } from "./claims.js";
import { readMetadata, type WithMetadata } from "../protocol/pageside.js";
import { Ledger } from "./ledger.js";
import type { Approval, Asked } from "./questions.js";
import type { ToolParts } from "./parts.js";
import { emptyResult, rememberedResult, restingOn } from "./results.js";
import type { CitableSource, FrontendTool, ToolCallFailure, ToolCallState, ToolEffect } from "./types.js";

/** What the runner needs of its client. */
export interface RunnerHost {
  readonly parts: ToolParts;
  /** Whether to run calls again whose handler was begun before. */
  readonly again: boolean;
  /** Called on every change of a call. */
  report(id: string, change: Partial<ToolCallState>): void;
  /** Passes over the tools that UI actions made. */
  readonly isOwn?: boolean;
  /**
   * The page itself makes the call: `asking` asks as an action of the page does, `chosen` not at
   * all, because the user has just chosen it. No message of the thread has the call.
   */
  readonly here?: "asking" | "chosen";
}

/** The largest result of a call that a server takes, in bytes. */
const MAX_RESULT = 2 ** 20;

/** The longest reason for a denial that is sent to the model, in characters. */
const MAX_REASON = 2000;

/** The longest delay of a timer; beyond it, timers fire at once. */
const MAX_DELAY = 2 ** 31 - 1;

/** The results of running calls. */
export interface ToolRun {
  results: ToolMessage[];
  /** Releases the calls to other tabs. Call it once the server has the results. */
  release(): void;
}

/**
 * Runs the calls that were not begun elsewhere, in parallel unless a tool is exclusive. Resolves
 * with one message per call, in order. A result remembered from before a reload is reused. Once
 * `signal` is aborted, handlers are told to stop, and only completed results are returned.
 */
export async function runTools(calls: readonly ToolCall[], host: RunnerHost, signal: AbortSignal): Promise<ToolRun> {
  const ledger = new Ledger(host.parts);
  const { calls: claimed, release } = await claim(calls);
  const free = claimed.filter(({ id }) => host.again || !ledger.isCut(id));
  const results: Promise<ToolMessage | undefined>[] = [];
  for (const call of free) {
    const exclusive = find(host, call)?.exclusive;
    if (exclusive) await Promise.all(results);
    if (signal.aborted) break;
    const result = runCall(call, host, ledger, signal);
    results.push(result);
    if (exclusive) await result;
  }
  return { results: (await Promise.all(results)).filter((message) => message !== undefined), release };
}

function find({ parts, isOwn }: RunnerHost, { function: { name } }: ToolCall): FrontendTool | undefined {
  return parts.tools.runnable(name, isOwn);
}

/** One call. Resolves with undefined if it was stopped before it had a result. */
async function runCall(
  call: ToolCall,
  host: RunnerHost,
  ledger: Ledger,
  signal: AbortSignal,
): Promise<ToolMessage | undefined> {
  const { id } = call;
  const remembered = rememberedResult(id, ledger, (change) => host.report(id, change));
  if (remembered) return remembered;
  const message = emptyResult(id);
  ledger.take(id);
  const sources: CitableSource[] = [];
  try {
    const result = await execute(call, host, ledger, signal, sources);
    const content = stringify(result);
    ledger.finish(id, content, sources);
    host.report(id, { status: "complete", result, attempted: false, endedAt: Date.now() });
    return { ...message, content, ...restingOn(sources) };
  } catch (cause) {
    if (signal.aborted) {
      ledger.giveBack(id);
      return undefined;
    }
    const error = describe(cause);
    const status = error.type === "denied" ? "denied" : "failed";
    host.report(id, { status, error: failureOf(error), endedAt: Date.now() });
    const content = JSON.stringify({ error });
    return status === "denied" ? { ...message, content } : { ...message, content, error: error.message };
  }
}

/**
 * Runs a call that the page made itself: checked, confirmed and reported as those of the assistant,
 * but neither remembered nor sent. Rejects if it fails.
 */
export async function runHere(call: ToolCall, host: RunnerHost, signal: AbortSignal): Promise<unknown> {
  const { id } = call;
  try {
    const result = await execute(call, host, undefined, signal);
    host.report(id, { status: "complete", result, endedAt: Date.now() });
    return result;
  } catch (cause) {
    const error = describe(cause);
    const failed = error.type === "denied" ? "denied" : "failed";
    const status = signal.aborted ? "cancelled" : failed;
    host.report(id, { status, error: failureOf(error), endedAt: Date.now() });
    throw cause;
  }
}

async function execute(
  call: ToolCall,
  host: RunnerHost,
  ledger: Ledger | undefined,
  signal: AbortSignal,
  sources: CitableSource[] = [],
): Promise<unknown> {
  const { id } = call;
  const args = await ready(call, host, signal);
  signal.throwIfAborted();
  const tool = toolOf(host, call); // read again: the user may have taken a while
  const { name, timeout: limit = Infinity } = tool;
  const stop = new AbortController();
  const timer = limit <= MAX_DELAY ? setTimeout(() => stop.abort(timedOut(name, limit)), limit) : undefined;
  const onAbort = () => stop.abort(signal.reason);
  signal.addEventListener("abort", onAbort);
  let running = true;
  ledger?.begin(id);
  host.report(id, { status: "executing", args });
  try {
    const context = {
      toolCallId: id,
      signal: stop.signal,
      progress: (stage: string, message = "", fraction?: number) => {
        if (running) host.report(id, { progress: { stage, message, fraction } });
      },
      cite: (more: readonly CitableSource[]) => void sources.push(...more),
    };
    return await Promise.race([aborted(stop.signal), Promise.resolve(tool.handler(args, context))]);
  } finally {
    running = false;
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}

function toolOf(host: RunnerHost, call: ToolCall): FrontendTool & Required<Pick<FrontendTool, "handler">> {
  const tool = find(host, call);
  const { name } = call.function;
  if (!host.parts.page.isOn("tool", name))
    throw new ToolFailure("switched_off", `The user has switched the tool "${name}" off.`);
  if (tool?.handler) return { ...tool, handler: tool.handler };
  throw new ToolFailure("unknown_tool", `There is no tool "${name}" on the page the user is on now.`);
}

/**
 * The checked arguments, confirmed by the user if the tool asks. A call that the server has had
 * approved is not asked about again: its mark stands in the server's own messages, where neither
 * the model nor the page's content can write.
 */
async function ready(call: ToolCall, host: RunnerHost, signal: AbortSignal): Promise<unknown> {
  const { id, function: called } = call;
  const given = parseArguments(called.arguments);
  const tool = toolOf(host, call);
  const { parameters, effect, requiresConfirmation: asks } = tool;
  const args = parameters ? await check(given, parameters) : given;
  if (readMetadata(call as WithMetadata).approved === true) return args;
  const question = (typeof asks === "function" ? await asks(args) : asks) ?? asksUndeclared(host, effect);
  if (question === false) return args;
  toolOf(host, call); // the question may have taken a while
  host.report(id, { status: "awaiting-approval", args: given });
  const asked = typeof question === "string" ? { message: question } : { summary: purposeOf(tool) };
  const shown = host.here ? args : given;
  const answer = await answerTo(call, host, { args: shown, ...asked }, signal);
  if (answer.approved !== true) throw new ToolFailure("denied", denialOf(answer));
  return answer.args === undefined || !parameters ? (answer.args ?? args) : check(answer.args, parameters);
}

/**
 * The first sentence of a tool's description, as the server cuts it. What somebody else wrote would
 * speak for its own call.
 */
function purposeOf({ description, foreign }: FrontendTool): string | undefined {
  if (foreign) return undefined;
  const [line = ""] = description.trim().split("\n", 1);
  return /^.+?[.!?](?=\s+\P{Ll})/u.exec(line)?.[0] ?? (line || undefined);
}

/**
 * Whether a tool that does not say so asks: where no server does, unless it says that it only reads
 * or acts in the page.
 */
function asksUndeclared({ parts, here }: RunnerHost, effect: ToolEffect | undefined): boolean {
  return here === undefined && parts.direct?.asks === true && effect !== "read" && effect !== "page";
}

/** Waits for the user's answer as long as the tool is registered. */
async function answerTo(
  call: ToolCall,
  host: RunnerHost,
  asked: Pick<Asked, "args" | "message" | "summary">,
  signal: AbortSignal,
): Promise<Approval> {
  const { parts, here, isOwn } = host;
  if (here === "chosen") return { approved: true };
  const { name } = call.function;
  const over = new AbortController();
  const stop = () => over.abort(signal.reason);
  signal.addEventListener("abort", stop);
  // Changes are announced once a frame, so a tool that is merely registered anew is back by then.
  const undo = parts.page.subscribe(() => {
    try {
      toolOf(host, call);
    } catch (cause) {
      over.abort(cause);
    }
  });
  try {
    const from = here ? ("action" as const) : ("tool" as const);
    const question = { ...asked, from, toolCallId: call.id, name };
    return await askUser(parts, question, parts.tools.definition(name, isOwn), over.signal);
  } finally {
    undo();
    signal.removeEventListener("abort", stop);
  }
}

function denialOf({ reason }: Approval): string {
  const words = "The user denied this call. Nothing was done";
  return reason ? `${words}. The reason given: ${reason.slice(0, MAX_REASON)}` : `${words}.`;
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
  });
}

function timedOut(name: string, milliseconds: number): ToolFailure {
  return new ToolFailure(
    "timeout",
    `The tool "${name}" did not finish within ${milliseconds / 1000} s. It may still have an effect.`,
  );
}

/**
 * The content of the tool message. If the handler returns nothing, the model learns that it
 * succeeded.
 */
function stringify(result: unknown): string {
  const content = toJson(result);
  // Measured as it is sent: as a string in JSON.
  if (new TextEncoder().encode(JSON.stringify(content)).length <= MAX_RESULT) return content;
  throw new ToolFailure("result_too_large", "The tool has run, but its result is larger than 1 MiB. Ask it for less.");
}

function toJson(result: unknown): string {
  try {
    return JSON.stringify(result) ?? '{"success":true}';
  } catch (error) {
    throw new ToolFailure("unserializable_result", `The tool has run, but its result is not JSON: ${reasonOf(error)}`);
  }
}

function describe(cause: unknown): { type: string; message: string; details?: string[] } {
  if (cause instanceof ToolFailure) return { type: cause.type, message: cause.message, details: cause.details };
  if (cause instanceof Error) return { type: cause.name, message: cause.message };
  return { type: "Error", message: typeof cause === "string" ? cause : inWords(cause) };
}

function failureOf({ type, message, details }: ReturnType<typeof describe>): ToolCallFailure {
  return { message, code: type, ...(details && { details }) };
}

/** Describes a thrown value that is not an Error, such as a plain object. */
function inWords(cause: unknown): string {
  try {
    return JSON.stringify(cause) ?? String(cause);
  } catch {
    return "The tool failed.";
  }
}
