import { bind, bindAll, loadApi } from "../bind.js";
import type { Current } from "./current.js";
import { newId } from "../base/id.js";
import { loadLater } from "../lazy.js";
import type { PagesideClient } from "./types.js";

/** What is asked of the server beside runs. */
export function serverOf(current: Current) {
  const list = bind(current, loadApi, "listThreads");
  return {
    ...bindAll(current, loadApi, "setPayloadStatus", "sendFeedback", "runAction", "suggest"),
    listThreads: (cursor) => list({ cursor }),
    threads: {
      list,
      rename: bind(current, loadApi, "renameThread"),
      archive: bind(current, loadApi, "archiveThread"),
      delete: bind(current, loadApi, "deleteThread"),
      restore: bind(current, loadApi, "restoreThread"),
      allowances: bind(current, loadApi, "listAllowances"),
      revoke: bind(current, loadApi, "revokeAllowance"),
    },
  } satisfies Partial<PagesideClient>;
}

/** What is loaded once something of it is needed: stopping, going on, editing, answering. */
export function laterOf(current: Current) {
  return bindAll(
    current,
    loadLater,
    "stop",
    "retry",
    "reconnect",
    "editQueued",
    "removeQueued",
    "sendQueue",
    "resumePending",
    "respond",
    "cancelInterrupt",
    "edit",
    "regenerate",
    "branches",
    "switchTo",
  ) satisfies Partial<PagesideClient>;
}

/** Which thread is open, and what is said on it. */
export function threadOf(current: Current) {
  const { shared, picture } = current;
  const open = bind(current, loadLater, "open");
  return {
    subscribe(listener) {
      const undo = picture.subscribe(listener);
      current.start();
      return undo;
    },
    getSnapshot: () => picture.value,
    send: async (text, options = {}) => {
      if (text.trim() !== "" || options.attachments?.length) await current.session.send(text, options);
    },
    clearError() {
      const { thread } = current.session;
      const { status } = thread.view;
      thread.set({ status: status === "error" ? "idle" : status, error: undefined });
    },
    newThread: () => {
      shared.memory.write({});
      current.replace(newId());
    },
    openThread: (threadId) => {
      current.replace(threadId).thread.set({ loading: true });
      return open();
    },
    follow: () => current.follow(),
    confirm: (toolCallId, answer) => shared.confirmations.get(toolCallId)?.(answer),
    updateState(change) {
      const { session } = current;
      const { thread } = session;
      const before = thread.view.state;
      thread.set({ state: change(before) });
      return session.written(before, thread.view.state);
    },
    destroy() {
      picture.close();
      current.session.close();
    },
  } satisfies Partial<PagesideClient>;
}
