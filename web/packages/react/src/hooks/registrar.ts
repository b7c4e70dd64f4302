import { callTool, type FrontendTool } from "@pageside/core";
import { useContext, useMemo } from "react";
import { AssistantContext, missingProvider, type AssistantContextValue } from "../context.js";
import type { ToolRender, Untyped } from "./toolRenderers.js";

/** Where actions are registered, and run by their names. */
export interface ActionRegistrar {
  /** Offers the action to the assistant. The function undoes it. */
  registerTool(tool: FrontendTool<never>): () => void;
  /** Draws calls of that name. Of several, the highest order wins. The function undoes it. */
  registerRender(name: string, render: ToolRender, order: number): () => void;
  /** Runs the action as a call of the assistant does. */
  execute(name: string, args: unknown): Promise<Untyped>;
}

/** The given registrar, or else that of the provider around. */
export function useRegistrar(caller: string, given: ActionRegistrar | undefined): ActionRegistrar {
  const assistant = useContext(AssistantContext);
  return useMemo(() => {
    if (given) return given;
    if (assistant) return toProvider(assistant);
    throw missingProvider(caller);
  }, [given, assistant, caller]);
}

function toProvider({ client, renderers }: AssistantContextValue): ActionRegistrar {
  return {
    registerTool: (tool) => client.registerTool(tool),
    registerRender: (name, render, order) => renderers.register(name, render, order),
    execute: (name, args) => callTool(client, name, args),
  };
}
