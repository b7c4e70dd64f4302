/** What the page writes into the shared state of a thread, and what becomes of it. */
import { deepEqual } from "./patch.js";
import type { Session } from "./session.js";
import type { StateOutcome } from "./types.js";

/** An operation of a JSON Patch, RFC 6902: those that a difference needs. */
export interface Operation {
  op: "add" | "replace" | "remove";
  path: string;
  value?: unknown;
}

/** Something the page wrote that no run has brought to the server yet. */
export interface StateWrite {
  readonly delta: readonly Operation[];
  /** Has a run taken it along? */
  isSent: boolean;
  done(outcome: StateOutcome): void;
}

/** Follows a write that the snapshot shows already, to its end. */
export function trackState(session: Session, before: unknown, after: unknown): Promise<StateOutcome> {
  const { closed, thread } = session;
  return new Promise((resolve) => {
    const write: StateWrite = { delta: diff(before, after), isSent: false, done: resolve };
    if (write.delta.length === 0) return resolve({ kept: true, state: thread.view.state });
    session.writes.push(write);
    thread.onState = () => checkWrites(session);
    closed.signal.addEventListener("abort", () => resolve({ kept: false, state: thread.view.state }));
    checkWrites(session); // the server may have said something meanwhile
  });
}

/** The server has changed the state: of what it changed otherwise than the page, the server's stays. */
function checkWrites(session: Session): void {
  const { state } = session.thread.view;
  settle(session, ({ delta }) => !delta.every((operation) => holds(state, operation)), false);
}

/** A run has ended that took writes along, and the server left them as they are. */
export function keepWrites(session: Session): void {
  settle(session, ({ isSent }) => isSent, true);
}

function settle(session: Session, isOver: (write: StateWrite) => boolean, kept: boolean): void {
  const over = session.writes.filter(isOver);
  session.writes = session.writes.filter((write) => !over.includes(write));
  for (const { done } of over) done({ kept, state: session.thread.view.state });
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

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
