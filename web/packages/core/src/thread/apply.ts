/** What events, and what the server has taken, make of a thread. */
import type { AgUiEvent } from "../protocol/events.js";
import { fold } from "../protocol/fold.js";
import { callOf, withMissing } from "../protocol/messages.js";
import type { Message } from "../protocol/types.js";
import { learned, progressAfter, settled, withCall, type CallChange } from "../tools/calls.js";
import type { ActiveRun } from "./session.js";
import { predictedAfter } from "./predict.js";
import { questionOf } from "./question.js";
import { checkWrites, withState, type Writing } from "./state.js";
import type { Thread, ThreadData, ThreadPage } from "./thread.js";
import { counted } from "./usage.js";

/** Applies one event, but no chunk. Shows soon. */
export function applyEvent(session: Writing, event: AgUiEvent): void {
  const { thread } = session;
  thread.update((data) => applied(data, event, thread.page), "soon");
  if (event.type.startsWith("STATE_")) checkWrites(session);
}

/** The state that agents are sent where there is none, and that their deltas change. */
const NONE: unknown = {};

/** What one event makes of a thread. */
function applied(data: ThreadData, event: AgUiEvent, page: ThreadPage): ThreadData {
  const { type } = event;
  if (type.startsWith("STATE_")) {
    const before = data.base === undefined ? NONE : data.base;
    const { state } = fold({ messages: [], state: before }, event);
    return {
      ...withState(data, state === NONE ? undefined : state, page),
      predicted: predictedAfter(data.predicted, event),
    };
  }
  const folded = fold(data, event);
  const progress = progressAfter(data.progress, event, page.isFrontend);
  return {
    ...folded,
    progress: type === "MESSAGES_SNAPSHOT" ? learned(progress, folded.messages, page.isFrontend) : progress,
    predicted: predictedAfter(data.predicted, event),
    ...counted(data, event),
    ...asked(folded, event),
    ...told(event),
    ...streaming(data, event),
  };
}

/** What waits for the user after an event. */
function asked({ messages, questions }: ThreadData, event: AgUiEvent): Partial<ThreadData> {
  if (event.type === "TOOL_CALL_RESULT" && questions.some(({ toolCallId }) => toolCallId === event.toolCallId))
    return { questions: questions.filter(({ toolCallId }) => toolCallId !== event.toolCallId) };
  if (event.type !== "RUN_FINISHED") return {};
  const interrupts = event.outcome?.type === "interrupt" ? event.outcome.interrupts : [];
  return { questions: interrupts.map((each) => questionOf(each, callOf(messages, each.toolCallId ?? ""))) };
}

/** What the server says of the thread in an event of its own. */
function told(event: AgUiEvent): Partial<ThreadData> {
  if (event.type !== "CUSTOM") return {};
  const { name, value } = event;
  if (name === "conversation_title" && typeof value === "string") return { title: value };
  return name === "retrying" ? { retrying: typeof value === "object" && value !== null ? value : {} } : {};
}

/** Which message streams after an event. */
function streaming({ status }: ThreadData, event: AgUiEvent): Partial<ThreadData> {
  const { type, messageId } = event as { type: string; messageId?: string };
  if (!/^(TEXT|REASONING|TOOL|ACTIVITY)_/.test(type)) return {};
  return {
    retrying: undefined,
    status: /submitted|idle/.test(status) ? "streaming" : status,
    ...(/^(TEXT|REASONING)_MESSAGE_/.test(type) && {
      streamingMessageId: type.endsWith("END") ? undefined : messageId,
    }),
  };
}

/** Notes that the server has taken these messages. Tool results are already in place. */
export function accept(thread: Thread, taken: readonly Message[]): void {
  const asked = taken.filter(({ role }) => role === "user");
  thread.update(
    ({ messages, unsent, ...data }) => ({
      ...data,
      unsent: unsent.filter((message) => !taken.includes(message)),
      messages: withMissing(messages, asked),
    }),
    "soon",
  );
}

/** Changes what is known of a call. Reports whether there is one with that id. */
export function changeCall(thread: Thread, id: string, change: CallChange): boolean {
  const { progress } = thread.data;
  thread.update({ progress: withCall(progress, id, change) }, "soon");
  return progress.has(id);
}

/** Settles every call that is still open. */
export function settleCalls(thread: Thread, change: CallChange): void {
  thread.update((data) => ({ ...data, progress: settled(data.progress, change) }), "soon");
}

/**
 * Marks the answer of a run that the user stopped. An answer that the run went on with stays marked
 * as cut instead.
 */
export function markStopped(thread: Thread, { before, continues }: ActiveRun): void {
  const messages = thread.messages();
  const made = messages.findLast(({ id, role }) => role === "assistant" && !before.has(id));
  const last = made ?? (continues ? undefined : messages.at(-1));
  if (last) thread.update({ stoppedMessageIds: [...thread.data.stoppedMessageIds, last.id] }, "soon");
}
