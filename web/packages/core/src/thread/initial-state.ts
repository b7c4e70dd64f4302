/** What plug-ins put into the shared state of threads that do not have it yet. */
import { isObject, membersOf } from "../base/values.js";

/** The value of a plug-in at `/pluginState/<id>`. */
export interface InitialState {
  readonly id: string;
  readonly value: unknown;
}

/** Adds the plug-ins' initial values where the state has none. A non-object state stays as is. */
export function withInitial(state: unknown, initial: readonly InitialState[]): unknown {
  return initial.reduce((all: unknown, { id, value }) => {
    const now = all ?? {};
    const { pluginState = {} } = membersOf(now);
    if (!isObject(now) || !isObject(pluginState) || Object.hasOwn(pluginState, id)) return all;
    return { ...now, pluginState: { ...pluginState, [id]: value } };
  }, state);
}
