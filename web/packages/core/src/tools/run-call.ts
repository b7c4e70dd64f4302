/** Runs the calls that the page makes itself. */
import type { Extensible } from "../base/extensible.js";
import { confirmationsOf } from "./confirmations.js";
import { clientToolsOf, recordsOf } from "./page-calls.js";
import { runHere, type Asked, type RunnerHost } from "./runner.js";
import { isStandard } from "./schema.js";
import type { Approval, CallOptions } from "./types.js";

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
    ask: chosen ? () => Promise.resolve({ approved: true }) : (asked, over) => ask(client, asked, over),
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

/** Asks where UI actions ask: no message of the thread has the call. */
function ask(client: Extensible, { tool, args, message }: Asked, over: AbortSignal): Promise<Approval> {
  const questions = confirmationsOf(client);
  const { name, description, parameters, destructive } = tool;
  const schema = parameters && !isStandard(parameters) ? parameters : undefined;
  const before = questions.all();
  const answered = questions.ask({ actionId: name, name, message, args, description, parameters: schema, destructive });
  const asked = questions.all().find((each) => !before.includes(each)); // none if it was answered at once
  if (asked) over.addEventListener("abort", () => questions.answer(asked.id, { approved: false }));
  return answered;
}
