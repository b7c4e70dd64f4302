/** Runs the tool calls that wait for this page, and keeps their results. */
import type { ToolCall, ToolMessage } from "@ag-ui/core";
import { macrotask } from "../base/time.js";
import { newId } from "../base/values.js";
import { insertToolMessage, toolCallsOf } from "../protocol/messages.js";
import type { RunEnd } from "../protocol/run-end.js";
import { Ledger } from "../tools/ledger.js";
import { loadRunning } from "../tools/load.js";
import type { ToolCallState } from "../tools/types.js";
import { changeCall } from "./apply.js";
import { inputOf, pathOfRuns } from "./request.js";
import type { ActiveRun, Session } from "./session.js";
import { httpOf } from "./shared.js";
import type { Thread } from "./thread.js";
import { watch } from "./thread-stream.js";

type Finished = RunEnd & { kind: "finished" };

/**
 * Runs the calls that a run left to this page. Resolves with whether a further run can take results
 * now.
 */
export async function answerCalls(session: Session, end: RunEnd, active: ActiveRun): Promise<boolean> {
  if (end.kind === "failed" || end.cancelled || active.stopping) return false;
  const { signal } = active.controller;
  const calls = await callsFor(session, end, active);
  if (calls.length === 0 || signal.aborted) return false;
  const results = await runCalls(session, calls, active);
  if (results.length === 0 || signal.aborted) return false;
  // The results are sent together with the person's answers.
  if (session.thread.data.questions.length > 0) return false;
  await macrotask();
  return !signal.aborted;
}

/** The calls that the server named, else those without a result that a tool here can answer. */
async function callsFor(session: Session, end: Finished, active: ActiveRun): Promise<ToolCall[]> {
  const { thread, shared } = session;
  if (end.pending.some((id) => !thread.data.progress.has(id))) {
    await watch(session, active).catch(() => undefined); // called in a run whose stream was lost
  }
  const named = new Set(end.pending);
  const asked = new Set(thread.data.questions.map(({ toolCallId }) => toolCallId));
  return unanswered(session).filter(
    ({ id, function: { name } }) =>
      !shared.begun.has(id) &&
      !asked.has(id) &&
      (named.size > 0 ? named.has(id) : shared.tools.runnable(name) !== undefined),
  );
}

/** The calls since the last question that have no result. */
export function unanswered({ thread }: Session): ToolCall[] {
  const { messages, unsent } = thread.data;
  const results = [...messages, ...unsent];
  const answered = new Set(results.map((message) => (message.role === "tool" ? message.toolCallId : undefined)));
  const lastUser = messages.findLastIndex(({ role }) => role === "user");
  return messages
    .slice(lastUser + 1)
    .flatMap(toolCallsOf)
    .filter(({ id }) => !answered.has(id));
}

/**
 * Runs the calls that no other tab runs. Adds their results to the transcript and keeps them for
 * the next run.
 */
export async function runCalls(
  session: Session,
  calls: readonly ToolCall[],
  active: ActiveRun,
  again = false,
): Promise<ToolMessage[]> {
  const { thread, shared, closed } = session;
  const { signal } = active.controller;
  for (const { id } of calls) changeCall(thread, id, { frontend: true });
  thread.update({ status: "executing" });
  const { runTools } = await loadRunning();
  const report = (id: string, change: Partial<ToolCallState>) => {
    if (!signal.aborted) changeCall(thread, id, change);
  };
  const { results, release } = await runTools(calls, { parts: shared, again, report }, signal);
  active.release = release;
  if (closed.signal.aborted) {
    leaveBehind(session, results, active);
    return [];
  }
  if (results.length === 0) release();
  // also after a stop: the model must know that they were executed
  addResults(thread, results);
  return results;
}

/**
 * Answers, with the user's next message, the calls that had begun in this browser and have no
 * result that was sent. The server would tell the model that they were not executed.
 */
export async function answerAbandoned(session: Session): Promise<void> {
  const { thread, shared } = session;
  const ledger = new Ledger(shared);
  const begun = unanswered(session).filter(({ id }) => ledger.has(id));
  if (begun.length === 0) return;
  const { lateResult } = await loadRunning();
  addResults(thread, begun.map(({ id }) => lateResult(id, ledger, (change) => changeCall(thread, id, change)))); // prettier-ignore
}

/** Shows results in the transcript, and keeps them for the next run. */
function addResults(thread: Thread, results: readonly ToolMessage[]): void {
  const { unsent, messages } = thread.data;
  thread.update({ unsent: [...results, ...unsent], messages: results.reduce(insertToolMessage, messages) }, "soon");
}

/** Sends the results of tools that were done when the thread was left. */
function leaveBehind(session: Session, results: readonly ToolMessage[], active: ActiveRun): void {
  const { shared } = session;
  if (results.length === 0 || shared.direct) return active.release?.();
  const input = inputOf(session, { ...active, runId: newId() }, results);
  void httpOf(shared)
    .send(pathOfRuns(session), { json: input })
    .then(({ body }) => body?.cancel())
    .catch(() => undefined)
    .finally(active.release);
}
