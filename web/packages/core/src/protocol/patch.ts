/**
 * JSON Patch (RFC 6902). Nothing is changed in place: the result shares what the patch does not
 * touch with the document, and a failed patch changes nothing.
 */
import { isObjectOrArray, membersOf } from "../base/values.js";
import type { JsonPatchOperation } from "@ag-ui/core";
import { deepEqual } from "../base/equal.js";

/** The patch does not fit the document. */
class PatchError extends Error {}

/**
 * Applies the operations in order. Throws if one cannot be applied. Skips unknown operations, as
 * the stock client does.
 */
export function applyPatch(document: unknown, operations: readonly JsonPatchOperation[]): unknown {
  // The pointer "/a" splits into "" and "a": with the document under the key "", its root needs no
  // case of its own.
  const { "": result = null } = operations.reduce(applyOperation, { "": document });
  return result;
}

function applyOperation(root: Record<string, unknown>, operation: JsonPatchOperation): Record<string, unknown> {
  const { op, path } = operation;
  switch (op) {
    case "add":
      return add(root, path, operation.value);
    case "remove":
      return remove(root, path);
    case "replace":
      return edit(root, path, (container, key) => {
        container[find(container, key)] = operation.value;
      });
    case "move":
      return add(remove(root, operation.from), path, read(root, operation.from));
    case "copy":
      return add(root, path, read(root, operation.from));
    case "test":
      if (!deepEqual(read(root, path), operation.value)) throw new PatchError();
      return root;
    default:
      return root;
  }
}

function add(root: Record<string, unknown>, path: string, value: unknown): Record<string, unknown> {
  return edit(root, path, (container, key) => {
    if (!Array.isArray(container)) container[key] = value;
    else container.splice(key === "-" ? container.length : indexOf(key, container.length), 0, value);
  });
}

function remove(root: Record<string, unknown>, path: string): Record<string, unknown> {
  return edit(root, path, (container, key) => {
    const at = find(container, key);
    if (Array.isArray(container)) container.splice(Number(at), 1);
    else delete container[at];
  });
}

/** Copies the containers along the path and lets `change` work on the copy of the last one. */
function edit(
  root: Record<string, unknown>,
  path: string,
  change: (container: Record<string, unknown>, key: string) => void,
): Record<string, unknown> {
  const keys = parsePointer(path);
  const last = keys.pop()!;
  const copy = { ...root };
  let container = copy;
  for (const key of keys) {
    const node = container[find(container, key)];
    if (!isObjectOrArray(node)) throw new PatchError();
    container = container[key] = membersOf(Array.isArray(node) ? [...node] : { ...node });
  }
  change(container, last);
  return copy;
}

function read(root: Record<string, unknown>, path: string): unknown {
  return parsePointer(path).reduce((node: unknown, key) => membersOf(node)[find(node, key)], root);
}

function parsePointer(pointer: string): string[] {
  const keys = pointer.split("/").map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
  // A server's patch must never reach the prototypes of this page's objects.
  if (keys[0] !== "" || keys.some((key) => /^(__proto__|constructor|prototype)$/.test(key))) throw new PatchError();
  return keys;
}

/** Returns the key, or throws if the container does not have it. */
function find(container: unknown, key: string): string {
  if (Array.isArray(container)) indexOf(key, container.length - 1);
  else if (!Object.hasOwn(membersOf(container), key)) throw new PatchError();
  return key;
}

function indexOf(key: string, last: number): number {
  if (!/^(0|[1-9]\d*)$/.test(key) || Number(key) > last) throw new PatchError();
  return Number(key);
}
