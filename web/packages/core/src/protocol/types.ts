/** The vocabulary of AG-UI as this client uses it. `@ag-ui/core` is imported for its types only. */
import type { Message as AgUiMessage, TokenUsage as AgUiTokenUsage } from "@ag-ui/core";

/** A message of a thread, as AG-UI has it. */
export type Message = AgUiMessage;

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** What may have arrived of a value that streams: members may be missing, at any depth. */
export type DeepPartial<T> = unknown extends T
  ? T
  : T extends object
    ? IsOpen<T> extends true
      ? { [Name in keyof T]: DeepPartial<T[Name]> }
      : { [Name in keyof T]?: DeepPartial<T[Name]> }
    : T;

/** Lists and records: what has not arrived of them is not missing. */
type IsOpen<T> = T extends readonly unknown[]
  ? number extends T["length"]
    ? true
    : false
  : string extends keyof T
    ? true
    : false;

/** A JSON Schema object (2020-12). */
export type JsonSchema = { [keyword: string]: unknown };

/**
 * The input and output tokens of one model. `inputTokens` and `outputTokens` are totals that
 * include cached and reasoning tokens. An unknown count is absent, which is not zero.
 */
export type TokenUsage = AgUiTokenUsage;

/** An error as the user sees it. */
export interface ClientError {
  code: string;
  message: string;
  /** Whether `retry()` can help. */
  retryable: boolean;
  /** When it can help, in milliseconds since 1970, if the server says so. */
  retryAt?: number;
  details?: string;
  /** Set if it ended a run: the server has what was sent. */
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
