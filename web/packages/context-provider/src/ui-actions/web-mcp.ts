/**
 * Offers an action to the browser's own agents: WebMCP,
 * https://webmachinelearning.github.io/webmcp/.
 */
import type { JsonSchema } from "@pageside/core";
import { checkArguments } from "@pageside/core/running";
import type { UiAction } from "./types.js";

interface ModelContextTool {
  name: string;
  description: string;
  inputSchema: JsonSchema;
  annotations: { readOnlyHint?: boolean; destructiveHint?: boolean };
  execute(input: unknown): Promise<unknown>;
}

interface ModelContext {
  registerTool(tool: ModelContextTool, options?: { signal?: AbortSignal }): unknown;
  /** Absent from newer browsers, which take the signal. */
  unregisterTool?(name: string): void;
}

/** The browser's model context: on `document`, earlier on `navigator`. */
function modelContext(): ModelContext | undefined {
  const places = [globalThis.document, globalThis.navigator] as { modelContext?: ModelContext }[];
  return places.map((place) => place?.modelContext).find((context) => typeof context?.registerTool === "function");
}

/**
 * Registers the action as a tool of the browser; calls go to `run`. The function undoes it. Does
 * nothing in a browser without WebMCP.
 */
export function expose(action: UiAction, run: (args: Record<string, unknown>) => unknown): () => void {
  const context = modelContext();
  if (!context) return () => {};
  const { id: name, description, parameters, getDisplayName, webMcp } = action;
  const { readOnly, destructive = action.destructive } = typeof webMcp === "object" ? webMcp : {};
  const over = new AbortController();
  const tool: ModelContextTool = {
    name,
    description: description ?? getDisplayName?.() ?? name,
    inputSchema: parameters ?? { type: "object", properties: {} },
    annotations: {
      ...(readOnly !== undefined && { readOnlyHint: readOnly }),
      ...(destructive !== undefined && { destructiveHint: destructive }),
    },
    execute: async (input) => {
      const args = (input ?? {}) as Record<string, unknown>;
      if (parameters) await checkArguments(args, parameters);
      if (action.isCompatible && !(await action.isCompatible(args))) {
        throw new Error(`"${name}" cannot be used here and now.`);
      }
      return run(args);
    },
  };
  const failed = (error: unknown) => console.warn(`Pageside: the browser did not take the tool "${name}".`, error);
  try {
    Promise.resolve(context.registerTool(tool, { signal: over.signal })).catch(failed);
  } catch (error) {
    failed(error);
    return () => {};
  }
  return () => {
    over.abort();
    try {
      context.unregisterTool?.(name);
    } catch {
      // The signal has done it.
    }
  };
}
