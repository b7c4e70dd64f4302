/** What plug-ins put into the shared state of threads that do not have it yet. */
import { isObject } from "../base/values.js";

/** The value of a plug-in at `/pluginState/<id>`. */
export interface InitialState {
  readonly id: string;
  readonly value: unknown;
}

/** The state with the plug-ins' values, each where there is none. */
export function withInitial(state: unknown, initial: readonly InitialState[]): unknown {
  return initial.reduce((all, { id, value }) => {
    if (!isObject(all ?? {})) return all; // not in the form that plug-ins share
    const { pluginState = {}, ...rest } = (all ?? {}) as { pluginState?: unknown };
    if (!isObject(pluginState) || Object.hasOwn(pluginState, id)) return all;
    return { ...rest, pluginState: { ...pluginState, [id]: value } };
  }, state);
}
