/** The results of calls, as messages. */
import type { ToolMessage } from "@ag-ui/core";
import type { Ledger } from "./ledger.js";
import type { CitableSource, ToolCallState } from "./types.js";

/** What all results of a call have. A call has one, so that needs no id of its own. */
export const emptyResult = (id: string) => ({ id: `result-${id}`, role: "tool", toolCallId: id }) as const;

/** The part of a tool message that names its sources. */
export const restingOn = (sources: readonly CitableSource[]) =>
  sources.length > 0 && { metadata: { pageside: { sources } } };

/** The result of a call whose handler has finished, though nobody was told. */
export function rememberedResult(
  id: string,
  ledger: Ledger,
  report: (change: Partial<ToolCallState>) => void,
): ToolMessage | undefined {
  const remembered = ledger.resultOf(id);
  if (!remembered) return undefined;
  const { content, sources = [] } = remembered;
  report({ status: "complete", result: JSON.parse(content), attempted: false, endedAt: Date.now() });
  return { ...emptyResult(id), content, ...restingOn(sources) };
}

/** The result of a call that had begun and that nobody waits for any more. */
export function lateResult(id: string, ledger: Ledger, report: (change: Partial<ToolCallState>) => void): ToolMessage {
  const remembered = rememberedResult(id, ledger, report);
  if (remembered) return remembered;
  report({ status: "cancelled" });
  const message = "The user went on before the tool had a result: whether it had its effect is unknown.";
  return { ...emptyResult(id), content: JSON.stringify({ error: { type: "interrupted", message } }), error: message };
}
