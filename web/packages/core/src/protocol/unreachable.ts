import type { ClientError } from "./types.js";

/** The error of a request, or of a part of this code, that the network has failed. */
export function unreachable(cause: unknown): ClientError {
  return { code: "network", message: "The server could not be reached.", details: String(cause), retryable: true };
}
