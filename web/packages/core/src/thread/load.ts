/** Loads a thread, and continues what it left open. */
import { newId } from "../base/values.js";
import { toClientError } from "../protocol/failure.js";
import { callOf } from "../protocol/messages.js";
import type { RunEnd } from "../protocol/run-end.js";
import { Ledger } from "../tools/ledger.js";
import { loadRunning } from "../tools/load.js";
import { unanswered } from "./answer-calls.js";
import { changeCall } from "./apply.js";
import { refreshBranches } from "./branches.js";
import { keepSpending, readDetails, refreshDetails } from "./details.js";
import { drive, finish } from "./engine.js";
import { isMissing } from "./reconnect.js";
import type { Session } from "./session.js";
import { readThread, type SeenRun } from "./thread-stream.js";

/**
 * What becomes of a thread that the server does not know: an error, unless it may be a new one,
 * whose id is `"kept"`, or is `"renewed"` because it may have been another's or deleted.
 */
type IfMissing = "failed" | "kept" | "renewed";

/** Loads the thread after the session's current work. */
export function open(session: Session, ifMissing?: IfMissing): Promise<void> {
  session.thread.update({ loading: true });
  return session.enqueue(() => load(session, ifMissing));
}

/** Loads the thread and follows its live run. Runs that run's tools only if this tab began it. */
export async function load(session: Session, ifMissing: IfMissing = "failed"): Promise<void> {
  const { thread, shared } = session;
  const { threadId } = thread.data;
  const remembered = shared.memory.read();
  thread.update({ loading: true, status: "idle", error: undefined });
  const active = session.begin([]);
  const told = readDetails(session);
  let run: SeenRun | undefined;
  try {
    run = await readThread(session, active, true, (record) => void markCalls(session, record?.end));
  } catch (cause) {
    if (active.controller.signal.aborted) return;
    session.endRun(active);
    if (ifMissing === "failed" || !isMissing(cause))
      return session.fail(toClientError(cause), () => load(session, ifMissing));
    const ids = ifMissing === "renewed" && { threadId: newId(), formerId: threadId };
    return thread.update({ ...ids, status: "idle", connection: "idle" });
  } finally {
    thread.update({ loading: false, title: thread.data.title ?? (await told).title });
  }
  // Those that had begun on a page that is gone are over.
  const begun = markCalls(session, run?.end);
  const lost = begun.length > 0 ? await (await loadRunning()).unclaimed(begun) : [];
  for (const id of lost) changeCall(thread, id, { status: "cancelled" });
  if (active.controller.signal.aborted) return;
  const question = thread.data.messages.findLast(({ role }) => role === "user");
  session.lastSent = question ? [question] : [];
  // none of them is known to belong to the run
  if (run?.isRecord) active.before = new Set(thread.data.messages.map(({ id }) => id));
  if (run && !run.isRecord) {
    // the details above may be from before its end or after it
    void refreshDetails(session);
  } else {
    keepSpending(session, await told);
    void refreshBranches(session).catch(() => undefined);
  }
  if (!run?.end) return session.endRun(active);
  const isOwn = !run.isRecord && remembered.threadId === threadId && remembered.runId === run.runId;
  // Continue as if nothing had happened, but do not fail calls of tools that are not registered
  // (yet).
  const canGoOn = run.end.kind === "finished" && run.end.pending.every((id) => isRunnable(session, id));
  if (isOwn && canGoOn) return drive(session, active, run.end);
  const isOver = thread.data.queue.length === 0; // otherwise the user has gone on already
  return finish(session, (isOver && run.lastEnd) || run.end, active);
}

function isRunnable({ thread, shared }: Session, id: string): boolean {
  const call = callOf(thread.data.messages, id);
  return call !== undefined && shared.tools.runnable(call.function.name) !== undefined;
}

/**
 * Marks the calls that wait for a page, and those among them that had begun on one. Returns the
 * latter.
 */
function markCalls(session: Session, end: RunEnd | undefined): string[] {
  const { thread, shared } = session;
  const named = new Set(end?.kind === "finished" ? end.pending : []);
  const ledger = new Ledger(shared);
  const waiting = unanswered(session).map(({ id }) => id);
  const begun = waiting.filter((id) => ledger.isCut(id));
  for (const id of waiting) if (named.has(id)) changeCall(thread, id, { frontend: true });
  for (const id of begun) changeCall(thread, id, { attempted: true });
  return begun;
}
