/**
 * What the stream of a thread does not tell: its title, what all its runs used, and its branches.
 */
import type { TokenUsage } from "../protocol/types.js";
import { refreshBranches } from "./branches.js";
import { pathOfThread } from "./request.js";
import type { Session } from "./session.js";

/** What the server says of a thread. */
export interface Details {
  title?: string;
  usage?: readonly TokenUsage[];
  cost?: number;
}

/** Reads the details. Best effort: the thread's stream tells what is wrong. */
export async function readDetails(session: Session): Promise<Details> {
  const { shared, closed } = session;
  try {
    const { title, usage, cost } = await shared.http.read<Details>(pathOfThread(session), closed.signal);
    return { title: title || undefined, usage: Array.isArray(usage) ? usage : undefined, cost };
  } catch {
    return {};
  }
}

/** Takes over what all runs used. Where the server does not say, what was counted here stays. */
export function keepSpending({ thread }: Session, { usage, cost }: Details): void {
  if (usage) thread.set({ usage, cost });
}

/** Brings up to date what a run of another tab may have changed. */
export async function refreshDetails(session: Session): Promise<void> {
  await Promise.all([refreshBranches(session).catch(() => undefined), refreshSpending(session)]);
}

async function refreshSpending(session: Session): Promise<void> {
  for (;;) {
    const before = session.thread.counted.size;
    const details = await readDetails(session);
    if (session.closed.signal.aborted) return;
    // A run that ended here meanwhile may be in what the server says, or not.
    if (session.thread.counted.size === before) return keepSpending(session, details);
  }
}
