/**
 * This package under the names and types of the design that Pageside's hooks come from, for code
 * written to it: `import … from "@osd/context-provider"`, with that name mapped to this module. It
 * runs the same code as the package itself; only the types are looser, because that code was
 * written to looser ones.
 */
import { registerPlugin, type JsonSchema, type Plugin, type UiAction, type UiActions } from "@pageside/core";
import type { PagesideClient } from "@pageside/core";
import type { AssistantActionHandle } from "./hooks/action.js";
import { ToolCallError } from "./hooks/toolErrors.js";
import type { ToolRenderProps, Untyped } from "./hooks/toolRenderers.js";
import type { ReactNode } from "react";
import { useAssistantAction as ownHook } from "./hooks/useAssistantAction.js";
import type { AssistantAction as OwnAction } from "./hooks/action.js";

export * from "./index.js";
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

/** `useAssistantAction` of the package, without types that follow from `parameters`. */
export function useAssistantAction<T = Untyped>(action: AssistantAction<T>): AssistantActionHandle<T> {
  const { render, ...rest } = action;
  return ownHook<T>({ ...rest, ...(render && { render: (props: ToolRenderProps<T>) => render(inFourStates(props)) }) });
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
