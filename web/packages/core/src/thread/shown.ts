/** What is shown of a thread. */
import { callStates } from "../tools/calls.js";
import { withPredicted } from "./predict.js";
import type { Thread } from "./thread.js";
import type { ThreadSnapshot } from "./types.js";

/** What a thread that may have tool calls shows. What has not changed is as in `last`. */
export function snapshotOf(thread: Thread, last?: ThreadSnapshot["toolCalls"]): ThreadSnapshot {
  const { messages, progress, predicted, state } = thread.data;
  const toolCalls = callStates(messages, progress, last);
  return { ...thread.snapshot(), toolCalls, state: predicted ? withPredicted(state, predicted, toolCalls) : state };
}
