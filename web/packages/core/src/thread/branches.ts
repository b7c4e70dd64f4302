/** The branches of a thread, in which nothing is ever overwritten. */
import type { Session } from "./session.js";
import { httpOf, pathOfThread } from "./shared.js";
import type { Branch } from "./types.js";

/** A run of the thread, as the server lists it. */
export interface Run {
  id: string;
  /** Absent for a run that begins the thread or a branch of its first message. */
  parentRunId?: string;
  current: boolean;
  createdAt: string;
  /** The first user message the run brought. */
  userMessage?: { id: string; preview: string };
}

/** The branches at a user message. */
export async function branches(session: Session, messageId: string): Promise<readonly Branch[]> {
  const runs = await refreshBranches(session);
  const run = runs.find(({ userMessage }) => userMessage?.id === messageId);
  return run ? siblingsOf(run, runs) : [];
}

/** Reads the thread's runs, and updates its branches and when it was asked what. */
export async function refreshBranches(session: Session): Promise<readonly Run[]> {
  const runs = await readRuns(session);
  const shown = runs.flatMap((run): [string, readonly Branch[]][] => {
    if (!run.current || !run.userMessage) return [];
    const siblings = siblingsOf(run, runs);
    return siblings.length > 1 ? [[run.userMessage.id, siblings]] : [];
  });
  const asked = runs.flatMap(({ userMessage, createdAt }) => (userMessage ? [[userMessage.id, createdAt]] : []));
  const { askedAt } = session.thread.data;
  session.thread.update({
    branches: Object.fromEntries(shown),
    askedAt: { ...askedAt, ...Object.fromEntries(asked) },
  });
  return runs;
}

/** The runs with the same parent, oldest first: the branches at their user message. */
function siblingsOf(run: Run, runs: readonly Run[]): readonly Branch[] {
  return runs.flatMap(({ id, parentRunId, current, createdAt, userMessage }) =>
    userMessage && parentRunId === run.parentRunId
      ? [{ runId: id, messageId: userMessage.id, preview: userMessage.preview, createdAt, current }]
      : [],
  );
}

/** The runs of the thread, oldest first. */
export async function readRuns(session: Session): Promise<readonly Run[]> {
  const { shared, closed } = session;
  const { runs } = await httpOf(shared).read<{ runs: Run[] }>(
    `${pathOfThread(session.thread.data.threadId)}/runs`,
    closed.signal,
  );
  return runs;
}
