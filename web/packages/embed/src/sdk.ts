/**
 * The parts of the React SDK that the script uses, each from its own module, so that nothing else
 * is bundled.
 */
export { AssistantProvider } from "../../react/src/provider.js";
export { useAssistantContext } from "../../react/src/context.js";
export { usePageContext } from "../../react/src/hooks/usePageContext.js";
export { usePayload } from "../../react/src/hooks/usePayload.js";
export { AssistantTray } from "../../react/src/tray/AssistantTray.js";
export type { AssistantTrayProps } from "../../react/src/tray/types.js";
