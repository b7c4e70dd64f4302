import { newId } from "../base/values.js";
import type { Open } from "../tools/questions.js";
import type * as Ops from "./ops.js";
import { Session, type Later, type Shared } from "./session.js";
import { SnapshotStore } from "./snapshot-store.js";
import type { QueuedMessage, ThreadSnapshot } from "./types.js";

/** What of the thread is loaded when it is first used: one piece, behind `shared.engine`. */
export type ThreadOps = typeof Ops;

/** What sessions share, with all that the engine has. */
interface SharedWithOps extends Shared {
  readonly engine: Later<ThreadOps>;
}

type Asked = ThreadSnapshot["questions"];

/** The questions of a thread, and behind them those of the page: `last` if they are the same. */
function withPage(asked: Asked, open: readonly Open[], last: Asked): Asked {
  if (open.length === 0) return asked;
  const all = [...asked, ...open.map(({ question }) => question)];
  return all.length === last.length && all.every((each, index) => each === last[index]) ? last : all;
}

/** The open session and its snapshot. Each opened thread gets a new session. */
export class Current {
  readonly shared: SharedWithOps;
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

  constructor(shared: SharedWithOps, threadId: string | undefined) {
    this.shared = shared;
    if (threadId !== undefined) {
      this.#first = { id: threadId, ifMissing: "kept" };
      this.#isChosen = true;
    }
    this.#session = this.#open(threadId ?? newId());
    this.snapshots = new SnapshotStore((last) => {
      const { thread } = this.#session;
      const snapshot = shared.engine.code?.snapshotOf(thread, last?.toolCalls) ?? thread.snapshot();
      const questions = withPage(snapshot.questions, shared.questions.open, last?.questions ?? []);
      return { ...snapshot, questions, ...shared.known };
    });
    shared.questions.onChange = this.snapshots.changed;
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
      if (opened === this.#session) this.snapshots.changed(now);
    };
    const opened: Session = new Session(threadId, this.shared, changed, this.#queues.get(threadId));
    return opened;
  }

  /** Leaves the thread for another one. */
  replace(threadId: string): Session {
    this.#isChosen = true;
    this.#queues.set(this.#session.thread.data.threadId, this.#session.close());
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
    if (this.#followers > 0) this.#soon((ops) => ops.follow(session));
  }

  /** Does what is only shown. Code that failed to load is requested again. */
  #soon(work: (ops: ThreadOps) => unknown): void {
    this.shared.engine.load().then(work).catch(() => undefined); // prettier-ignore
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
    this.#soon((ops) => {
      if (first?.id === session.thread.data.threadId) void ops.open(session, first.ifMissing);
      return ops.readAgent(this);
    });
  }

  /** Reads what the server says of the agent. */
  refreshAgent(): Promise<void> {
    return this.shared.engine.load().then((ops) => ops.readAgent(this));
  }
}
