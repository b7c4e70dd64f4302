/** The functions of a client that are about threads. */
import { newId } from "../base/values.js";
import type { PayloadStatus, SuggestedValue } from "../protocol/pageside.js";
import type { Json } from "../protocol/types.js";
import type { Approval } from "../tools/types.js";
import type { Current, ThreadOps } from "./current.js";
import type { Session } from "./session.js";
import type { ThreadsApi } from "./threads.js";
import type { Branch, SendOptions, StateOutcome, ThreadSnapshot } from "./types.js";

/** What a client does with the open thread and on the server. */
export interface ThreadApi {
  /**
   * Calls the listener after every change of the snapshot, at most about 30 times a second while an
   * answer streams. Errors that it throws go to the console. The first subscription loads the
   * thread that the options named. The function undoes it.
   */
  subscribe(listener: () => void): () => void;
  /** The thread as it is now: the same object until something changes. */
  getSnapshot(): ThreadSnapshot;

  /**
   * Sends a user message and resolves when the answer, and every frontend tool it called, is done.
   * A message sent while a run is going on waits in `queue` for its end, so the handler of a tool
   * must not wait for it; it resolves too when it is taken out of the queue. Never rejects:
   * failures are in the snapshot. Sends nothing where the text is only white space. Open interrupts
   * count as cancelled by it.
   */
  send(text: string, options?: SendOptions): Promise<void>;
  /** Changes a message of the queue. */
  editQueued(id: string, text: string): Promise<void>;
  /** Takes a message out of the queue. */
  removeQueued(id: string): Promise<void>;
  /**
   * Sends what `stop()` or an error held back in the queue. The next `send()` does so too, before
   * its own message.
   */
  sendQueue(): Promise<void>;
  /**
   * Stops the run, here and on the server, and the tools; what was answered so far stays. The
   * results of tools that were done by then go out with the next message. Messages in the queue
   * stay there, held: after "stop" nothing is sent until the user sends again. Where the server
   * cannot be told, or does not end the run, it ends here.
   */
  stop(): Promise<void>;
  /**
   * Does again what failed: goes on with the run whose connection was lost, sends the message or
   * the tool results again with the same ids and a new run id, or loads the thread again. Tools
   * that ran are not run again.
   */
  retry(): Promise<void>;
  /**
   * Tries at once what waits for its next attempt to reach the server, also after that was given
   * up.
   */
  reconnect(): Promise<void>;
  /** Takes the error out of the snapshot. `retry()` is still possible. */
  clearError(): void;

  /** Leaves the thread and begins an empty one. What `openThread` says of leaving holds. */
  newThread(): void;
  /**
   * Leaves the thread and loads another, with its live run, if it has one; a failure is in the
   * snapshot. A run of the old thread goes on on the server; its tools here are stopped, and what
   * those had done by then is sent. Its queue is kept for when it is opened again. Frontend tools
   * that are still waiting for a result are shown as pending, not run.
   */
  openThread(threadId: string): Promise<void>;
  /**
   * Runs the frontend tools that were still pending when the thread was loaded, and sends their
   * results: each once, and in one tab. Those whose handler had begun before (`attempted`) are only
   * run with `again`.
   */
  resumePending(options?: { again?: boolean }): Promise<void>;
  /**
   * Keeps the open thread in step with what happens to it in other tabs and on other devices, while
   * this page is visible. Tools are not run for what comes this way. The function undoes it.
   */
  follow(): () => void;
  /** One page of the user's threads, newest first; the same as `threads.list({ cursor })`. */
  listThreads: (cursor?: string) => ReturnType<ThreadsApi["list"]>;
  /** The user's threads: list, search, rename, archive, delete. */
  readonly threads: ThreadsApi;

  /**
   * Answers an interrupt. Once every open one has an answer, a run takes all of them to the server.
   * Where an approval's metadata has `pageside.allowance`, the answer may be `{ approved: true,
   * always: true }`: the same call then runs without asking, for as long as that says.
   */
  respond(interruptId: string, answer: Approval | Json): Promise<void>;
  /**
   * Answers an interrupt with "cancelled": the call is not executed, the question stays unanswered.
   */
  cancelInterrupt(interruptId: string): Promise<void>;

  /**
   * Asks again with another text in place of a user message. What followed stays as another branch.
   */
  edit(messageId: string, text: string, options?: SendOptions): Promise<void>;
  /**
   * Asks the same again: for another answer to the question that the message, a user's or an
   * assistant's, belongs to.
   */
  regenerate(messageId: string): Promise<void>;
  /**
   * The branches at a user message, oldest first, itself included. Also brings `branches` of the
   * snapshot up to date.
   */
  branches(messageId: string): Promise<readonly Branch[]>;
  /** Shows the branch that a run belongs to, up to its newest answer. */
  switchTo(runId: string): Promise<void>;

