/** The client's functions for threads. */
import { newId } from "../base/values.js";
import type { PayloadStatus, SuggestedValue } from "../protocol/pageside.js";
import type { Json } from "../protocol/types.js";
import type { Answer } from "../tools/questions.js";
import type { Current, ThreadOps } from "./current.js";
import type { UserLimits } from "./limits.js";
import type { Session } from "./session.js";
import type { ThreadsApi } from "./threads.js";
import type { AnswerFeedback, Branch, Effort, SendOptions, StateOutcome, ThreadSnapshot } from "./types.js";

/** What a client does with the open thread and on the server. */
export interface ThreadApi {
  /**
   * Calls the listener after every change of the snapshot, at most about 30 times a second while an
   * answer streams. Errors that it throws go to the console. The first subscription loads the
   * thread given in the options. The function undoes it.
   */
  subscribe(listener: () => void): () => void;
  /**
   * As `subscribe`, for what is on the page before the user turns to the assistant: requests
   * nothing unless there is a thread to load.
   */
  watch(listener: () => void): () => void;
  /**
   * As `watch`, for what shows the user all `questions` of the snapshot. While there is no such
   * listener, what asks without a call of the assistant rejects at once: actions of the page,
   * `callTool`, `runAction`.
   */
  watchQuestions(listener: () => void): () => void;
  /** The current state of the thread. The same object until something changes. */
  getSnapshot(): ThreadSnapshot;

  /**
   * Sends a user message and resolves when the answer, and every frontend tool it called, is done.
   * A message sent during a run waits in `queue`, so a tool's handler must not await it; the
   * promise also resolves when the message is removed from the queue. Never rejects: failures are
   * in the snapshot. Blank text is not sent. Cancels open
   * questions of the thread.
   */
  send(text: string, options?: SendOptions): Promise<void>;
  /** Changes a queued message. */
  editQueued(id: string, text: string): Promise<void>;
  /** Removes a queued message. */
  removeQueued(id: string): Promise<void>;
  /**
   * Sends what `stop()` or an error held back in the queue. The next `send()` does so too, before
   * its own message.
   */
  sendQueue(): Promise<void>;
  /**
   * Stops the run, here and on the server, and its tools. What was answered so far stays. Results
   * of tools that were done go out with the next message. The queue is held until the user sends
   * again. If the server cannot be reached or does not end the run, it ends here.
   */
  stop(): Promise<void>;
  /**
   * Repeats what failed: resumes the run whose connection was lost, sends the message or the tool
   * results again (same ids, new run id), or loads the thread again. Tools do not run twice.
   */
  retry(): Promise<void>;
  /** Retries a lost connection at once, even after it was given up. */
  reconnect(): Promise<void>;
  /** Removes the error from the snapshot. `retry()` is still possible. */
  clearError(): void;

  /** Leaves the thread, as `openThread` does, and begins an empty one. */
  newThread(): void;
  /**
   * Leaves the thread and loads another, with its live run, if any. Failures are in the snapshot. A
   * run of the old thread continues on the server; its tools here are stopped, and their results so
   * far are sent. Its queue is kept until it is opened again. Pending calls of frontend tools are
   * shown, not run.
   */
  openThread(threadId: string): Promise<void>;
  /**
   * Loads messages before the first one of `messages`, in whole turns: some more, or all with
   * `all`. Never rejects: `older` of the snapshot says if it failed.
   */
  loadOlder(options?: { all?: boolean }): Promise<void>;
  /**
   * Runs the frontend tools that were pending when the thread was loaded, each once and in one tab,
   * and sends their results. Calls whose handler had begun before (`attempted`) run only with
   * `again`.
   */
  resumePending(options?: { again?: boolean }): Promise<void>;
  /**
   * Keeps the open thread in step with other tabs and devices while this page is visible. Does not
   * run tools for their runs. The function undoes it.
   */
  follow(): () => void;
  /** One page of the user's threads, newest first; the same as `threads.list({ cursor })`. */
  listThreads: (cursor?: string) => ReturnType<ThreadsApi["list"]>;
  /** The user's threads: list, search, rename, archive, pin, delete. */
  readonly threads: ThreadsApi;
  /**
   * The user's limits, and what is used of them. Rejects if the server refuses or cannot be
   * reached.
   */
  limits(): Promise<UserLimits>;

