import type { ToolCallState, ToolProgress, ToolStatus } from "@pageside/core";
import type { ReactNode } from "react";

/** What the `render` of a tool is given. */
export interface ToolRenderProps<Args = unknown, Result = unknown> {
  toolCallId: string;
  name: string;
  status: ToolStatus;
  /** The arguments; while they stream, what can be read so far, so any field may still be missing. */
  args?: Args;
  result?: Result;
  error?: { message: string; code?: string };
  progress?: ToolProgress;
}

export type ToolRender<Args = unknown, Result = unknown> = (props: ToolRenderProps<Args, Result>) => ReactNode;

/** Draws a tool call; `null` where nothing is registered for it, and the tray falls back to its own card. */
export type ToolRenderer = (call: ToolCallState) => ReactNode;

/**
 * How tool calls are drawn, by tool name. The newest registration of a name wins. The last renderer of a name stays
 * after its component is gone, so that the conversation keeps its look when the user navigates.
 */
export interface ToolRenderers {
  register(name: string, render: ToolRender): () => void;
  get(name: string): ToolRender | undefined;
  subscribe(listener: () => void): () => void;
}

export function createToolRenderers(): ToolRenderers {
  const stacks = new Map<string, { render: ToolRender }[]>();
  const last = new Map<string, ToolRender>();
  const listeners = new Set<() => void>();
  const changed = () => listeners.forEach((listener) => listener());

  return {
    register(name, render) {
      const entry = { render };
      const stack = stacks.get(name) ?? [];
      stacks.set(name, [...stack, entry]);
      last.set(name, render);
      changed();
      return () => {
        const rest = (stacks.get(name) ?? []).filter((other) => other !== entry);
        if (rest.length > 0) last.set(name, rest[rest.length - 1]!.render);
        stacks.set(name, rest);
        changed();
      };
    },
    get: (name) => last.get(name),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The props of a `render` for one call. */
export function toRenderProps(call: ToolCallState): ToolRenderProps {
  const { id, name, status, args, result, error, progress } = call;
  return { toolCallId: id, name, status, args, result, error, progress };
}
