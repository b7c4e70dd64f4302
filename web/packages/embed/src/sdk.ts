/**
 * What the script takes of the React SDK, each from its own module: what is not named here does not
 * come along.
 */
export { AssistantProvider } from "../../react/src/provider.js";
export { useAssistantContext } from "../../react/src/context.js";
export { usePageContext } from "../../react/src/hooks/usePageContext.js";
export { usePayload } from "../../react/src/hooks/usePayload.js";
export { AssistantTray } from "../../react/src/tray/AssistantTray.js";
export type { AssistantTrayProps } from "../../react/src/tray/types.js";
