/** Without the members that are null or undefined: optional fields are absent, never null. */
export function compact<T extends object>(members: object): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value != null)) as unknown as T;
}
