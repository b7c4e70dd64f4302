/**
 * `@pageside/react` under the names and types of the design that its hooks come from, for code
 * written to it: `import … from "@osd/context-provider"`, with that name mapped to this package. It
 * runs the same code; only the types are looser, because that code was written to looser ones.
 */
import { registerPlugin, type JsonSchema, type PagesideClient, type Plugin } from "@pageside/core";
import {
  ToolCallError,
  useAssistantAction as ownHook,
  type ActionRegistrar,
  type AssistantAction as OwnAction,
  type AssistantActionHandle,
  type ToolRenderProps,
  type Untyped,
} from "@pageside/react";
import { useContext, useMemo, type ReactNode } from "react";
import { AssistantActionContext, type AssistantActionContextValue } from "./actionContext.js";
import type { UiAction, UiActions } from "./ui-actions/index.js";

export * from "@pageside/react";
export { AssistantActionContext } from "./actionContext.js";
export type {
  ActionCallChange,
  ActionCallState,
  ActionRenderProps,
  AssistantActionContextValue,
  ToolDefinition,
} from "./actionContext.js";
export { useAssistantActionContext } from "./useAssistantActionContext.js";
export { uiActionsOf } from "./ui-actions/index.js";
export type { UiAction, UiActions, UiTrigger } from "./ui-actions/index.js";
export { AssistantActionProvider, AssistantProvider, registerPayloadHandler } from "./payloadHandlers.js";
export type { PayloadCallbacks, RegisteredPayload } from "./payloadHandlers.js";
export type { JsonSchema as JSONSchema } from "@pageside/core";

/** The states of a tool call, as the code knows them that this module is for. */
export type ToolStatus = "pending" | "executing" | "complete" | "failed";

/** The props of `render`. A call is `pending` while a person is asked about it. */
export type RenderProps<T = Untyped> = ToolRenderProps<T> & { status: ToolStatus };

/** An action whose arguments have no types, unless they are given. */
export interface AssistantAction<T = Untyped> extends Omit<OwnAction<T>, "parameters" | "handler" | "render"> {
  /** The JSON Schema of the arguments. */
  parameters?: JsonSchema;
  /** Runs in the page. What it returns, or the error it throws, goes to the model. */
  handler?: (args: T) => Untyped;
  /** Draws a call in the conversation. */
  render?: (props: RenderProps<T>) => ReactNode;
}

/**
 * `useAssistantAction` of `@pageside/react`, without types that follow from `parameters`. Registers
 * with a value that was put into `AssistantActionContext`, if that is not the provider's.
 */
export function useAssistantAction<T = Untyped>(action: AssistantAction<T>): AssistantActionHandle<T> {
  const given = useContext(AssistantActionContext);
  const registrar = useMemo(() => (given && !given.client ? registrarOf(given) : undefined), [given]);
  const { render, ...rest } = action;
  const own = { ...rest, ...(render && { render: (props: ToolRenderProps<T>) => render(inFourStates(props)) }) };
  return ownHook<T>(own, registrar);
}

function registrarOf(given: AssistantActionContextValue): ActionRegistrar {
  return {
    registerTool(tool) {
      given.registerAction(tool as OwnAction);
      return () => given.unregisterAction(tool.name);
    },
    registerRender: () => () => undefined,
    execute: given.executeAction,
  };
}

/** A call that a person has declined or stopped has failed. */
function inFourStates<T>(props: ToolRenderProps<T>): RenderProps<T> {
  switch (props.status) {
    case "awaiting-approval":
      return { ...props, status: "pending" } as RenderProps<T>;
    case "denied":
    case "cancelled":
      return {
        ...props,
        status: "failed",
        error: new ToolCallError({ message: `The call was ${props.status}.` }),
      } as RenderProps<T>;
    default:
      return props as RenderProps<T>;
  }
}

/** The UI actions in the first phase of a plug-in's life. `uiActionsOf(client)` is one. */
export interface UiActionsSetup extends Omit<UiActions, "registerAction"> {
  registerAction<Context = Untyped, Result = Untyped>(action: UiAction<Context, Result>): () => void;
}

/** The UI actions in the second phase of a plug-in's life. `uiActionsOf(client)` is one. */
export type UiActionsStart = UiActionsSetup;

/** What plug-ins are given when they are set up. */
export interface ContextProviderSetup {
  /** See `registerPlugin`. */
  registerPlugin(plugin: Plugin): () => void;
}

/** What plug-ins are given when they are started. */
export type ContextProviderStart = ContextProviderSetup;

/** What a host gives its plug-ins as `contextProvider`. */
export function contextProviderOf(client: PagesideClient): ContextProviderSetup {
  return { registerPlugin: (plugin) => registerPlugin(client, plugin) };
}
