/** What an assistant does in a script, part by part. */
import type { Json, JsonSchema, Message, MessageDetails, SuggestedAction, SuggestedValue } from "@pageside/core";
import type { AgUiEvent, RunInput } from "./events.js";

/** What a script may look at: the turn it answers, as it is now. */
export interface Turn {
  readonly threadId: string;
  /** The run that goes on now: after the calls of frontend tools it is another one. */
  readonly runId: string;
  /** The text of the user's message. */
  readonly message: string;
  /** The thread so far. */
  readonly messages: readonly Message[];
  /** What the client sent to begin this run. */
  readonly input: RunInput;
  /** The result of the tool's newest call in this turn, parsed if it is JSON; undefined before. */
  result(tool: string): unknown;
  /**
   * The value of the context item with that description, parsed if it is JSON; undefined if none
   * was sent.
   */
  context(description: string): unknown;
  /** Aborted when the user stops the run. */
  readonly signal: AbortSignal;
}

/** What cuts off an answer. */
export type CutReason = NonNullable<MessageDetails["reason"]>;

/** A value, or a function that makes it when its part is played. */
export type OrMade<Value> = Value | ((turn: Turn) => Value);

/** The progress of a backend tool. */
export interface Progress {
  stage: string;
  message?: string;
  /** 0 to 1. */
  progress?: number;
  /** Milliseconds before it is reported. */
  after?: number;
}

/** A payload card that a tool or an answer brings. */
export interface Card {
  type: string;
  data: { [key: string]: Json };
}

/** A tool's own failure. */
export interface ToolError {
  code: string;
  message: string;
}

/** The outcome of a backend tool's call. */
export interface BackendOutcome {
  /** What the tool returns; default `"ok"`. */
  result?: Json | ((args: Json, turn: Turn) => Json);
  /** What went wrong, instead of a result. */
  error?: ToolError;
  progress?: readonly Progress[];
  /** Milliseconds until the result. */
  takes?: number;
  /** A card that the tool shows. */
  payload?: Card;
}

/** A call that the assistant makes, by where it runs or what it waits for. */
export type CallPart =
  | { kind: "frontend"; name: string; args: OrMade<Json>; id?: string }
  | { kind: "backend"; name: string; args: OrMade<Json>; id?: string; outcome: BackendOutcome }
  | { kind: "asked"; name: string; args: OrMade<Json>; id?: string; asks: Asks; outcome?: BackendOutcome };

/**
 * What the user is asked about a call. With an outcome it runs once it is approved, else the answer
 * is its result.
 */
interface Asks {
  reason: string;
  message: string;
  responseSchema: JsonSchema;
}

/** One thing that an assistant does. Make it with the functions below. */
export type Part =
  | CallPart
  | { kind: "text"; content: OrMade<string>; pieces?: readonly string[] }
  | { kind: "reasoning"; content: OrMade<string> }
  | { kind: "together"; calls: readonly CallPart[] }
  | { kind: "payload"; card: Card; grow: readonly Card["data"][] }
  | { kind: "suggestions"; values: readonly SuggestedValue[]; actions: readonly SuggestedAction[] }
  | { kind: "cut"; reason: CutReason }
  | { kind: "pause"; milliseconds: number }
  | { kind: "fail"; code: string; message: string }
  | { kind: "refuse"; status: number; code: string; message: string; retryAfter?: number }
  | { kind: "disconnect" }
  | { kind: "event"; event: AgUiEvent };

/** Says something. Texts that follow each other are one message. */
export function text(content: OrMade<string>, options: { pieces?: readonly string[] } = {}): Part {
  return { kind: "text", content, ...options };
}

/** Thinks aloud. */
export function reasoning(content: OrMade<string>): Part {
  return { kind: "reasoning", content };
}

/**
 * Calls a tool of the page. The run ends with it; what follows in the script is what the run with
 * its result does. A tool that the page does not offer fails the run.
 */
export function frontendCall(name: string, args: OrMade<Json> = {}, options: { id?: string } = {}): CallPart {
  return { kind: "frontend", name, args, ...options };
}

/** Calls a tool of the server, with the given outcome. */
export function backendCall(
  name: string,
  args: OrMade<Json> = {},
  { id, ...outcome }: BackendOutcome & { id?: string } = {},
): CallPart {
  return { kind: "backend", name, args, outcome, id };
}

/**
 * Calls a tool of the server that needs the user's approval. The script goes on once it is approved
 * or denied.
 */
export function approval(
  name: string,
  args: OrMade<Json> = {},
  {
    id,
    message = `The assistant wants to run ${name}.`,
    ...outcome
  }: BackendOutcome & { id?: string; message?: string } = {},
): CallPart {
  const asks = { reason: "tool_call", message, responseSchema: APPROVAL };
  return { kind: "asked", name, args, id, asks, outcome };
}

const APPROVAL = {
  type: "object",
  properties: { approved: { type: "boolean" }, args: { type: "object" }, reason: { type: "string" } },
  required: ["approved"],
};

