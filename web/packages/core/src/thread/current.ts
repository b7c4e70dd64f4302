import { newId } from "../base/values.js";
import type { Open } from "../tools/questions.js";
import type * as Ops from "./ops.js";
import { Session, type Shared } from "./session.js";
import { SnapshotStore } from "./snapshot-store.js";
import type { QueuedMessage, ThreadSnapshot } from "./types.js";

/** The code that is loaded when the thread is first used. */
export type ThreadOps = typeof Ops;

type Asked = ThreadSnapshot["questions"];

/** The questions of a thread, and behind them those of the page: `last` if they are the same. */
function withPage(asked: Asked, open: readonly Open[], last: Asked): Asked {
  if (open.length === 0) return asked;
  const all = [...asked, ...open.map(({ question }) => question)];
  return all.length === last.length && all.every((each, index) => each === last[index]) ? last : all;
}

/** The open session and its snapshot. Each opened thread gets a new session. */
export class Current {
  readonly shared: Shared;
  readonly load: () => Promise<ThreadOps>;
  #session: Session;
  readonly snapshots: SnapshotStore<ThreadSnapshot>;
  /** The thread to begin with, and what becomes of it if the server does not know it. */
  #first: { id: string; ifMissing: "kept" | "renewed" } | undefined;
  /** The queues of threads that were left, by thread id. */
  readonly #queues = new Map<string, readonly QueuedMessage[]>();
  #followers = 0;
  #isStarted = false;
  /** Set once the session is the one to begin with: see `session`. */
  #isChosen = false;

  constructor(shared: Shared, load: () => Promise<ThreadOps>, threadId: string | undefined) {
    this.shared = shared;
    this.load = load;
    if (threadId !== undefined) {
      this.#first = { id: threadId, ifMissing: "kept" };
      this.#isChosen = true;
    }
    this.#session = this.#open(threadId ?? newId());
    let last: Asked = [];
    this.snapshots = new SnapshotStore(() => {
      const snapshot = this.#session.thread.snapshot();
      last = withPage(snapshot.questions, shared.questions.open, last);
      return { ...snapshot, questions: last, ...shared.known };
    });
    shared.questions.onChange = (now) => this.snapshots[now ? "flush" : "request"]();
  }

  /**
   * The open session. Its first use, not that of the snapshot, opens the remembered thread: a page
   * that a server has rendered remembers nothing yet, and React makes clients that it never uses.
   */
  get session(): Session {
    if (!this.#isChosen) {
      this.#isChosen = true;
      const { threadId: id } = this.shared.memory.read();
      if (id) {
        this.#first = { id, ifMissing: "renewed" };
        this.replace(id);
      }
    }
    return this.#session;
  }

  #open(threadId: string): Session {
    const changed = (now: boolean) => {
      // unless the thread was left in the meantime
      if (opened === this.#session) this.snapshots[now ? "flush" : "request"]();
    };
    const opened: Session = new Session(threadId, this.shared, changed, this.#queues.get(threadId));
    return opened;
  }

  /** Leaves the thread for another one. */
  replace(threadId: string): Session {
    this.#isChosen = true;
    this.#queues.set(this.#session.thread.view.threadId, this.#session.close());
    this.#session = this.#open(threadId);
    this.snapshots.flush();
    this.#follow();
    return this.#session;
  }

  /** Follows other tabs, on any thread that is open. The function undoes it. */
  follow(): () => void {
    this.#followers++;
    this.#follow();
    return () => {
      if (--this.#followers === 0) this.#session.follower?.end();
    };
  }

  #follow(): void {
    const { session } = this;
    if (this.#followers === 0) return;
    void this.load()
      .then((ops) => ops.follow(session))
      .catch(() => undefined);
  }

  /** Leaves the thread for good. */
  close(): void {
    this.snapshots.close();
    this.#session.close();
    this.shared.memory.release();
  }

  /** Starts if there is a thread to load. */
  resume(): void {
    if (this.session && this.#first) this.start();
  }

  /** Loads the thread, the name of the model and the user's rights, once. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    const { session } = this;
    const first = this.#first;
    void this.load()
      .then((ops) => {
        if (first?.id === session.thread.view.threadId) void ops.open(session, first.ifMissing);
        return ops.readAgent(this);
      })
      .catch(() => undefined); // both are only shown, and code that failed to load is requested again
  }

  /** Reads what the server says of the agent. */
  refreshAgent(): Promise<void> {
    return this.load().then((ops) => ops.readAgent(this));
  }
}
