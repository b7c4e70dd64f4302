import { loadApi } from "../bind.js";
import { newId } from "../base/id.js";
import { loadEngine, loadLater } from "../lazy.js";
import { Picture } from "./snapshot-store.js";
import { Session, type Shared } from "./session.js";
import type { QueuedMessage, ThreadSnapshot } from "./types.js";

/** The session that is open, one thread after the other, and its picture. */
export class Current {
  readonly shared: Shared;
  session: Session;
  readonly picture: Picture<ThreadSnapshot>;
  /** The thread that was there from the beginning, where one was. */
  readonly #firstId: string | undefined;
  /** What was not sent when its thread was left. */
  readonly #queues = new Map<string, readonly QueuedMessage[]>();
  #followers = 0;
  #isStarted = false;

  constructor(shared: Shared, threadId: string | undefined) {
    this.shared = shared;
    this.#firstId = threadId ?? shared.memory.read().threadId;
    this.session = this.#open(this.#firstId ?? newId());
    this.picture = new Picture(() => ({ ...this.session.thread.snapshot(), model: shared.model }));
  }

  #open(threadId: string): Session {
    const changed = (now: boolean) => {
      // or it was left meanwhile
      if (opened === this.session) this.picture[now ? "flush" : "request"]();
    };
    const opened: Session = new Session(threadId, this.shared, changed, this.#queues.get(threadId));
    return opened;
  }

  /** Leaves the thread for another one. */
  replace(threadId: string): Session {
    this.#queues.set(this.session.thread.view.threadId, this.session.close());
    this.session = this.#open(threadId);
    this.picture.flush();
    this.#follow();
    return this.session;
  }

  /** Follows what other tabs do, on whichever thread is open. */
  follow(): () => void {
    this.#followers++;
    this.#follow();
    return () => {
      if (--this.#followers === 0) this.session.follower?.end();
    };
  }

  #follow(): void {
    const { session } = this;
    if (this.#followers > 0) void loadLater().then((later) => later.follow(session)).catch(() => undefined); // prettier-ignore
  }

  /** What only a page that shows the assistant needs, asked for once. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    const { session, shared, picture } = this;
    void loadEngine().catch(() => undefined); // so that it is there when the user asks
    if (this.#firstId) void loadLater().then(({ open }) => open(session, true));
    void loadApi()
      .then(({ readModel }) => readModel(shared))
      .then((model) => {
        shared.model = model;
        picture.flush();
      })
      .catch(() => undefined); // the model is only for show
  }
}
