export type * from "@pageside/core";
export {
  commandsOf,
  confirmationsOf,
  createPagesideClient,
  pluginsOf,
  registerPlugin,
  uiActionsOf,
} from "@pageside/core";
export { useAssistantContext } from "./context.js";
export type { AssistantContextValue } from "./context.js";
export { AssistantProvider, AssistantProvider as AssistantActionProvider } from "./provider.js";
export type { AssistantProviderProps } from "./provider.js";
export { useAssistant, useAssistantActions, useAssistantSnapshot } from "./hooks/use-assistant.js";
export type { Assistant, AssistantActions } from "./hooks/use-assistant.js";
export { useAssistantAction } from "./hooks/use-assistant-action.js";
export type { AssistantAction, InferableParameters, InferredAction } from "./hooks/use-assistant-action.js";
export { useAssistantAdditionalContext } from "./hooks/use-assistant-additional-context.js";
export type { AdditionalContext } from "./hooks/use-assistant-additional-context.js";
export { useAssistantPrompts } from "./hooks/use-assistant-prompts.js";
export type { AssistantPrompts } from "./hooks/use-assistant-prompts.js";
export type { RegisterCommands } from "./hooks/use-commands.js";
export { useAssistantState } from "./hooks/use-assistant-state.js";
export type { SetAssistantState, StateUpdate } from "./hooks/use-assistant-state.js";
export {
  useAssistantSuggestions,
  useAssistantSuggestions as useChatSuggestions,
  useSuggestions,
} from "./hooks/use-assistant-suggestions.js";
export type { SuggestionsShown, SuggestionSource } from "./hooks/suggestion-store.js";
export { useDynamicContext } from "./hooks/use-dynamic-context.js";
export type { DynamicContext, Redact } from "./hooks/use-dynamic-context.js";
export { usePageContext } from "./hooks/use-page-context.js";
export type { ConvertUrlState, DecodeUrlState, PageContext, UrlState } from "./hooks/use-page-context.js";
export { usePayload } from "./hooks/use-payload.js";
export type { Payload } from "./hooks/use-payload.js";
export type { PayloadHandler, PayloadProps, Payloads, PayloadState } from "./hooks/payloads.js";
export type { Stacks } from "./hooks/stacks.js";
export { AssistantPlugin, usePlugin } from "./hooks/use-plugin.js";
export { useSuggestedAction } from "./hooks/use-suggested-action.js";
export type { SuggestedActionHandler } from "./hooks/use-suggested-action.js";
export { useTextSelection } from "./hooks/use-text-selection.js";
export type { TextSelectionOptions } from "./hooks/use-text-selection.js";
export { useToolRenderer } from "./hooks/use-tool-renderer.js";
export type { ToolRender, ToolRenderer, ToolRenderProps, ToolRenderers } from "./hooks/tool-renderers.js";
export * from "./tray/index.js";
