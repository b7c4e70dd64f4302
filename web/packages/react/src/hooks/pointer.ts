/** JSON Pointers, RFC 6901: a position in a JSON value. */

function namesOf(pointer: string): string[] {
  if (pointer !== "" && !pointer.startsWith("/")) throw new Error(`Pageside: "${pointer}" is no JSON Pointer.`);
  const names = pointer.split("/").slice(1);
  return names.map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The value at a position; undefined if there is none. */
export function atPointer(value: unknown, pointer: string): unknown {
  return namesOf(pointer).reduce(member, value);
}

/**
 * A copy of the value with something else at a position. Missing objects on the path are created;
 * everything off the path keeps its identity.
 */
export function withPointer(value: unknown, pointer: string, next: unknown): unknown {
  const put = (at: unknown, [name, ...rest]: readonly string[]): unknown => {
    if (name === undefined) return next;
    const inner = put(member(at, name), rest);
    if (Array.isArray(at)) return at.with(Number(name), inner);
    return { ...(typeof at === "object" ? at : undefined), [name]: inner };
  };
  return put(value, namesOf(pointer));
}

function member(at: unknown, name: string): unknown {
  const isThere = typeof at === "object" && at !== null && Object.hasOwn(at, name);
  return isThere ? (at as Record<string, unknown>)[name] : undefined;
}
