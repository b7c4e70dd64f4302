import type { ToolCallFailure } from "@pageside/core";

/** The error of a tool call, as `render` gets it. Its `name` is the code. */
export class ToolCallError extends Error {
  /** Such as `"timeout"`, or the name of the error that the handler threw. */
  readonly code: string | undefined;
  /** All that is wrong with the arguments, for example. */
  readonly details: readonly string[] | undefined;

  constructor({ message, code, details }: ToolCallFailure) {
    super(message);
    this.name = code ?? "Error";
    this.code = code;
    this.details = details;
  }
}

/** The same error object as long as the state of the call has the same failure. */
const made = new WeakMap<ToolCallFailure, ToolCallError>();

/** The error of a failure; undefined of none. */
export function toolCallErrorOf(failure: ToolCallFailure | undefined): ToolCallError | undefined {
  if (!failure) return undefined;
  const error = made.get(failure) ?? new ToolCallError(failure);
  made.set(failure, error);
  return error;
}
