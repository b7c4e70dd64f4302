/** Applying events to a thread. */
import type { AgUiEvent, EventOf } from "../protocol/events.js";
import { fold } from "../protocol/fold.js";
import { withMissing } from "../protocol/messages.js";
import type { Message } from "../protocol/types.js";
import { ToolCalls } from "../tools/calls.js";
import type { Question } from "../tools/questions.js";
import { Prediction } from "./predict.js";
import type { ActiveRun } from "./session.js";
import { questionOf } from "./question.js";
import { takeState } from "./state.js";
import type { Thread } from "./thread.js";
import { countUsage } from "./usage.js";

/** The tool calls of the thread, created on first use. */
export function callsOf(thread: Thread): ToolCalls {
  return (thread.calls ??= new ToolCalls(thread.isFrontend));
}

/** Applies one event, but no chunk. */
export function applyEvent(thread: Thread, event: AgUiEvent): void {
  const { type } = event;
  if (type.startsWith("STATE_")) takeState(thread, fold({ messages: [], state: thread.base }, event).state);
  else thread.view = fold(thread.view, event);
  if (/^TOOL_CALL|^MESSAGES_SNAPSHOT/.test(type)) callsOf(thread);
  thread.calls?.apply(event);
  if (type === "MESSAGES_SNAPSHOT") thread.calls?.learn(thread.view.messages);
  if (type.startsWith("STATE_")) thread.onState?.();
  if (type === "CUSTOM") applyCustom(thread, event);
  thread.prediction?.apply(event);
  if (type.startsWith("RUN_")) countUsage(thread, event);
  if (type === "TOOL_CALL_RESULT") close(thread, ({ toolCallId }) => toolCallId !== event.toolCallId);
  if (type === "RUN_FINISHED") {
    const asked = event.outcome?.type === "interrupt" ? event.outcome.interrupts : [];
    thread.view.questions = asked.map((each) => questionOf(each, thread.calls?.get(each.toolCallId ?? "")));
  }
  if (/^(TEXT|REASONING)_MESSAGE_/.test(type)) {
    thread.view.streamingMessageId = type.endsWith("END") ? undefined : (event as { messageId: string }).messageId;
  }
  if (/^(TEXT|REASONING|TOOL|ACTIVITY)_/.test(type)) {
    thread.view.retrying = undefined;
    if (/submitted|idle/.test(thread.view.status)) thread.view.status = "streaming";
  }
}

/** Notes that the server has taken these messages. Tool results are already in place. */
export function accept(thread: Thread, messages: readonly Message[]): void {
  thread.unsent = thread.unsent.filter((message) => !messages.includes(message));
  const asked = messages.filter(({ role }) => role === "user");
  thread.view.messages = withMissing(thread.view.messages, asked);
}

/**
 * Marks the answer of a run that the user stopped. An answer that the run went on with stays marked
 * as cut instead.
 */
export function markStopped(thread: Thread, { before, continues }: ActiveRun): void {
  const messages = thread.messages();
  const made = messages.findLast(({ id, role }) => role === "assistant" && !before.has(id));
  const last = made ?? (continues ? undefined : messages.at(-1));
  if (last) thread.view.stoppedMessageIds = [...thread.view.stoppedMessageIds, last.id];
}

function close({ view }: Thread, isOpen: (question: Question) => boolean): void {
  if (!view.questions.every(isOpen)) view.questions = view.questions.filter(isOpen);
}

function applyCustom(thread: Thread, { name, value }: EventOf<"CUSTOM">): void {
  const { view } = thread;
  if (name === "PredictState") (thread.prediction ??= new Prediction()).announce(value);
  if (name === "conversation_title" && typeof value === "string") view.title = value;
  if (name === "retrying") view.retrying = typeof value === "object" && value !== null ? value : {};
}
