/**
 * JSON Patch (RFC 6902). Nothing is changed in place: the result shares with the document all that the patch does not
 * touch, and a patch that fails leaves no trace.
 */
import type { JsonPatchOperation } from "@ag-ui/core";

type Container = unknown[] | Record<string, unknown>;

/** Applies the operations in order. Throws where one cannot be applied. Unknown operations are skipped, as the stock client does. */
export function applyPatch(document: unknown, operations: readonly JsonPatchOperation[]): unknown {
  return operations.reduce(applyOperation, document);
}

function applyOperation(document: unknown, operation: JsonPatchOperation): unknown {
  const path = parsePointer(operation.path);
  switch (operation.op) {
    case "add":
      return add(document, path, operation.value);
    case "remove":
      return remove(document, path);
    case "replace":
      return replace(document, path, operation.value);
    case "move": {
      if (operation.path.startsWith(operation.from + "/")) throw new Error("cannot move a value into itself");
      const from = parsePointer(operation.from);
      return add(remove(document, from), path, read(document, from));
    }
    case "copy":
      return add(document, path, read(document, parsePointer(operation.from)));
    case "test":
      if (!deepEqual(read(document, path), operation.value)) throw new Error(`test failed at "${operation.path}"`);
      return document;
    default:
      return document;
  }
}

function parsePointer(pointer: string): string[] {
  if (pointer === "") return [];
  if (!pointer.startsWith("/")) throw new Error(`"${pointer}" is not a JSON Pointer`);
  return pointer
    .slice(1)
    .split("/")
    .map((token) => {
      const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
      // An object of this page must never be reached through a server's patch.
      if (key === "__proto__" || key === "constructor" || key === "prototype") throw new Error(`"${key}" is refused`);
      return key;
    });
}

function add(document: unknown, path: string[], value: unknown): unknown {
  return edit(
    document,
    path,
    (container, key) => {
      if (!Array.isArray(container)) return { ...container, [key]: value };
      const index = key === "-" ? container.length : indexOf(key, container.length);
      return [...container.slice(0, index), value, ...container.slice(index)];
    },
    () => value,
  );
}

function remove(document: unknown, path: string[]): unknown {
  return edit(
    document,
    path,
    (container, key) => {
      const copy = existing(container, key);
      if (Array.isArray(copy)) copy.splice(Number(key), 1);
      else delete copy[key];
      return copy;
    },
    () => null,
  );
}

function replace(document: unknown, path: string[], value: unknown): unknown {
  return edit(
    document,
    path,
    (container, key) => Object.assign(existing(container, key), { [key]: value }),
    () => value,
  );
}

/** Copies the containers along the path and lets `change` make the new last one. */
function edit(
  node: unknown,
  path: string[],
  change: (container: Container, key: string) => Container,
  atRoot: () => unknown,
): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return atRoot();
  const container = asContainer(node, key);
  if (rest.length === 0) return change(container, key);
  const copy = existing(container, key) as Record<string, unknown>;
  copy[key] = edit(copy[key], rest, change, atRoot);
  return copy;
}

function read(node: unknown, path: string[]): unknown {
  return path.reduce((at, key) => (existing(asContainer(at, key), key) as Record<string, unknown>)[key], node);
}

/** A copy of the container, once it is certain that the key is in it. */
function existing(container: Container, key: string): Container {
  if (!Array.isArray(container)) {
    if (!Object.hasOwn(container, key)) throw new Error(`there is no "${key}"`);
    return { ...container };
  }
  indexOf(key, container.length - 1);
  return [...container];
}

function asContainer(node: unknown, key: string): Container {
  if (typeof node !== "object" || node === null)
    throw new Error(`"${key}" is looked for in something that is no object`);
  return node as Container;
}

function indexOf(key: string, last: number): number {
  if (!/^(0|[1-9]\d*)$/.test(key) || Number(key) > last) throw new Error(`"${key}" is no index of the array`);
  return Number(key);
}

/** Are two JSON values the same? The order of an object's members does not matter. */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b) || a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every(
      (key) =>
        Object.hasOwn(b, key) && deepEqual((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
    )
  );
}
