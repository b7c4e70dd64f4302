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
import { citedIn, sourcesFor, sourcesOf, type Source } from "./answerSources.js";
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
 * are not shown, nor is the text of a broken answer that a later one replaces. A turn of the same
 * messages is the same object each time.
 */
export function toTurns(snapshot: ThreadSnapshot): Turn[] {
  const results = new Map<string, Of<"tool">>();
  for (const message of snapshot.messages) if (message.role === "tool") results.set(message.toolCallId, message);
  const stopped = new Set(snapshot.stoppedMessageIds);
  const look: Look = {
    callOf: (call) => snapshot.toolCalls[call.id] ?? fromHistory(call, results.get(call.id)),
    isStopped: (id) => stopped.has(id),
  };
  return withSources(groupsOf(snapshot.messages).map((group) => turnOf(group, look)));
}

/** What the thread knows of messages, beside them. */
interface Look {
  callOf: (call: Call) => ToolCallState;
  isStopped: (id: string) => boolean;
}

/** The messages of each turn: a question begins one, and so does an answer without any. */
function groupsOf(messages: readonly Message[]): Message[][] {
  const groups: Message[][] = [];
  for (const message of messages) {
    if (message.role === "user" || (groups.length === 0 && isAnswer(message))) groups.push([message]);
    else groups.at(-1)?.push(message);
  }
  return groups;
}

/** The turns that were made, by their first message, with all that they were made of. */
const made = new WeakMap<Message, { of: readonly unknown[]; turn: Turn }>();

function turnOf(group: readonly Message[], look: Look): Turn {
  const of = group.flatMap((message): unknown[] => [message, look.isStopped(message.id), ...callsOf(message).map(look.callOf)]); // prettier-ignore
  const before = made.get(group[0]!);
  if (before && isSame(before.of, of)) return before.turn;
  const turn = newTurnOf(group, look);
  made.set(group[0]!, { of, turn });
  return turn;
}

const isSame = (a: readonly unknown[], b: readonly unknown[]) =>
  a.length === b.length && a.every((each, index) => each === b[index]);

const callsOf = (message: Message): readonly Call[] => (message.role === "assistant" && message.toolCalls) || [];

function newTurnOf(group: readonly Message[], look: Look): Turn {
  const first = group[0]!;
  const turn = first.role === "user" ? asked(first) : newTurn(first);
  const broken = new Set<string>();
  for (const message of group) {
    const items = itemsOf(message, look);
    const mark = markOf(message);
    if (mark === "failed") broken.add(message.id);
    else if (turn.failed && items.length > 0) {
      turn.items = turn.items.filter(({ id }) => !broken.has(id));
      turn.failed = false;
    }
    laneOf(turn, message).push(...items);
    const named = sourcesOf(message);
    if (named.length > 0) turn.sources = [...turn.sources, ...named];
    turn.stopped ||= mark === "stopped" || look.isStopped(message.id);
    turn.failed ||= mark === "failed";
    turn.failure = mark === "failed" ? readMetadata(message).code : turn.failure;
    const cut = cutBy(message);
    if (cut || message.role === "assistant") Object.assign(turn, { cut, cutId: cut && message.id });
  }
  return turn;
}

/** The turns that cite something, by the turn without it. */
const citing = new WeakMap<Turn, Turn>();

/** Adds what answers cite of the sources of earlier ones. */
function withSources(turns: readonly Turn[]): Turn[] {
  const known = new Map<number, Source>();
  return turns.map((turn) => {
    for (const source of turn.sources) known.set(source.number, source);
    if (known.size === 0) return turn;
    const sources = sourcesFor(turn.sources, known, citedBy(turn));
    const before = citing.get(turn);
    if (before && isSame(before.sources, sources)) return before;
    const cited = { ...turn, sources };
    citing.set(turn, cited);
    return cited;
  });
}

const cited = new WeakMap<Turn, readonly number[]>();

/** The numbers that a turn's texts cite. */
function citedBy(turn: Turn): readonly number[] {
  const numbers = cited.get(turn) ?? textsOf(turn.items).flatMap(citedIn);
  cited.set(turn, numbers);
  return numbers;
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

function itemsOf(message: Message, { callOf }: Look): TurnItem[] {
  if (message.role === "reasoning")
    return message.content ? [{ kind: "reasoning", id: message.id, text: message.content }] : [];
  const action = actionOf(message);
  if (action) return [{ kind: "action", id: message.id, action }];
  const payload = payloadOf(message);
  if (payload) return [{ kind: "payload", id: message.id, payload }];
  if (message.role !== "assistant") return [];
  const text = textOf(message.content);
  return [
    ...(text ? [{ kind: "text" as const, id: message.id, text }] : []),
    ...callsOf(message).map((call) => ({ kind: "tool" as const, id: call.id, call: callOf(call) })),
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
