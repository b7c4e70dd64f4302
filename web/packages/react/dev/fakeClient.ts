import type { Message, PagesideClient, ThreadSnapshot } from "@pageside/core";
import { TOOLS } from "../../core/src/tools/parts.js";

export const emptySnapshot: ThreadSnapshot = {
  threadId: "t1",
  messages: [],
  status: "idle",
  connection: "idle",
  questions: [],
  queue: [],
  queueHeld: false,
  stoppedMessageIds: [],
  toolCalls: {},
  state: {},
  model: { name: "script/demo", scripted: true },
};

/** A client whose thread is whatever it is told, and that remembers what was asked of it. */
export interface FakeClient extends PagesideClient {
  show(change: Partial<ThreadSnapshot>): void;
  calls: [name: string, ...args: unknown[]][];
}

export function fakeClient(initial: Partial<ThreadSnapshot> = {}): FakeClient {
  let snapshot: ThreadSnapshot = { ...emptySnapshot, ...initial };
  const listeners = new Set<() => void>();
  const calls: FakeClient["calls"] = [];
  const note =
    (name: string) =>
    (...args: unknown[]) => {
      calls.push([name, ...args]);
      return Promise.resolve();
    };
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const parts = new Map<symbol, unknown>([[TOOLS, { parts: { owner: "", questions: { open: [], viewers: 0 } } }]]);
  const base = {
    calls,
    identity: { url: "", agent: "default", user: "" },
    extension(key: symbol, make: (client: PagesideClient) => unknown) {
      if (!parts.has(key)) parts.set(key, make(fake));
      return parts.get(key);
    },
    show(change: Partial<ThreadSnapshot>) {
      snapshot = { ...snapshot, ...change };
      listeners.forEach((listener) => listener());
    },
    subscribe,
    watch: subscribe,
    watchQuestions: subscribe,
    getSnapshot: () => snapshot,
    getContext: () => [],
    getContextEntries: () => [],
    getTools: () => [],
    getToolEntries: () => [],
    getInstructions: () => [],
    getPlace: () => undefined,
    isIncluded: () => true,
    subscribePage: () => () => {},
    threads: {
      list: () => Promise.resolve({ threads: [] }),
      rename: note("rename"),
      archive: note("archive"),
      pin: note("pin"),
      delete: note("delete"),
      restore: note("restore"),
      allowances: () => Promise.resolve([]),
      revoke: note("revoke"),
    },
    limits: () => Promise.resolve({ runs: { used: 0 }, quotas: [], requests: {}, run: {} }),
    listThreads: () => Promise.resolve({ threads: [] }),
    registerContext: () => () => {},
    follow: () => () => {},
    registerTool: () => () => {},
    registerPlace: () => () => {},
  };
  // Whatever else the interface has is noted and answered with a resolved promise.
  const fake = new Proxy(base, {
    get: (target, name) => {
      if (name === "then") return undefined; // it is no promise
      return name in target ? target[name as keyof typeof target] : note(String(name));
    },
  }) as unknown as FakeClient;
  return fake;
}

let count = 0;
export const user = (content: string): Message => ({ id: `u${++count}`, role: "user", content });
export const assistant = (content: string, ...calls: string[]): Message => ({
  id: `a${++count}`,
  role: "assistant",
  content,
  ...(calls.length > 0 && {
    toolCalls: calls.map((id) => ({ id, type: "function" as const, function: { name: id, arguments: "{}" } })),
  }),
});
