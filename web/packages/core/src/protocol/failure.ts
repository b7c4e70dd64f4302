import type { ClientError } from "./types.js";
import { unreachable } from "./unreachable.js";

/** An error with what the user is told about it. */
export class Failure extends Error {
  declare readonly error: ClientError;
  /** The HTTP status of a refused request. */
  declare readonly status: number | undefined;
  /** When the server wants to be asked again: its `Retry-After`. */
  declare readonly retryAfter: string | null | undefined;

  constructor(
    code: string,
    message: string,
    more: { retryable?: boolean; details?: string; status?: number; retryAfter?: string | null } = {},
  ) {
    super(message);
    const { status, retryAfter, details, retryable = true } = more;
    const retryAt = retryAfter ? Date.now() + waitOf(retryAfter) : undefined;
    Object.assign(this, { error: { code, message, details, retryable, retryAt }, status, retryAfter });
  }
}

/** A `Retry-After` (seconds or a date) in milliseconds. */
export function waitOf(retryAfter: string): number {
  const wait = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - Date.now();
  return Math.max(0, wait || 0);
}

/** A stream that is not AG-UI. */
export const protocolFailure = (message: string) => new Failure("protocol", message);

/** Describes any thrown value to the user, including the errors of a failed fetch. */
export function toClientError(cause: unknown): ClientError {
  if (cause instanceof Failure) return cause.error;
  return unreachable(cause);
}

/** Codes of errors after which the outcome of the run is unknown: a retry continues that run. */
export const LOST = /^(connection_lost|network|unauthenticated)$/;