  /**
   * Answers a question of the snapshot, and resolves when what it leads to is done. Without an
   * answer the call is not executed, or the question stays unanswered. The thread's questions can
   * be answered anew until each has an answer: one run then takes all of them to the server. The
   * first answer to a question of the page counts. Does nothing if no question with that id waits.
   */
  answer(questionId: string, answer?: Answer): Promise<void>;

  /**
   * Replaces a user message and asks again. The old message and what followed stay as another
   * branch.
   */
  edit(messageId: string, text: string, options?: SendOptions): Promise<void>;
  /**
   * Asks the same question again for another answer. The message is the question or part of its
   * answer.
   */
  regenerate(messageId: string): Promise<void>;
  /**
   * Goes on with an answer that a limit or a filter cut off, in the same message: its text grows.
   * `cutBy(message)` says what cut it. By default it is the last one that was cut; the server goes
   * on with the last answer of the branch only.
   */
  continueAnswer(messageId?: string): Promise<void>;
  /**
   * The branches at a user message, oldest first, including its own. Also updates `branches` of the
   * snapshot.
   */
  branches(messageId: string): Promise<readonly Branch[]>;
  /** Shows the branch that a run belongs to, up to its newest answer. */
  switchTo(runId: string): Promise<void>;

  /**
   * Accepts, dismisses or reopens a payload; the model learns of it with the next message. Rejects
   * if the server refuses.
   */
  setPayloadStatus(messageId: string, status: PayloadStatus): Promise<void>;
  /** Saves the user's rating of an answer, and what was wrong with a bad one. */
  sendFeedback(messageId: string, feedback: AnswerFeedback): Promise<void>;
  /**
   * Chooses one of `choices` of the snapshot for the runs to come, on all threads and in all tabs;
   * the browser remembers it. Rejects if it is not offered.
   */
  pickModel(model: string, effort?: Effort): Promise<void>;
  /**
   * Reads again what the server says of the agent, such as `model`, after the application has
   * changed it there. It is read once by itself. Rejects if the server does not answer.
   */
  refreshAgent(): Promise<void>;
  /**
   * Runs a suggested action whose handler is on the server, and resolves with its result. Asks the
   * user first if the action needs approval; rejects with an error whose `name` is `"denied"` if
   * the user refuses. The thread shows the action, its progress and its result under `label`: see
   * `actionOf`.
   */
  runAction(name: string, args?: Json, options?: { label?: string }): Promise<unknown>;
  /**
   * Suggests what the user might ask now, by the page's context and what is added to it here.
   * Resolves with an empty list if the server has no suggestions.
   */
  suggest(
    instructions?: string,
    context?: readonly { description: string; value: string }[],
  ): Promise<SuggestedValue[]>;

  /**
   * Changes the state that the thread shares with the agent. `change` returns a new value without
   * mutating the old one. The snapshot shows it at once, and the next run takes it to the server.
   * Resolves when that run has ended, or as soon as the server writes another value there: the
   * server's wins, and `kept` is false. Never rejects.
   */
  updateState(change: (state: unknown) => unknown): Promise<StateOutcome>;
  /**
   * Gives each thread a value at `/pluginState/<id>` of its shared state, unless it has one. It is
   * shown at once, and the next run takes it to the server. The function undoes it for threads that
   * are opened later. `registerPlugin` calls it.
   */
  registerInitialState(id: string, value: unknown): () => void;
}

