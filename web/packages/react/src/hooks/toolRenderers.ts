import type { ToolCallState, ToolProgress, ToolStatus } from "@pageside/core";
import type { ReactNode } from "react";
import type { Stacks } from "./stacks.js";

/** The props of a tool's `render`. */
export interface ToolRenderProps<Args = unknown, Result = unknown> {
  /** The id of the call. */
  toolCallId: string;
  /** The name of the tool. */
  name: string;
  /** The state of the call. */
  status: ToolStatus;
  /**
   * The arguments; while they stream, what can be read so far, so any field may still be missing.
   */
  args?: Args;
  /** What the call returned. */
  result?: Result;
  /** What went wrong. */
  error?: { message: string; code?: string };
  /** The progress that a running tool reports. */
  progress?: ToolProgress;
}

/** Draws a tool call from its props. */
export type ToolRender<Args = unknown, Result = unknown> = (props: ToolRenderProps<Args, Result>) => ReactNode;

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
export function toRenderProps(call: ToolCallState): ToolRenderProps {
  const { id, name, status, args, result, error, progress } = call;
  return { toolCallId: id, name, status, args, result, error, progress };
}
