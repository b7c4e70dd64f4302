/**
 * What is done with a thread: runs, loading, stopping, answering, branches, other tabs, and what
 * the server is asked for beside runs. Loaded in one piece when somebody looks at the thread or
 * sends, so that it is there when the network is not.
 */
export { branches } from "./branches.js";
export { editQueued, reconnect, removeQueued, retry, sendQueue, stop } from "./control.js";
export { edit, regenerate, switchTo } from "./edit.js";
export { drive } from "./engine.js";
export { follow } from "./follow.js";
export { open } from "./load.js";
export { cancelInterrupt, respond, resumePending } from "./pending.js";
export {
  archiveThread,
  deleteThread,
  listAllowances,
  listThreads,
  readModel,
  renameThread,
  restoreThread,
  revokeAllowance,
  runAction,
  sendFeedback,
  setPayloadStatus,
  suggest,
} from "./server-api.js";
export { checkWrites } from "./state.js";