  /**
   * Accepts or dismisses a payload card, or opens it again; the model is told with the next
   * message. Rejects where the server did not take it.
   */
  setPayloadStatus(messageId: string, status: PayloadStatus): Promise<void>;
  /** Keeps what the user thinks of an answer. */
  sendFeedback(messageId: string, feedback: { rating: -1 | 0 | 1; comment?: string }): Promise<void>;
  /**
   * Runs a suggested action whose handler is on the server, and resolves with its result. Where the
   * server wants to be sure that the user saw what will be done, it rejects with an error whose
   * `error.code` is `"approval_required"` and whose `args` are the arguments to show: ask, and run
   * it again with `approved`.
   */
  runAction(name: string, args?: Json, options?: { approved?: boolean }): Promise<unknown>;
  /**
   * What the user might ask here and now. Resolves with an empty list where the server has no idea.
   */
  suggest(instructions?: string): Promise<SuggestedValue[]>;

  /**
   * Changes the state that the thread shares with the agent. `change` returns another value and
   * leaves the old one as it is; the snapshot shows it at once, and the next run takes it to the
   * server. Resolves when such a run has ended, or as soon as the server writes something else
   * there: what the server says wins, and `kept` is false. Never rejects.
   */
  updateState(change: (state: unknown) => unknown): Promise<StateOutcome>;
}

/** Makes the functions that work at once. */
function openThreadApi(current: Current) {
  const { shared, snapshots } = current;
  return {
    subscribe(listener) {
      const undo = snapshots.subscribe(listener);
      current.start();
      return undo;
    },
    getSnapshot: () => snapshots.value,
    async send(text, options = {}) {
      if (text.trim() !== "" || options.attachments?.length) await current.session.send(text, options);
    },
    clearError() {
      const { thread } = current.session;
      const { status } = thread.view;
      thread.set({ status: status === "error" ? "idle" : status, error: undefined });
    },
    newThread() {
      shared.memory.write({});
      current.replace(newId());
    },
    follow: () => current.follow(),
    updateState(change) {
      const { session } = current;
      const { thread } = session;
      const before = thread.view.state;
      thread.set({ state: change(before) });
      return session.written(before, thread.view.state);
    },
  } satisfies Partial<ThreadApi>;
}

/**
 * Makes the functions of a client that are about threads. What they do not need at once is loaded
 * when the first of them is called.
 */
export function threadApi(current: Current): ThreadApi {
  /** A function of the loaded part, for the session that is open when it is called. */
  const loaded =
    <Args extends unknown[], Result>(pick: (ops: ThreadOps) => (session: Session, ...args: Args) => Result) =>
    async (...args: Args): Promise<Awaited<Result>> => {
      const { session } = current;
      return await pick(await current.load())(session, ...args);
    };
  const open = loaded((ops) => ops.open);
  const list = loaded((ops) => ops.listThreads);
  return {
    ...openThreadApi(current),
    openThread(threadId) {
      current.replace(threadId).thread.set({ loading: true });
      return open();
    },
    stop: loaded((ops) => ops.stop),
    retry: loaded((ops) => ops.retry),
    reconnect: loaded((ops) => ops.reconnect),
    editQueued: loaded((ops) => ops.editQueued),
    removeQueued: loaded((ops) => ops.removeQueued),
    sendQueue: loaded((ops) => ops.sendQueue),
    resumePending: loaded((ops) => ops.resumePending),
    respond: loaded((ops) => ops.respond),
    cancelInterrupt: loaded((ops) => ops.cancelInterrupt),
    edit: loaded((ops) => ops.edit),
    regenerate: loaded((ops) => ops.regenerate),
    branches: loaded((ops) => ops.branches),
    switchTo: loaded((ops) => ops.switchTo),
    setPayloadStatus: loaded((ops) => ops.setPayloadStatus),
    sendFeedback: loaded((ops) => ops.sendFeedback),
    runAction: loaded((ops) => ops.runAction),
    suggest: loaded((ops) => ops.suggest),
    listThreads: (cursor) => list({ cursor }),
    threads: {
      list,
      rename: loaded((ops) => ops.renameThread),
      archive: loaded((ops) => ops.archiveThread),
      delete: loaded((ops) => ops.deleteThread),
      restore: loaded((ops) => ops.restoreThread),
      allowances: loaded((ops) => ops.listAllowances),
      revoke: loaded((ops) => ops.revokeAllowance),
    },
  };
}
