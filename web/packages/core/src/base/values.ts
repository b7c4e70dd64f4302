/** JSON values, and ids. */

/** The members that are neither null nor undefined: optional fields are absent, never null. */
export function compact<T extends object>(members: object): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value != null)) as T;
}

/**
 * A random id (UUID version 4). Also works in insecure contexts, which have no `crypto.randomUUID`.
 */
export function newId(): string {
  const digit = () => (crypto.getRandomValues(new Uint8Array(1))[0]! & 15).toString(16);
  return "xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx".replace(/x/g, digit);
}

/** Reports whether a value has members. */
export function isObjectOrArray(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** Reports whether a value is an object, but not an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return isObjectOrArray(value) && !Array.isArray(value);
}

/** The members of a value; none if it has none. */
export function membersOf(value: unknown): Record<string, unknown> {
  return isObjectOrArray(value) ? value : {};
}

/** An object that has only the members it is given: what others name can't be `constructor`. */
export const bare = <T extends object>() => Object.create(null) as T;
