/** What runs say in tests: the events of a text, of calls, of an end. */
import type { AgUiEvent } from "../src/protocol/events.js";
import type { Script } from "./server.js";

const event = (value: object) => value as AgUiEvent;

export const finished = (outcome?: object) => event({ type: "RUN_FINISHED", ...(outcome && { outcome }) });

export function* text(id: string, ...deltas: string[]): Iterable<AgUiEvent> {
  yield event({ type: "TEXT_MESSAGE_START", messageId: id, role: "assistant" });
  for (const delta of deltas) yield event({ type: "TEXT_MESSAGE_CONTENT", messageId: id, delta });
  yield event({ type: "TEXT_MESSAGE_END", messageId: id });
}

export function* call(id: string, name: string, args: unknown, parentMessageId?: string): Iterable<AgUiEvent> {
  yield event({
    type: "TOOL_CALL_START",
    toolCallId: id,
    toolCallName: name,
    ...(parentMessageId && { parentMessageId }),
  });
  yield event({
    type: "TOOL_CALL_ARGS",
    toolCallId: id,
    delta: typeof args === "string" ? args : JSON.stringify(args),
  });
  yield event({ type: "TOOL_CALL_END", toolCallId: id });
}

export const result = (id: string, content: unknown) =>
  event({
    type: "TOOL_CALL_RESULT",
    messageId: `r-${id}`,
    toolCallId: id,
    content: JSON.stringify(content),
    role: "tool",
  });

/** An answer of one message. */
export const answer = (words: string, id = "a1"): Script =>
  function* () {
    yield* text(id, words);
    yield finished();
  };

/** A run that calls tools of the page and waits for them. */
export const calls = (...list: [id: string, name: string, args?: unknown][]): Script =>
  function* () {
    for (const [id, name, args = {}] of list) yield* call(id, name, args, "m-" + list[0]![0]);
    yield finished({ type: "success", pendingToolCallIds: list.map(([id]) => id) });
  };
