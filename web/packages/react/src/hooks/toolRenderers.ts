import type { Answer, DeepPartial, ToolCallState, ToolProgress } from "@pageside/core";
import type { ReactNode } from "react";
import type { Stacks } from "./stacks.js";
import { ToolCallError } from "./toolErrors.js";

/** What the author of an action has not typed. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- as in the texts this API is written for
export type Untyped = any;

interface OfCall<Result> {
  /** The id of the call. */
  toolCallId: string;
  /** The name of the tool. */
  name: string;
  /** What the call returned. */
  result?: Result;
  /** What went wrong. */
  error?: ToolCallError;
  /** The progress that a running tool reports. */
  progress?: ToolProgress;
  /** Answers the question that is open on the call, while there is one. */
  respond?: (answer?: Answer) => void;
}

/**
 * The props of a tool's `render`. `status` says what there is: the arguments while it is
 * `executing`, the result once it is `complete`, the error if it has `failed`. While it is
 * `pending` the arguments are what can be read so far: any field may still be missing. They may
 * stay so in a call that has `failed` or was `cancelled`.
 */
export type ToolRenderProps<Args = Untyped, Result = Untyped> = OfCall<Result> &
  (
    | { status: "pending" | "cancelled"; args?: DeepPartial<Args> }
    | { status: "awaiting-approval" | "denied"; args?: Args }
    | { status: "executing"; args: Args }
    | { status: "complete"; args: Args; result: Result }
    | { status: "failed"; args?: DeepPartial<Args>; error: ToolCallError }
  );

/** Draws a tool call from its props. */
export type ToolRender<Args = Untyped, Result = Untyped> = (props: ToolRenderProps<Args, Result>) => ReactNode;

/**
 * Draws a tool call; `null` where nothing is registered for it, and the tray falls back to its own
 * card.
 */
export type ToolRenderer = (call: ToolCallState) => ReactNode;

/**
 * How tool calls are drawn, by tool name. The last renderer of a name stays after its component is
 * gone, so that the conversation keeps its look when the user navigates.
 */
export type ToolRenderers = Stacks<ToolRender>;

/** The props of a `render` for one call. */
export function toRenderProps(call: ToolCallState, respond?: (answer?: Answer) => void): ToolRenderProps {
  const { id, name, status, result, progress } = call;
  const error = call.error && ToolCallError.of(call.error);
  // A model may write nothing for a tool without parameters.
  const args = call.args ?? (status === "executing" || status === "complete" ? {} : undefined);
  return { toolCallId: id, name, status, args, result, error, progress, respond } as ToolRenderProps;
}
