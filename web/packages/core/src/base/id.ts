/**
 * A random id (UUID version 4). Works without a secure context, where `crypto.randomUUID` is
 * missing.
 */
export function newId(): string {
  const digit = () => (crypto.getRandomValues(new Uint8Array(1))[0]! & 15).toString(16);
  return "xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx".replace(/x/g, digit);
}
