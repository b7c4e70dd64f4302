/** JSON Pointers, RFC 6901: a position in a JSON value. */

function namesOf(pointer: string): string[] {
  if ((pointer !== "" && !pointer.startsWith("/")) || /~(?![01])/.test(pointer))
    throw new Error(`Pageside: "${pointer}" is no JSON Pointer.`);
  const names = pointer.split("/").slice(1);
  return names.map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The value at a position; undefined if there is none. */
export function atPointer(value: unknown, pointer: string): unknown {
  return namesOf(pointer).reduce(member, value);
}

/**
 * A copy of the value with something else at a position. Missing objects on the path are created,
 * and `-` is the position after an array's last element; everything off the path keeps its
 * identity. Throws if an array has no such position.
 */
export function withPointer(value: unknown, pointer: string, next: unknown): unknown {
  const put = (at: unknown, [name, ...rest]: readonly string[]): unknown => {
    if (name === undefined) return next;
    const inner = put(member(at, name), rest);
    if (Array.isArray(at)) return withElement(at, name === "-" ? String(at.length) : name, inner, pointer);
    return { ...(typeof at === "object" ? at : undefined), [name]: inner };
  };
  return put(value, namesOf(pointer));
}

function withElement(all: readonly unknown[], index: string, value: unknown, pointer: string): unknown[] {
  if (!INDEX.test(index) || Number(index) > all.length)
    throw new Error(`Pageside: there is no position "${pointer}": the array has ${all.length} elements.`);
  const copy = [...all];
  copy[Number(index)] = value;
  return copy;
}

const INDEX = /^(0|[1-9]\d*)$/;

function member(at: unknown, name: string): unknown {
  const isThere = typeof at === "object" && at !== null && Object.hasOwn(at, name);
  if (!isThere || (Array.isArray(at) && !INDEX.test(name))) return undefined;
  return (at as Record<string, unknown>)[name];
}
