/**
 * The tool calls that wait for this page: which those are, running them, and what becomes of their
 * results.
 */
import type { ToolCall, ToolMessage } from "@ag-ui/core";
import { drive, finish, inputOf, pathOf } from "./engine.js";
import { insertToolMessage, toolCallsOf } from "../protocol/fold-calls.js";
import { newId } from "../base/id.js";
import { Ledger } from "../tools/ledger.js";
import { loadRunner } from "../lazy.js";
import { watch } from "./load.js";
import type { RunEnd } from "../protocol/connection.js";
import { macrotask } from "../base/time.js";
import type { Session, Turn } from "./session.js";
import type { ToolCallState } from "./types.js";

type Finished = RunEnd & { kind: "finished" };

/**
 * Runs what a run left to this page. Resolves with whether there are results to run on with now.
 */
export async function answerCalls(session: Session, end: Finished, turn: Turn): Promise<boolean> {
  const { signal } = turn.controller;
  const calls = await callsFor(session, end, turn);
  if (calls.length === 0 || signal.aborted) return false;
  const results = await run(session, calls, turn);
  if (results.length === 0 || signal.aborted) return false;
  // What waits for a person is answered together with the results.
  if (session.thread.view.interrupts.length > 0) return false;
  await macrotask();
  return !signal.aborted;
}

/** Those the server named, or else those without a result that a tool here can answer. */
async function callsFor(session: Session, end: Finished, turn: Turn): Promise<ToolCall[]> {
  const { thread, shared } = session;
  if (end.pending.some((id) => !thread.calls?.get(id))) {
    await watch(session, turn).catch(() => undefined); // called in a run whose stream was lost
  }
  const named = new Set(end.pending);
  const asked = new Set(thread.view.interrupts.map(({ toolCallId }) => toolCallId));
  return unanswered(session).filter(
    ({ id, function: { name } }) =>
      !shared.begun.has(id) &&
      !asked.has(id) &&
      (named.size > 0 ? named.has(id) : shared.tools.runnable(name) !== undefined),
  );
}

/** The calls of the last turn that have no result. */
export function unanswered({ thread }: Session): ToolCall[] {
  const { messages } = thread.view;
  const results = [...messages, ...thread.unsent];
  const answered = new Set(results.map((message) => (message.role === "tool" ? message.toolCallId : undefined)));
  const lastUser = messages.findLastIndex(({ role }) => role === "user");
  return messages
    .slice(lastUser + 1)
    .flatMap(toolCallsOf)
    .filter(({ id }) => !answered.has(id));
}

/**
 * Runs the calls that no other tab runs, and puts their results into the transcript and on their
 * way.
 */
async function run(session: Session, calls: readonly ToolCall[], turn: Turn, again = false): Promise<ToolMessage[]> {
  const { thread, shared, closed } = session;
  const { signal } = turn.controller;
  for (const { id } of calls) thread.calls?.change(id, { frontend: true });
  thread.set({ status: "executing" });
  const { runTools } = await loadRunner();
  const report = (id: string, change: Partial<ToolCallState>) => {
    if (signal.aborted) return;
    thread.calls?.change(id, change);
    thread.touch();
  };
  const { results, release } = await runTools(calls, { shared, again, report }, signal);
  turn.release = release;
  if (closed.signal.aborted) {
    leaveBehind(session, results, turn);
    return [];
  }
  if (results.length === 0) release();
  // also when stopped: the model must not think they were not executed
  thread.unsent = [...thread.unsent, ...results];
  thread.set({ messages: results.reduce(insertToolMessage, thread.view.messages) }, false);
  return results;
}

/** The thread was left while its tools ran: what they had done by then is told to the server. */
function leaveBehind(session: Session, results: readonly ToolMessage[], turn: Turn): void {
  const { shared } = session;
  if (results.length === 0) return turn.release?.();
  const input = inputOf(session, { ...turn, runId: newId() }, results);
  void shared.http
    .send(pathOf(session), { json: input })
    .then(({ body }) => body?.cancel())
    .catch(() => undefined)
    .finally(turn.release);
}

/**
 * Runs the calls that wait for this page, and sends their results with those that are already
 * known.
 */
export function resumePending(session: Session, { again = false } = {}): Promise<void> {
  const { thread, shared } = session;
  return session.enqueue(async () => {
    const ledger = new Ledger(shared);
    const isFree = (id: string) => again || !ledger.has(id) || ledger.resultOf(id) !== undefined;
    const calls = unanswered(session).filter(
      ({ id, function: { name } }) => isFree(id) && shared.tools.runnable(name) !== undefined,
    );
    if (calls.length === 0) return;
    const turn = session.begin([]);
    const results = await run(session, calls, turn, again);
    if (turn.controller.signal.aborted) return;
    if (results.length > 0 && thread.view.interrupts.length === 0) return drive(session, turn);
    finish(session, { kind: "finished", pending: [], cancelled: false, interrupted: false }, turn);
  });
}