/** What a question to the user offers. */
export interface Question {
  /** What can be chosen. Without it any text is an answer. */
  options?: readonly string[];
  /** Whether several can be chosen. */
  multiple?: boolean;
  /** A yes or no. */
  confirm?: boolean;
  id?: string;
}

/**
 * Asks the user something, with `ask_user`. `turn.result("ask_user")` is `{ answer }`, or an error
 * where the user declined.
 */
export function askUser(question: string, { options, multiple = false, confirm = false, id }: Question = {}): CallPart {
  const choice = { type: "string", ...(options && { enum: options }) };
  const several = { type: "array", items: choice, minItems: 1, uniqueItems: true };
  const answer = confirm
    ? { type: "boolean" }
    : multiple
      ? several
      : options
        ? choice
        : { type: "string", minLength: 1 };
  const kind = confirm ? "confirm" : options ? "select" : "text";
  const args: Json = { kind, question, ...(options && { options: [...options] }), ...(multiple && { multiple }) };
  const asks = {
    reason: confirm ? "confirmation" : "input_required",
    message: question,
    responseSchema: { type: "object", properties: { answer }, required: ["answer"] },
  };
  return { kind: "asked", name: "ask_user", args, id, asks };
}

/** Makes several calls at once. The script goes on when all have a result. */
export function together(...calls: CallPart[]): Part {
  return { kind: "together", calls };
}

/**
 * Shows a payload card. It streams as a model writes it, field by field; with `grow` in the steps
 * given, and at once with `false`.
 */
export function payload(
  type: string,
  data: Card["data"],
  { grow = true }: { grow?: boolean | readonly Card["data"][] } = {},
): Part {
  const steps = grow === true ? Object.keys(data).map((_, index) => firstFields(data, index)) : grow || [];
  return { kind: "payload", card: { type, data }, grow: steps };
}

function firstFields(data: Card["data"], count: number): Card["data"] {
  return Object.fromEntries(Object.entries(data).slice(0, count));
}

/**
 * Chips (texts, or labels with the text that a click sends) and buttons under the answer that was
 * just given.
 */
export function suggestions(
  values: readonly (string | SuggestedValue)[],
  actions: readonly SuggestedAction[] = [],
): Part {
  const chips = values.map((value) => (typeof value === "string" ? { label: value, value } : value));
  return { kind: "suggestions", values: chips, actions };
}

/** Does nothing for that many milliseconds of the agent's clock. */
export function pause(milliseconds: number): Part {
  return { kind: "pause", milliseconds };
}

/** Cuts the answer off. `continueAnswer()` goes on with what follows, in the same message. */
export function cut(reason: CutReason = "length"): Part {
  return { kind: "cut", reason };
}

/** Fails the run. `retry()` goes on with what follows in the script. */
export function fail(message: string, code = "llm_unavailable"): Part {
  return { kind: "fail", message, code };
}

/**
 * Refuses the run with an HTTP status: the first part of a script only. The next attempt gets what
 * follows in the script.
 */
export function refuse(
  status: number,
  {
    code = `http_${status}`,
    message = "Refused by the script.",
    retryAfter,
  }: { code?: string; message?: string; retryAfter?: number } = {},
): Part {
  return { kind: "refuse", status, code, message, retryAfter };
}

/** Breaks the connection. The run goes on, and the client finds it again. */
export function disconnect(): Part {
  return { kind: "disconnect" };
}

/** Names the thread. */
export function title(value: string): Part {
  return event({ type: "CUSTOM", name: "conversation_title", value });
}

/** Sends any other event, as it is. The script is responsible for the order of events. */
export function event(value: AgUiEvent): Part {
  return { kind: "event", event: value };
}

/** Parts; a string is a text. */
export type PartLike = string | Part;

/**
 * What an assistant does for a message: parts, or a function (a generator, too) that makes them
 * from the turn.
 */
export type Reply =
  | PartLike
  | readonly PartLike[]
  | ((turn: Turn) => PartLike | Iterable<PartLike> | AsyncIterable<PartLike> | Promise<PartLike | readonly PartLike[]>);

/** The parts of a reply, one after the other. */
export async function* partsOf(reply: Reply, turn: Turn): AsyncGenerator<Part, undefined, undefined> {
  const made = typeof reply === "function" ? await reply(turn) : reply;
  const parts = typeof made === "string" || isPart(made) ? [made] : made;
  for await (const part of parts) yield typeof part === "string" ? text(part) : part;
  return undefined;
}

function isPart(value: object): value is Part {
  return "kind" in value;
}

/** What the agent does for which message. */
export interface Rule {
  /**
   * Words that the message contains (in either case), a pattern, or a function of the turn.
   * @defaultValue any message
   */
  when?: string | RegExp | ((turn: Turn) => boolean);
  /**
   * What the assistant does: a text, a list of parts, or a function of the turn, which may be a
   * generator.
   */
  reply: Reply;
  /**
   * How many messages it answers before the rules below have their turn.
   * @defaultValue any number
   */
  times?: number;
}
