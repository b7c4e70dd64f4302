import type { StateOutcome } from "@pageside/core";
import { useCallback, useSyncExternalStore } from "react";
import { useAssistantContext } from "../context.js";
import { useLatest } from "./effects.js";
import { atPointer, withPointer } from "./pointer.js";

/** A value, or a function that makes it from the previous one. */
export type StateUpdate<Value> = Value | ((value: Value) => Value);

/**
 * Shows the value at once. Resolves when a run has taken it to the server, or as soon as the server
 * overwrites it.
 */
export type SetAssistantState<Value> = (update: StateUpdate<Value>) => Promise<StateOutcome>;

/**
 * The state that the thread shares with the agent: the agent's working memory, which the page may
 * read and write. With a JSON Pointer (RFC 6901) it is the value at that position:
 * `"/pluginState/discover"`. A function picks what the component shows (parts that exist; do not
 * build new objects), and `set` then writes the whole state.
 *
 * `set` shows its value at once, and the next message takes it along. Where the server writes to
 * the same position meanwhile, its value stays, and the promise of `set` resolves with `kept:
 * false`.
 *
 * Use it for what the agent works on together with the user. What it only has to know is a
 * `useDynamicContext`.
 *
 * @example
 * type Report = { title?: string } | undefined;
 * const [report, setReport] = useAssistantState<Report>("/pluginState/report");
 * return <button onClick={() => void setReport({ title: "Sales" })}>{report?.title}</button>;
 */
export function useAssistantState<Value = unknown>(pointer?: string): [Value, SetAssistantState<Value>];
export function useAssistantState<Value, State = unknown>(
  select: (state: State) => Value,
): [Value, SetAssistantState<State>];
export function useAssistantState(
  first: string | ((state: unknown) => unknown) = "",
): [unknown, SetAssistantState<unknown>] {
  const { client } = useAssistantContext("useAssistantState");
  const read = () => {
    const { state } = client.getSnapshot();
    return typeof first === "function" ? first(state) : atPointer(state, first);
  };
  const value = useSyncExternalStore(client.watch, read, read);
  const latest = useLatest(typeof first === "function" ? "" : first);
  const set = useCallback<SetAssistantState<unknown>>(
    (update) =>
      client.updateState((state) => {
        const pointer = latest.current;
        const next: unknown =
          typeof update === "function" ? (update as (value: unknown) => unknown)(atPointer(state, pointer)) : update;
        return withPointer(state, pointer, next);
      }),
    [client, latest],
  );
  return [value, set];
}
