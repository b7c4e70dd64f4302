export type * from "@pageside/core";
export { callTool, commandsOf, createPagesideClient, pluginsOf, registerPlugin, textOf } from "@pageside/core";
export { ToolCallError } from "./hooks/toolErrors.js";
export { useAssistantContext } from "./context.js";
export type { AssistantContextValue, TrayState } from "./context.js";
export { AssistantProvider } from "./provider.js";
export type { AssistantProviderProps } from "./provider.js";
export { useAssistant, useAssistantActions, useAssistantSnapshot } from "./hooks/useAssistant.js";
export type { Assistant, AssistantActions } from "./hooks/useAssistant.js";
export { useAssistantAction } from "./hooks/useAssistantAction.js";
export type { AssistantAction, AssistantActionHandle, InferableParameters, InferredAction } from "./hooks/action.js";
export type { ActionRegistrar } from "./hooks/registrar.js";
export { useAssistantAdditionalContext } from "./hooks/useAssistantAdditionalContext.js";
export type { AdditionalContext } from "./hooks/useAssistantAdditionalContext.js";
export { useAssistantPrompts } from "./hooks/useAssistantPrompts.js";
export type { AssistantPrompts } from "./hooks/useAssistantPrompts.js";
export type { RegisterCommands } from "./hooks/useCommands.js";
export { useAssistantState } from "./hooks/useAssistantState.js";
export type { SetAssistantState, StateUpdate } from "./hooks/useAssistantState.js";
export {
  useAssistantSuggestions,
  useAssistantSuggestions as useChatSuggestions,
  useSuggestions,
} from "./hooks/useAssistantSuggestions.js";
export type { SuggestionsShown, SuggestionSource } from "./hooks/suggestionStore.js";
export { useDynamicContext } from "./hooks/useDynamicContext.js";
export type { DynamicContext } from "./hooks/useDynamicContext.js";
export type { Redact } from "./hooks/secrets.js";
export { useMessage } from "./hooks/useMessage.js";
export { useQuestions } from "./hooks/useQuestions.js";
export { usePageContext } from "./hooks/usePageContext.js";
export type { ConvertUrlState, DecodeUrlState, PageContext, UrlState } from "./hooks/usePageContext.js";
export { useModelChoice } from "./hooks/useModelChoice.js";
export type { ModelChoice } from "./hooks/useModelChoice.js";
export { usePayload } from "./hooks/usePayload.js";
export type { Payload } from "./hooks/usePayload.js";
export type { PayloadHandler, PayloadProps, Payloads, PayloadState } from "./hooks/payloads.js";
export type { Stacks } from "./hooks/stacks.js";
export { AssistantPlugin, usePlugin } from "./hooks/usePlugin.js";
export { useSuggestedAction } from "./hooks/useSuggestedAction.js";
export type { SuggestedActionHandler } from "./context.js";
export { useTextSelection } from "./hooks/useTextSelection.js";
export type { TextSelectionOptions } from "./hooks/useTextSelection.js";
export { useToolRenderer } from "./hooks/useToolRenderer.js";
export type { ToolRender, ToolRenderer, ToolRenderProps, ToolRenderers, Untyped } from "./hooks/toolRenderers.js";
