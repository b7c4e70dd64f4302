export type * from "@pageside/core";
export { createPagesideClient } from "@pageside/core";
export { AssistantProvider, useAssistantContext } from "./provider.js";
export type { AssistantContextValue, AssistantProviderProps } from "./provider.js";
export { useAssistant, useAssistantActions, useAssistantSnapshot } from "./hooks/use-assistant.js";
export type { Assistant } from "./hooks/use-assistant.js";
export { useToolRenderer } from "./hooks/use-tool-renderer.js";
export type { ToolRender, ToolRenderer, ToolRenderProps, ToolRenderers } from "./hooks/tool-renderers.js";
