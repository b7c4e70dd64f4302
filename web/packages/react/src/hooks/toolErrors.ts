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

  /** The error of a failure: the same object as long as a call's state has the same failure. */
  static of(failure: ToolCallFailure): ToolCallError {
    const error = made.get(failure) ?? new ToolCallError(failure);
    made.set(failure, error);
    return error;
  }
}

const made = new WeakMap<ToolCallFailure, ToolCallError>();
