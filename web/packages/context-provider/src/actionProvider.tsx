import { AssistantProvider, useAssistantContext, type AssistantProviderProps } from "@pageside/react";
import type { ReactNode } from "react";
import { AssistantActionContext } from "./actionContext.js";
import { useOwnValue } from "./useAssistantActionContext.js";

/**
 * `AssistantProvider`, with the value of `useAssistantActionContext` in `AssistantActionContext`
 * too. Its value changes whenever a call does, so components that do not draw calls should not
 * read it.
 *
 * @example
 * <AssistantActionProvider url="https://assistant.example.com">
 *   <App />
 * </AssistantActionProvider>
 */
export function AssistantActionProvider({ children, ...options }: AssistantProviderProps) {
  return (
    <AssistantProvider {...options}>
      <Actions>{children}</Actions>
    </AssistantProvider>
  );
}

function Actions({ children }: { children?: ReactNode }) {
  const value = useOwnValue(useAssistantContext("AssistantActionProvider"));
  return <AssistantActionContext.Provider value={value}>{children}</AssistantActionContext.Provider>;
}
