/** Runs the calls that the page makes itself. */
import type { Extensible } from "../base/extensible.js";
import { clientToolsOf, recordsOf } from "./page-calls.js";
import { runHere, type RunnerHost } from "./runner.js";
import type { CallOptions } from "./types.js";

/** `callTool`; with `isOwn`, tools that UI actions made are passed over. */
export async function runCall(
  client: Extensible,
  name: string,
  args: unknown,
  { id: wanted, signal, chosen }: CallOptions,
  isOwn?: boolean,
): Promise<unknown> {
  const records = recordsOf(client);
  const { id, argsText, stop } = records.begin(wanted, name, args);
  const host: RunnerHost = {
    parts: clientToolsOf(client).parts,
    again: false,
    isOwn,
    report: (each, change) => records.update(each, change),
    here: chosen ? "chosen" : "asking",
  };
  const abort = () => stop.abort(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort);
  try {
    return await runHere({ id, type: "function", function: { name, arguments: argsText } }, host, stop.signal);
  } finally {
    signal?.removeEventListener("abort", abort);
    records.end(id);
  }
}
