import type { loadLater } from "./lazy.js";
import type { Session } from "./thread/session.js";

export const loadApi = () => import("./thread/server-api.js");

type Parts = Awaited<ReturnType<typeof loadApi>> & Awaited<ReturnType<typeof loadLater>>;

/** A function of a part, without the session that it takes first. */
type Bound<Name extends keyof Parts> = Parts[Name] extends (session: Session, ...rest: infer Rest) => infer R
  ? (...rest: Rest) => R extends Promise<unknown> ? R : Promise<R>
  : never;

/** A function that is loaded when it is first called, for the session that is open then. */
export function bind<Name extends keyof Parts & string>(
  current: { readonly session: Session },
  load: () => Promise<object>,
  name: Name,
): Bound<Name> {
  return (async (...rest: unknown[]) => {
    const { session } = current;
    const part = (await load()) as Record<string, (session: Session, ...rest: unknown[]) => unknown>;
    return part[name]!(session, ...rest);
  }) as Bound<Name>;
}

/** Several, by their names. */
export function bindAll<Name extends keyof Parts & string>(
  current: { readonly session: Session },
  load: () => Promise<object>,
  ...names: Name[]
): { [N in Name]: Bound<N> } {
  return Object.fromEntries(names.map((name) => [name, bind(current, load, name)])) as { [N in Name]: Bound<N> };
}
