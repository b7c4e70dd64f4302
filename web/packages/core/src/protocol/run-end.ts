/** How a run ended. */
import type { AgUiEvent, EventOf } from "./events.js";
import type { ClientError } from "./types.js";

/** How a run ended: with the calls that wait for this page, or with an error. */
export type RunEnd =
  | { kind: "finished"; pending: readonly string[]; cancelled: boolean; interrupted: boolean }
  | { kind: "failed"; error: ClientError };

/** Codes of RUN_ERROR after which the same request would fail again. */
const FINAL_CODES = new Set(["llm_bad_request", "llm_context_full"]);

const DAY = 86_400_000;

/** What a terminal event says; undefined for any other. */
export function endOf(event: AgUiEvent): RunEnd | undefined {
  if (event.type === "RUN_ERROR") return { kind: "failed", error: runError(event) };
  if (event.type !== "RUN_FINISHED") return undefined;
  const { outcome } = event;
  return {
    kind: "finished",
    pending: (outcome?.type === "success" && outcome.pendingToolCallIds) || [],
    cancelled: outcome?.type === "cancelled",
    interrupted: outcome?.type === "interrupt",
  };
}

/** What a RUN_ERROR means to the user. */
export function runError({ message, code = "run_error" }: Pick<EventOf<"RUN_ERROR">, "message" | "code">): ClientError {
  // quotas are renewed at midnight UTC
  const retryAt = code === "quota_exceeded" ? Math.ceil(Date.now() / DAY) * DAY : undefined;
  return { code, message, retryable: !FINAL_CODES.has(code), ofRun: true, retryAt };
}

/** The end of a run whose stream is lost for good. */
export function interrupted(): RunEnd {
  const message = "The connection ended before the answer was complete.";
  return { kind: "failed", error: { code: "interrupted", message, retryable: true } };
}
