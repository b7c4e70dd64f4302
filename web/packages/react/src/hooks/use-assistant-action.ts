import type { FrontendTool, ToolContext } from "@pageside/core";
import { useAssistantContext } from "../context.js";
import type { ToolRender } from "./tool-renderers.js";
import { useLatest, useRegistrationEffect } from "./use-latest.js";

/** Something the assistant can do in this page. */
export interface AssistantAction<Args = Record<string, unknown>, Result = unknown> extends FrontendTool<Args, Result> {
  /** Draws the call in the conversation, while it runs and afterwards. */
  render?: ToolRender<Args, Awaited<Result>>;
  /** With `false`, nothing is registered. Default true. */
  enabled?: boolean;
  /**
   * What `description`, `parameters` and `render` depend on beside their arguments: when one of these values changes,
   * the tool is advertised and drawn anew. The handler always sees the latest values without it.
   */
  deps?: readonly unknown[];
}

/**
 * Lets the assistant call a function of this page, as long as the component is mounted. The arguments are checked
 * against `parameters` before the handler runs; what the handler returns, or the error it throws, goes to the model.
 *
 * Use it for what a user could do here too: change a filter, open a record, ask for a confirmation. With
 * `available: "disabled"` (or without a handler) the action is not offered and only draws calls of that name, for
 * instance those of a tool on the server.
 *
 * Where two mounted components register the same name, the newest wins until it unmounts.
 *
 * @example
 * useAssistantAction<{ query: string }>({
 *   name: "set_query",
 *   description: "Put a query into the search bar and run it",
 *   parameters: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
 *   handler: async ({ query }) => ({ hits: await search(query) }),
 *   render: ({ status, args }) => <p>{status === "complete" ? "Searched" : "Searching"} {args?.query}</p>,
 * });
 */
export function useAssistantAction<Args = Record<string, unknown>, Result = unknown>(
  action: AssistantAction<Args, Result>,
): void {
  const { client, renderers } = useAssistantContext("useAssistantAction");
  const { name, available, enabled = true, deps = [] } = action;
  const hasHandler = action.handler !== undefined;
  const hasRender = action.render !== undefined;
  const latest = useLatest(action);

  useRegistrationEffect(() => {
    if (!enabled) return;
    const { description, parameters, timeout, exclusive } = latest.current;
    const handler = (args: Args, context: ToolContext) => latest.current.handler!(args, context);
    return client.registerTool<Args, Result>({
      name,
      description,
      parameters,
      timeout,
      exclusive,
      available,
      handler: hasHandler ? handler : undefined,
    });
    // The description and the schema are read again only when the caller says so: a schema written in the component
    // is another object with every render.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [client, name, available, enabled, hasHandler, ...deps]);

  useRegistrationEffect(() => {
    if (!enabled || !hasRender) return;
    const render: ToolRender = (props) =>
      latest.current.render?.(props as Parameters<ToolRender<Args, Awaited<Result>>>[0]);
    return renderers.register(name, render);
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [renderers, name, enabled, hasRender, latest, ...deps]);
}
