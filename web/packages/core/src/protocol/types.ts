/**
 * The vocabulary of AG-UI as this client uses it. The types of `@ag-ui/core` are only types here:
 * nothing of it is loaded.
 */
import type { Message as AgUiMessage, TokenUsage as AgUiTokenUsage } from "@ag-ui/core";

/** A message of a thread, as AG-UI has it. */
export type Message = AgUiMessage;

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A JSON Schema object (2020-12). */
export type JsonSchema = { [keyword: string]: unknown };

/**
 * Tokens that one model took in and gave out. `inputTokens` and `outputTokens` are totals, of which
 * the cached and the reasoning tokens are parts. A count that is not known is absent, which is not
 * zero.
 */
export type TokenUsage = AgUiTokenUsage;

/** An error as the user is told it. */
export interface ClientError {
  code: string;
  message: string;
  /** Whether `retry()` can help. */
  retryable: boolean;
  details?: string;
  /** Set where it ended a run: the server has what was sent. */
  ofRun?: boolean;
}

/** A file that goes with a message. */
export interface Attachment {
  id: string;
  name: string;
  /** `"image/png"`. */
  mimeType: string;
  /** In bytes, as it is sent. */
  size: number;
  /** base64, without a `data:` prefix. */
  data: string;
}
