/** Loads what a long thread leaves out at first. */
import { withMissing } from "../protocol/messages.js";
import type { Message } from "../protocol/types.js";
import { callsOf } from "./apply.js";
import { pathOfThread } from "./request.js";
import type { Session } from "./session.js";

/** The largest window that the server has, in messages. */
const MOST = 200;

const loading = new WeakMap<Session, Promise<void>>();

/** Loads the messages before the first one: some more, or all. Never rejects. */
export function loadOlder(session: Session, { all = false } = {}): Promise<void> {
  const before = loading.get(session) ?? Promise.resolve();
  const work = before
    .then(() => read(session, all))
    .finally(() => {
      if (loading.get(session) === work) loading.delete(session);
    });
  loading.set(session, work);
  return work;
}

async function read(session: Session, all: boolean): Promise<void> {
  const { thread, shared, closed } = session;
  do {
    if (!thread.view.older) return;
    const first = thread.view.messages[0]?.id ?? "";
    thread.set({ older: "loading" });
    try {
      const limit = all ? MOST : shared.history || MOST;
      const query = new URLSearchParams({ before: first, limit: String(limit) });
      const page = await shared.http.read<Page>(`${pathOfThread(session)}/history?${query}`, closed.signal);
      if (closed.signal.aborted) return;
      prepend(session, first, page);
    } catch {
      if (!closed.signal.aborted) thread.set({ older: "failed" });
      return;
    }
  } while (all);
}

interface Page {
  messages: readonly Message[];
  before?: string;
}

/** Puts messages before the others, unless those were replaced since. */
function prepend({ thread }: Session, first: string, { messages, before }: Page): void {
  const { view } = thread;
  if ((view.messages[0]?.id ?? "") !== first) return thread.set({ older: "available" });
  const all = withMissing(messages, view.messages);
  callsOf(thread).learn(all);
  thread.set({ messages: all, older: before === undefined ? undefined : "available" });
}
