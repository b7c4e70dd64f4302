import type { ArgsOf, ToolContext } from "@pageside/core";
import { useMemo } from "react";
import type { AssistantAction, AssistantActionHandle, InferableParameters, InferredAction } from "./action.js";
import { useLatest, useLayoutEffect } from "./effects.js";
import { useRegistrar, type ActionRegistrar } from "./registrar.js";
import { useOrder, useSource } from "./registration.js";
import type { ToolRender, Untyped } from "./toolRenderers.js";

/**
 * Lets the assistant call a function of this page, as long as the component is mounted. The
 * arguments are checked against `parameters` before the handler runs; what the handler returns, or
 * the error it throws, goes to the model.
 *
 * Use it for what a user could do here too: change a filter, open a record. If it cannot be undone,
 * ask first with `requiresConfirmation`. With `available: "disabled"` (or without a handler) the
 * action is not offered and only draws calls of that name, for instance those of a tool on the
 * server.
 *
 * The types of the arguments follow from `parameters`: from a JSON Schema written there, or kept in
 * a constant `as const`; from a schema of zod, valibot and others that keep to Standard Schema. Or
 * say them: `<{ query: string }>`.
 *
 * Where mounted components register the same name, the innermost that can be called wins, of two
 * that are not within each other the newest; the next one takes over when it goes. A `registrar`
 * takes the place of the provider: for a registry of your own, which must stay the same object.
 *
 * @example
 * useAssistantAction({
 *   name: "set_query",
 *   description: "Put a query into the search bar and run it",
 *   effect: "read",
 *   parameters: {
 *     type: "object",
 *     properties: { query: { type: "string" } },
 *     required: ["query"],
 *   },
 *   handler: async ({ query }) => ({ hits: await search(query) }),
 *   render: ({ status, args }) => <p>Search for {args?.query}: {status}</p>,
 * });
 *
 * @example
 * useAssistantAction({
 *   name: "delete_rows",
 *   description: "Delete rows of the table",
 *   parameters: z.object({ ids: z.array(z.string()) }),
 *   requiresConfirmation: ({ ids }) => ids.length > 1 && `Delete ${ids.length} rows?`,
 *   handler: ({ ids }) => deleteRows(ids),
 * });
 */
export function useAssistantAction<const Parameters extends InferableParameters, Result = unknown>(
  action: InferredAction<Parameters, Result>,
  registrar?: ActionRegistrar,
): AssistantActionHandle<ArgsOf<Parameters>, Result>;
export function useAssistantAction<Args = Untyped, Result = Untyped>(
  action: AssistantAction<Args, Result>,
  registrar?: ActionRegistrar,
): AssistantActionHandle<Args, Result>;
export function useAssistantAction(action: AssistantAction, given?: ActionRegistrar): AssistantActionHandle {
  const registrar = useRegistrar("useAssistantAction", given);
  const { name, available, enabled = true, deps = [] } = action;
  const source = useSource(action.source);
  const order = useOrder();
  const hasHandler = action.handler !== undefined;
  const hasRender = action.render !== undefined;
  const latest = useLatest(action);

  useLayoutEffect(() => {
    if (!enabled) return;
    const handler = (args: never, context: ToolContext) => latest.current.handler!(args, context);
    const requiresConfirmation = async (args: never) => {
      const { requiresConfirmation: asks } = latest.current;
      return typeof asks === "function" ? asks(args) : asks;
    };
    return registrar.registerTool({
      ...latest.current,
      order,
      source,
      requiresConfirmation,
      handler: hasHandler ? handler : undefined,
    });
    // The description and the schema are read again only when the caller says so: a schema written
    // in the component is another object with every render.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [registrar, name, available, enabled, hasHandler, order, source, ...deps]);

  useLayoutEffect(() => {
    if (!enabled || !hasRender) return;
    const render: ToolRender = (props) => latest.current.render?.(props as Parameters<ToolRender<never>>[0]);
    return registrar.registerRender(name, render, order);
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [registrar, name, enabled, hasRender, latest, order, ...deps]);

  return useMemo(() => ({ name, execute: (args) => registrar.execute(name, args) }), [registrar, name]);
}
