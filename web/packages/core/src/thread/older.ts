/** Loads what a long thread leaves out at first. */
import { withMissing } from "../protocol/messages.js";
import type { Message } from "../protocol/types.js";
import { learned } from "../tools/calls.js";
import type { Session } from "./session.js";
import { httpOf, pathOfThread } from "./shared.js";

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
    if (!thread.data.older) return;
    const first = thread.data.messages[0]?.id ?? "";
    thread.update({ older: "loading" });
    try {
      const limit = all ? MOST : shared.history || MOST;
      const query = new URLSearchParams({ before: first, limit: String(limit) });
      const page = await httpOf(shared).read<Page>(
        `${pathOfThread(thread.data.threadId)}/history?${query}`,
        closed.signal,
      );
      if (closed.signal.aborted) return;
      prepend(session, first, page);
    } catch {
      if (!closed.signal.aborted) thread.update({ older: "failed" });
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
  const { data, page } = thread;
  if ((data.messages[0]?.id ?? "") !== first) return thread.update({ older: "available" });
  const all = withMissing(messages, data.messages);
  const progress = learned(data.progress, all, page.isFrontend);
  thread.update({ messages: all, progress, older: before === undefined ? undefined : "available" });
}
