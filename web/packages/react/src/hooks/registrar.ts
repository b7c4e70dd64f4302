import { callTool, type FrontendTool } from "@pageside/core";
import { useContext, useMemo } from "react";
import { AssistantActionContext, type AssistantActionContextValue } from "../actionContext.js";
import { AssistantContext, missingProvider, type AssistantContextValue } from "../context.js";
import type { AssistantAction } from "./action.js";
import type { ToolRender, Untyped } from "./toolRenderers.js";

/** Where actions are registered, and run by their names. */
export interface Registrar {
  registerTool(tool: FrontendTool<never>): () => void;
  registerRender(name: string, render: ToolRender, order: number): () => void;
  execute(name: string, args: unknown): Promise<Untyped>;
}

/**
 * The registrar of the provider around, or of a value that was put into `AssistantActionContext`,
 * as tests do.
 */
export function useRegistrar(caller: string): Registrar {
  const actions = useContext(AssistantActionContext);
  const assistant = useContext(AssistantContext);
  const given = actions?.client ? undefined : actions;
  return useMemo(() => {
    if (given) return toGiven(given);
    if (assistant) return toProvider(assistant);
    throw missingProvider(caller);
  }, [given, assistant, caller]);
}

function toProvider({ client, renderers }: AssistantContextValue): Registrar {
  return {
    registerTool: (tool) => client.registerTool(tool),
    registerRender: (name, render, order) => renderers.register(name, render, order),
    execute: (name, args) => callTool(client, name, args),
  };
}

function toGiven({ registerAction, unregisterAction, executeAction }: AssistantActionContextValue): Registrar {
  return {
    registerTool(tool) {
      registerAction(tool as AssistantAction);
      return () => unregisterAction(tool.name);
    },
    registerRender: () => () => undefined,
    execute: executeAction,
  };
}
