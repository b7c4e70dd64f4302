/** Keeps the calls of tools that the page makes itself: a button, a menu, a test. */
import type { Extensible } from "../base/extensible.js";
import { Subscribable } from "../base/subscribable.js";
import { TOOLS, type ClientTools } from "./parts.js";
import type { PageCalls, ToolCallState } from "./types.js";

const PAGE_CALLS = Symbol("page calls");

/** The most calls that are kept once they are over. */
const MAX_KEPT = 50;

/**
 * The calls that the page made, by id. They are in no thread, and the assistant does not learn of
 * them.
 *
 * @example
 * const calls = pageCallsOf(client);
 * calls.subscribe(() => {
 *   for (const { name, status } of Object.values(calls.all())) console.log(name, status);
 * });
 */
export function pageCallsOf(client: Extensible): PageCalls {
  return recordsOf(client);
}

/** `pageCallsOf`, for what runs the calls. */
export function recordsOf(client: Extensible): CallRecords {
  return client.extension(PAGE_CALLS, () => new CallRecords());
}

/**
 * Changes the state of a call: of the open thread, or else one of the page's own, which begins with
 * this if there is none. What runs the call reports its own changes over it.
 *
 * @example
 * updateToolCall(client, "call_1", { progress: { stage: "sorting", message: "" } });
 */
export function updateToolCall(client: Extensible, id: string, change: Partial<Omit<ToolCallState, "id">>): void {
  if (!clientToolsOf(client).change(id, change)) recordsOf(client).update(id, change);
}

/** The parts of the client that only its own modules use. */
export const clientToolsOf = (client: Extensible): ClientTools =>
  client.extension(TOOLS, () => {
    throw new Error("Pageside: this is no client of createPagesideClient.");
  });

/** The records of the calls. */
export class CallRecords implements PageCalls {
  #all: Readonly<Record<string, ToolCallState>> = {};
  readonly #running = new Map<string, AbortController>();
  readonly #changes = new Subscribable();
  #count = 0;

  readonly subscribe = this.#changes.subscribe;
  readonly all = () => this.#all;

  cancel(id: string): void {
    this.#running.get(id)?.abort(new DOMException("The call was cancelled.", "AbortError"));
  }

  /** Begins a call. Throws if one with that id runs. */
  begin(id = `page-${++this.#count}`, name: string, args: unknown) {
    if (this.#running.has(id)) throw new Error(`Pageside: a call with the id "${id}" is running.`);
    const stop = new AbortController();
    const argsText = JSON.stringify(args) ?? "";
    this.#running.set(id, stop);
    this.update(id, { name, args, argsText, status: "pending", result: undefined, error: undefined });
    return { id, argsText, stop };
  }

  end(id: string): void {
    this.#running.delete(id);
    const over = Object.keys(this.#all).filter((each) => !this.#running.has(each));
    for (const each of over.slice(0, -MAX_KEPT)) this.#remove(each);
  }

  update(id: string, change: Partial<ToolCallState>): void {
    const fresh = { name: "", argsText: "", status: "pending", frontend: true, startedAt: Date.now() } as const;
    this.#all = { ...this.#all, [id]: { ...fresh, ...this.#all[id], ...change, id } };
    this.#changes.notify();
  }

  #remove(id: string): void {
    const { [id]: _, ...rest } = this.#all;
    this.#all = rest;
  }
}
