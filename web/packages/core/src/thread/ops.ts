/**
 * Everything that is done with a thread: runs, loading, stopping, answering, branches, other tabs,
 * and other requests. Loaded in one piece on the first subscription or message, so that it works
 * when the network fails later.
 */
export { pickModel, readAgent } from "./agent.js";
export { changeCall } from "./apply.js";
export { branches } from "./branches.js";
export { editQueued, reconnect, removeQueued, retry, sendQueue, stop } from "./control.js";
export { continueAnswer } from "./continue.js";
export { edit, regenerate, switchTo } from "./edit.js";
export { ask, drive } from "./engine.js";
export { follow } from "./follow.js";
export { open } from "./load.js";
export { loadOlder } from "./older.js";
export { answer, resumePending } from "./pending.js";
export {
  archiveThread,
  pinThread,
  deleteThread,
  listAllowances,
  listThreads,
  readLimits,
  renameThread,
  restoreThread,
  revokeAllowance,
  runAction,
  sendFeedback,
  setPayloadStatus,
  suggest,
} from "./server-api.js";
export { snapshotOf } from "./shown.js";
export { toClientError } from "../protocol/failure.js";
