/** The part of JSON Patch (RFC 6902) that growing cards and shared state use. */
import type { JsonPatchOperation } from "@ag-ui/core";

type Container = unknown[] | Record<string, unknown>;

/** Applies the operations to a copy. Throws if one does not fit. */
export function applyPatch(document: unknown, operations: readonly JsonPatchOperation[]): unknown {
  const root: Record<string, unknown> = { "": structuredClone(document) };
  for (const operation of operations) apply(root, operation);
  return root[""];
}

function apply(root: Container, operation: JsonPatchOperation): void {
  const { op, path } = operation;
  switch (op) {
    case "add":
      return put(root, path, operation.value, true);
    case "replace":
      return put(root, path, operation.value, false);
    case "remove":
      return void take(root, path);
    case "move":
      return put(root, path, take(root, operation.from), true);
    case "copy":
      return put(root, path, structuredClone(read(root, operation.from)), true);
    case "test":
      if (JSON.stringify(read(root, path)) !== JSON.stringify(operation.value)) throw new Error(`test of ${path}`);
  }
}

function put(root: Container, path: string, value: unknown, isNew: boolean): void {
  const { container, key } = locate(root, path);
  if (!Array.isArray(container)) container[key] = value;
  else if (isNew) container.splice(key === "-" ? container.length : Number(key), 0, value);
  else container[Number(key)] = value;
}

function take(root: Container, path: string): unknown {
  const { container, key } = locate(root, path);
  const value = read(root, path);
  if (Array.isArray(container)) container.splice(Number(key), 1);
  else Reflect.deleteProperty(container, key);
  return value;
}

function read(root: Container, path: string): unknown {
  const { container, key } = locate(root, path);
  if (!Object.hasOwn(container, key)) throw new Error(`nothing at ${path}`);
  return (container as Record<string, unknown>)[key];
}

/** The pointer "/a" splits into "" and "a": the document stands under the key "". */
function locate(root: Container, path: string): { container: Container; key: string } {
  const keys = path.split("/").map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
  const key = keys.pop()!;
  let container = root;
  for (const each of keys) {
    const next = Object.hasOwn(container, each) ? (container as Record<string, unknown>)[each] : undefined;
    if (typeof next !== "object" || next === null) throw new Error(`nothing at ${path}`);
    container = next as Container;
  }
  return { container, key };
}
