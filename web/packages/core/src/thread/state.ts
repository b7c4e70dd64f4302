/** The page's writes to the shared state of a thread, and their outcome. */
import { deepEqual } from "../base/equal.js";
import { isObject } from "../base/values.js";
import type { Session, StateWrite } from "./session.js";
import type { ThreadData, ThreadPage } from "./thread.js";

/**
 * Takes over the server's state. What the page has changed since the last one stays, except where
 * the server has changed the same: the last commit wins, path by path.
 */
export function withState(data: ThreadData, state: unknown, page: ThreadPage): ThreadData {
  const { base, state: here } = data;
  // Where the branch has no state, what was changed here becomes its first.
  const isFirst = state === undefined && isObject(here) && !deepEqual(here, base);
  return { ...data, base: state, state: page.withInitial(merge(base, here, isFirst ? {} : state)) };
}

/** Merges what was changed here and on the server, which wins where both changed. */
function merge(base: unknown, here: unknown, server: unknown): unknown {
  if (deepEqual(here, base)) return server;
  if (deepEqual(server, base)) return here;
  if (!isObject(here) || !isObject(server)) return server;
  const was = isObject(base) ? base : {};
  const names = new Set([...Object.keys(server), ...Object.keys(here)]);
  const members = [...names].map((name) => [name, merge(was[name], here[name], server[name])] as const);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

/** A thread, and the page's writes to its state. */
export type Writing = Pick<Session, "thread" | "writes">;

/** Settles the writes that the server has overwritten. */
export function checkWrites(session: Writing): void {
  const { state } = session.thread.data;
  settle(session, ({ before, after }) => !holds(state, before, after), false);
}

/** Settles the writes that a run sent and the server kept. */
export function keepWrites(session: Writing): void {
  settle(session, ({ isSent }) => isSent, true);
}

function settle(session: Writing, isOver: (write: StateWrite) => boolean, kept: boolean): void {
  const over = session.writes.filter(isOver);
  session.writes = session.writes.filter((write) => !over.includes(write));
  for (const { done } of over) done({ kept, state: session.thread.data.state });
}

/** Reports whether a state has what a write changed: as deep as objects go, arrays as a whole. */
function holds(state: unknown, before: unknown, after: unknown): boolean {
  if (deepEqual(before, after)) return true;
  if (!isObject(before) || !isObject(after)) return deepEqual(state, after);
  const at = (name: string) => (isObject(state) && Object.hasOwn(state, name) ? state[name] : undefined);
  const names = [...Object.keys(before), ...Object.keys(after)];
  return names.every((name) => holds(at(name), before[name], after[name]));
}
