/** The usage of a thread's runs: tokens and cost. */
import type { AgUiEvent } from "../protocol/events.js";
import { readMetadata } from "../protocol/pageside.js";
import type { ThreadData } from "./thread.js";
import type { TokenUsage } from "../protocol/types.js";

/** Adds the usage that a run reports at its end to the thread's. */
export function counted(data: ThreadData, event: AgUiEvent): Partial<ThreadData> {
  if (event.type === "RUN_STARTED") return { runId: event.runId };
  const { runId, counted: before, usage, cost } = data;
  if (event.type !== "RUN_FINISHED" && event.type !== "RUN_ERROR") return {};
  if (!Array.isArray(event.usage) || before.has(runId)) return {};
  const more = costOf(event);
  return {
    counted: new Set(before).add(runId),
    usage: event.usage.reduce(withUsage, usage ?? []),
    // A sum is known only if all its parts are.
    cost: usage === undefined ? more : cost === undefined || more === undefined ? undefined : cost + more,
  };
}

function costOf(event: AgUiEvent): number | undefined {
  const { cost } = readMetadata(event);
  return typeof cost === "number" ? cost : undefined;
}

function withUsage(all: readonly TokenUsage[], usage: TokenUsage): readonly TokenUsage[] {
  const at = all.findIndex(({ provider, model }) => provider === usage.provider && model === usage.model);
  return at < 0 ? [...all, usage] : all.with(at, sum(all[at]!, usage));
}

/** Adds up counts. A count known on one side only is taken as it is. */
function sum(a: TokenUsage, b: TokenUsage): TokenUsage {
  const counts = Object.entries(b).filter((entry): entry is [keyof Counts, number] => typeof entry[1] === "number");
  return counts.reduce((total, [name, count]) => ({ ...total, [name]: (total[name] ?? 0) + count }), a);
}

type Counts = Omit<TokenUsage, "provider" | "model">;
