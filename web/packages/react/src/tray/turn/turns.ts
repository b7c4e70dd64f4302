import {
  actionOf,
  cutBy,
  readMetadata,
  textOf,
  type Message,
  type MessageDetails,
  type ServerAction,
  type ThreadSnapshot,
  type ToolCallState,
  type ToolStatus,
} from "@pageside/core";
import { sourcesFor, sourcesOf, type Source } from "./answerSources.js";
import { payloadOf, type PayloadState } from "../../hooks/payloads.js";

type Of<Role extends Message["role"]> = Extract<Message, { role: Role }>;
type Call = NonNullable<Of<"assistant">["toolCalls"]>[number];

/** One thing to draw in an answer. */
export type TurnItem =
  | { kind: "text"; id: string; text: string }
  | { kind: "reasoning"; id: string; text: string }
  | { kind: "tool"; id: string; call: ToolCallState }
  | { kind: "payload"; id: string; payload: PayloadState }
  /** A suggested action that the server carries out. */
  | { kind: "action"; id: string; action: ServerAction }
  /** Calls that follow one another. */
  | { kind: "calls"; id: string; calls: ToolCallState[] }
  /** What a subagent did, told apart by its run. */
  | { kind: "lane"; id: string; items: TurnItem[] };

/** The props of what draws one item of an answer. */
export interface ItemViewProps {
  item: TurnItem;
  /** The message that is being streamed, if it is this one or one inside it. */
  streaming?: string;
  /** Names of tools on screen, by tool name. */
  toolLabels?: Readonly<Record<string, string>>;
  /** Is a text only just being written? */
  isNew?: (id: string) => boolean;
}

/** What the user asked, and everything that answers it. */
export interface Turn {
  /** The id of the question, or of the message that begins the thread. */
  id: string;
  /** Absent if the thread begins with the assistant or the message is hidden. */
  question?: string;
  /** The user's message, if it has files. */
  files?: Message;
  /** What answers the question, in order. */
  items: TurnItem[];
  /** The user stopped the answer. */
  stopped: boolean;
  /** The answer broke off, and no other followed. */
  failed: boolean;
  /** The code of the error it broke off with, if known. */
  failure?: string;
  /** What cut off the answer, and the message that says so. */
  cut?: CutReason;
  cutId?: string;
  /** What the answer rests on, by number. */
  sources: readonly Source[];
}

/** The model's limit on the length of an answer, the provider's filter, or the run's steps. */
export type CutReason = NonNullable<MessageDetails["reason"]>;

/**
 * Groups the messages of a thread into turns. System and developer messages and the server's notes
 * are not shown, nor is the text of a broken answer that a later one replaces.
 */
export function toTurns(snapshot: ThreadSnapshot): Turn[] {
  const results = new Map<string, Of<"tool">>();
  for (const message of snapshot.messages) if (message.role === "tool") results.set(message.toolCallId, message);
  const stopped = new Set(snapshot.stoppedMessageIds);
  const broken = new Set<string>();
  const turns: Turn[] = [];

  for (const message of snapshot.messages) {
    if (message.role === "user") turns.push(asked(message));
    else if (turns.length === 0 && isAnswer(message)) turns.push(newTurn(message));
    const turn = turns.at(-1);
    if (!turn) continue;
    const items = itemsOf(message, snapshot, results);
    const mark = markOf(message);
    if (mark === "failed") broken.add(message.id);
    else if (turn.failed && items.length > 0) {
      turn.items = turn.items.filter(({ id }) => !broken.has(id));
      turn.failed = false;
    }
    laneOf(turn, message).push(...items);
    const named = sourcesOf(message);
    if (named.length > 0) turn.sources = [...turn.sources, ...named];
    turn.stopped ||= mark === "stopped" || stopped.has(message.id);
    turn.failed ||= mark === "failed";
    turn.failure = mark === "failed" ? readMetadata(message).code : turn.failure;
    const cut = cutBy(message);
    if (cut || message.role === "assistant") Object.assign(turn, { cut, cutId: cut && message.id });
  }
  return withSources(turns);
}

/** Adds what answers cite of the sources of earlier ones. */
function withSources(turns: Turn[]): Turn[] {
  const known = new Map<number, Source>();
  for (const turn of turns) {
    for (const source of turn.sources) known.set(source.number, source);
    if (known.size > 0) turn.sources = sourcesFor(turn.sources, known, textsOf(turn.items));
  }
  return turns;
}

const textsOf = (items: readonly TurnItem[]): string[] =>
  items.flatMap((item) => (item.kind === "text" ? [item.text] : item.kind === "lane" ? textsOf(item.items) : []));

function asked(message: Of<"user">): Turn {
  const turn = newTurn(message);
  if (readMetadata(message).hidden === true) return turn;
  const { content } = message;
  const files = Array.isArray(content) && content.some(({ type }) => type !== "text") ? message : undefined;
  return { ...turn, question: textOf(content), files };
}

/** Where a message's items go: to the turn, or to the lane of the subagent that wrote it. */
function laneOf({ items }: Turn, { subagentRunId: id }: Message & { subagentRunId?: string }): TurnItem[] {
  if (!id) return items;
  const known = items.find((item) => item.kind === "lane" && item.id === id);
  if (known?.kind === "lane") return known.items;
  const lane: TurnItem = { kind: "lane", id, items: [] };
  items.push(lane);
  return lane.items;
}

