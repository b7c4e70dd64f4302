/**
 * What goes beyond a first answer in text, in one piece: tools, broken connections, stopping and
 * retrying, stored threads, cards and shared state, approvals, branches, other tabs. It is fetched
 * while the first run is on its way, so that it is there when the network is not.
 */
export { branches, edit, regenerate, switchTo } from "./branches.js";
export { ChunkExpander } from "../protocol/chunks.js";
export { editQueued, readOn, reconnect, removeQueued, retry, runAgain, sendQueue, stop } from "./control.js";
export { follow } from "./follow.js";
export { foldRare } from "../protocol/fold-calls.js";
export { cancelInterrupt, respond } from "./pending.js";
export { open, replaceMessages, watch } from "./load.js";
export { prepare } from "../page/prepare.js";
export { guard, resume } from "./reconnect.js";
export { checkWrites, keepWrites } from "./state.js";
export { ToolCalls } from "../tools/calls.js";
export { answerCalls, resumePending } from "./answer-calls.js";