/** Makes the functions that need nothing loaded. */
function openThreadApi(current: Current) {
  const { shared, snapshots } = current;
  return {
    subscribe(listener) {
      const undo = snapshots.subscribe(listener);
      current.start();
      return undo;
    },
    watch(listener) {
      const undo = snapshots.subscribe(listener);
      current.resume();
      return undo;
    },
    watchQuestions(listener) {
      const undo = snapshots.subscribe(listener);
      shared.questions.viewers++;
      current.resume();
      return () => {
        undo();
        shared.questions.viewers--;
      };
    },
    getSnapshot: () => snapshots.value,
    async send(text, options = {}) {
      if (text.trim() !== "" || options.attachments?.length) await current.session.send(text, options);
    },
    clearError() {
      const { thread } = current.session;
      const { status } = thread.data;
      thread.update({ status: status === "error" ? "idle" : status, error: undefined });
    },
    newThread() {
      shared.memory.write({});
      current.replace(newId());
    },
    follow: () => current.follow(),
    refreshAgent: () => current.refreshAgent(),
    updateState: (change) => current.session.write(change),
    registerInitialState(id, value) {
      const entry = { id, value };
      shared.initial = [...shared.initial, entry];
      const { thread } = current.session;
      const state = thread.page.withInitial(thread.data.state);
      if (state !== thread.data.state) thread.update({ state });
      return () => (shared.initial = shared.initial.filter((each) => each !== entry));
    },
  } satisfies Partial<ThreadApi>;
}

/** Makes the client's functions for threads. The first call of most of them loads their code. */
export function threadApi(current: Current): ThreadApi {
  /** A function of the loaded code, applied to the session that is open when it is called. */
  const loaded =
    <Args extends unknown[], Result>(pick: (ops: ThreadOps) => (session: Session, ...args: Args) => Result) =>
    async (...args: Args): Promise<Awaited<Result>> => {
      const { session } = current;
      return await pick(await current.shared.engine.load())(session, ...args);
    };
  const open = loaded((ops) => ops.open);
  const answer = loaded((ops) => ops.answer);
  const list = loaded((ops) => ops.listThreads);
  return {
    ...openThreadApi(current),
    openThread(threadId) {
      current.replace(threadId).thread.update({ loading: true });
      return open();
    },
    stop: loaded((ops) => ops.stop),
    retry: loaded((ops) => ops.retry),
    reconnect: loaded((ops) => ops.reconnect),
    editQueued: loaded((ops) => ops.editQueued),
    removeQueued: loaded((ops) => ops.removeQueued),
    sendQueue: loaded((ops) => ops.sendQueue),
    loadOlder: loaded((ops) => ops.loadOlder),
    resumePending: loaded((ops) => ops.resumePending),
    answer: async (id, given) => {
      const asked = current.shared.questions.open.find(({ question }) => question.id === id);
      await (asked ? asked.answer(given) : answer(id, given));
    },
    edit: loaded((ops) => ops.edit),
    regenerate: loaded((ops) => ops.regenerate),
    continueAnswer: loaded((ops) => ops.continueAnswer),
    branches: loaded((ops) => ops.branches),
    switchTo: loaded((ops) => ops.switchTo),
    setPayloadStatus: loaded((ops) => ops.setPayloadStatus),
    sendFeedback: loaded((ops) => ops.sendFeedback),
    pickModel: loaded((ops) => ops.pickModel),
    runAction: loaded((ops) => ops.runAction),
    suggest: loaded((ops) => ops.suggest),
    limits: loaded((ops) => ops.readLimits),
    listThreads: (cursor) => list({ cursor }),
    threads: {
      list,
      rename: loaded((ops) => ops.renameThread),
      archive: loaded((ops) => ops.archiveThread),
      pin: loaded((ops) => ops.pinThread),
      delete: loaded((ops) => ops.deleteThread),
      restore: loaded((ops) => ops.restoreThread),
      allowances: loaded((ops) => ops.listAllowances),
      revoke: loaded((ops) => ops.revokeAllowance),
    },
  };
}