const newTurn = ({ id }: Message): Turn => ({ id, items: [], stopped: false, failed: false, sources: [] });

/** How an answer ended early, if the server says so. */
function markOf(message: Message): "stopped" | "failed" | undefined {
  if (message.role === "activity") return undefined; // a failed payload shows that itself
  const { status } = readMetadata(message);
  return status === "stopped" || status === "failed" ? status : undefined;
}

const isAnswer = (message: Message) =>
  message.role === "assistant" ||
  message.role === "reasoning" ||
  payloadOf(message) !== undefined ||
  actionOf(message) !== undefined;

function itemsOf(message: Message, snapshot: ThreadSnapshot, results: ReadonlyMap<string, Of<"tool">>): TurnItem[] {
  if (message.role === "reasoning")
    return message.content ? [{ kind: "reasoning", id: message.id, text: message.content }] : [];
  const action = actionOf(message);
  if (action) return [{ kind: "action", id: message.id, action }];
  const payload = payloadOf(message);
  if (payload) return [{ kind: "payload", id: message.id, payload }];
  if (message.role !== "assistant") return [];
  const text = textOf(message.content);
  const calls = message.toolCalls ?? [];
  return [
    ...(text ? [{ kind: "text" as const, id: message.id, text }] : []),
    ...calls.map((call) => ({
      kind: "tool" as const,
      id: call.id,
      call: snapshot.toolCalls[call.id] ?? fromHistory(call, results.get(call.id)),
    })),
  ];
}

const known = new WeakMap<Call, { result: Of<"tool"> | undefined; state: ToolCallState }>();

/** The state of a call from the messages, if the client has none. The same object each time. */
function fromHistory(call: Call, result: Of<"tool"> | undefined): ToolCallState {
  const before = known.get(call);
  if (before && before.result === result) return before.state;
  const status: ToolStatus = !result ? "cancelled" : result.error ? "failed" : "complete";
  const state: ToolCallState = {
    id: call.id,
    name: call.function.name,
    frontend: false,
    status,
    argsText: call.function.arguments,
    result: result && textOf(result.content),
    error: result?.error ? { message: result.error } : undefined,
    startedAt: 0,
  };
  known.set(call, { result, state });
  return state;
}

/** The answer's markdown, for the clipboard and for the screen reader. */
export function answerOf(turn: Turn): string {
  return turn.items.flatMap((item) => (item.kind === "text" ? [item.text] : [])).join("\n\n");
}

/** Fewer calls in a row are not grouped. */
const MANY = 3;

/** Rows of calls that are over as one item each. */
export function grouped(items: readonly TurnItem[]): TurnItem[] {
  const groups: TurnItem[] = [];
  for (let at = 0; at < items.length;) {
    const calls: ToolCallState[] = [];
    for (let item = items[at]; item?.kind === "tool" && isOver(item.call); item = items[at + calls.length])
      calls.push(item.call);
    if (calls.length >= MANY) groups.push({ kind: "calls", id: `calls ${calls[0]!.id}`, calls });
    else groups.push(...items.slice(at, at + Math.max(calls.length, 1)));
    at += Math.max(calls.length, 1);
  }
  return groups;
}

const isOver = (call: ToolCallState) => !isLive(call) && call.status !== "awaiting-approval";

/** Reports whether a run is live. */
export function isBusy({ status }: Pick<ThreadSnapshot, "status">): boolean {
  return status !== "idle" && status !== "error";
}

/** Reports whether a run is live but nothing moves on screen. */
export function isWaiting(turn: Turn | undefined, streamingId: string | undefined): boolean {
  const last = turn?.items.at(-1);
  if (!last) return true;
  if (last.kind === "tool") return !turn!.items.some((item) => item.kind === "tool" && !isOver(item.call));
  if (last.kind === "action") return false;
  if (last.kind === "payload") return !last.payload.streaming;
  return last.id !== streamingId;
}

/** Reports whether a call is not over. */
export function isLive({ status }: Pick<ToolCallState, "status">): boolean {
  return status === "pending" || status === "executing";
}

/** Reports whether two turns look the same. They are built anew for every snapshot. */
export function sameTurn(a: Turn, b: Turn): boolean {
  if (a.id !== b.id || a.question !== b.question || a.stopped !== b.stopped || a.failed !== b.failed) return false;
  if (a.failure !== b.failure || a.cut !== b.cut || a.cutId !== b.cutId) return false;
  if (a.sources.length !== b.sources.length || a.sources.some((source, at) => source !== b.sources[at])) return false;
  return a.files === b.files && sameItems(a.items, b.items);
}

function sameItems(a: readonly TurnItem[], b: readonly TurnItem[]): boolean {
  return a.length === b.length && a.every((item, index) => sameItem(item, b[index]!));
}

function sameItem(a: TurnItem, b: TurnItem): boolean {
  if (a.kind === "tool") return b.kind === "tool" && a.call === b.call;
  if (a.kind === "payload") return b.kind === "payload" && a.payload === b.payload;
  if (a.kind === "action") return b.kind === "action" && a.action === b.action;
  if (a.kind === "lane") return b.kind === "lane" && a.id === b.id && sameItems(a.items, b.items);
  if (a.kind === "calls") return false; // made for drawing only
  return a.kind === b.kind && "text" in b && a.id === b.id && a.text === b.text;
}
