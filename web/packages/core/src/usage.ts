/** What the runs of a thread used, in tokens, and what that cost. */
import type { AgUiEvent } from "./events.js";
import { readMetadata } from "./protocol/pageside.js";
import type { Thread } from "./thread.js";
import type { TokenUsage } from "./types.js";

/**
 * The run that is being read, and those that were counted: a run that is read again costs nothing.
 */
const runs = new WeakMap<Thread, { current?: string; counted: Set<string | undefined> }>();

/** Adds what a run says at its end to what the thread's runs used before. */
export function countUsage(thread: Thread, event: AgUiEvent): void {
  if (event.type === "RUN_STARTED") {
    runs.set(thread, { counted: runs.get(thread)?.counted ?? new Set(), current: event.runId });
  }
  if (event.type !== "RUN_FINISHED" && event.type !== "RUN_ERROR") return;
  const { current, counted } = runs.get(thread) ?? { counted: new Set() };
  if (!Array.isArray(event.usage) || counted.has(current)) return;
  counted.add(current);
  const { usage, cost } = thread.view;
  const more = costOf(event);
  // Of a sum, all has to be known.
  thread.view.cost = usage === undefined ? more : cost === undefined || more === undefined ? undefined : cost + more;
  thread.view.usage = event.usage.reduce(withUsage, usage ?? []);
}

/**
 * How many runs were counted here: what the server says of the sum before and after that are two
 * things.
 */
export function countedRuns(thread: Thread): number {
  return runs.get(thread)?.counted.size ?? 0;
}

function costOf(event: AgUiEvent): number | undefined {
  const { cost } = readMetadata(event);
  return typeof cost === "number" ? cost : undefined;
}

function withUsage(all: readonly TokenUsage[], usage: TokenUsage): readonly TokenUsage[] {
  const at = all.findIndex(({ provider, model }) => provider === usage.provider && model === usage.model);
  return at < 0 ? [...all, usage] : all.with(at, sum(all[at]!, usage));
}

/** A count that one of them does not tell is the other's. */
function sum(a: TokenUsage, b: TokenUsage): TokenUsage {
  const counts = Object.entries(b).filter((entry): entry is [keyof Counts, number] => typeof entry[1] === "number");
  return counts.reduce((total, [name, count]) => ({ ...total, [name]: (total[name] ?? 0) + count }), a);
}

type Counts = Omit<TokenUsage, "provider" | "model">;
