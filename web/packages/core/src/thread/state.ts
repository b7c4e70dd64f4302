/** The page's writes to the shared state of a thread, and their outcome. */
import { deepEqual } from "../base/equal.js";
import { isObject } from "../base/values.js";
import type { Session, StateWrite } from "./session.js";
import type { ThreadData, ThreadPage } from "./thread.js";

/** An operation of a JSON Patch (RFC 6902): only those that a difference needs. */
export interface Operation {
  op: "add" | "replace" | "remove";
  path: string;
  value?: unknown;
}

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
  const isLost = ({ before, after }: StateWrite) => !diff(before, after).every((operation) => holds(state, operation));
  settle(session, isLost, false);
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

/** The JSON Patch from one value to another: as deep as objects go, arrays as a whole. */
export function diff(before: unknown, after: unknown, path = ""): Operation[] {
  if (deepEqual(before, after)) return [];
  if (!isObject(before) || !isObject(after)) return [{ op: "replace", path, value: after }];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name): Operation[] => {
    const at = `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    if (after[name] === undefined) return before[name] === undefined ? [] : [{ op: "remove", path: at }];
    if (before[name] === undefined) return [{ op: "add", path: at, value: after[name] }];
    return diff(before[name], after[name], at);
  });
}

function holds(state: unknown, { op, path, value }: Operation): boolean {
  const names = path.split("/").slice(1).map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~")); // prettier-ignore
  const there = names.reduce<unknown>((at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined), state); // prettier-ignore
  return op === "remove" ? there === undefined : deepEqual(there, value);
}
