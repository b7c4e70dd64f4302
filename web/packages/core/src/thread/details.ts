/**
 * The details that a thread's stream lacks: its title, the usage of all its runs, and its branches.
 */
import type { TokenUsage } from "../protocol/types.js";
import { refreshBranches } from "./branches.js";
import type { Session } from "./session.js";
import { httpOf, pathOfThread } from "./shared.js";

/** The server's details of a thread. */
export interface Details {
  title?: string;
  usage?: readonly TokenUsage[];
  cost?: number;
}

/** Reads the details. Best effort: the thread's stream reports errors. */
export async function readDetails(session: Session): Promise<Details> {
  const { shared, closed } = session;
  try {
    const { title, usage, cost } = await httpOf(shared).read<Details>(
      pathOfThread(session.thread.data.threadId),
      closed.signal,
    );
    return { title: title || undefined, usage: Array.isArray(usage) ? usage : undefined, cost };
  } catch {
    return {};
  }
}

/** Takes over the usage of all runs. If the server does not send it, the count made here stays. */
export function keepSpending({ thread }: Session, { usage, cost }: Details): void {
  if (usage) thread.update({ usage, cost });
}

/** Refreshes what a run of another tab may have changed. */
export async function refreshDetails(session: Session): Promise<void> {
  await Promise.all([refreshBranches(session).catch(() => undefined), refreshSpending(session)]);
}

async function refreshSpending(session: Session): Promise<void> {
  for (;;) {
    const before = session.thread.data.counted.size;
    const details = await readDetails(session);
    if (session.closed.signal.aborted) return;
    // The server's count may or may not include a run that ended here in the meantime.
    if (session.thread.data.counted.size === before) return keepSpending(session, details);
  }
}
