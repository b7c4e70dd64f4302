import type { PagesideClient } from "@pageside/core";
import type { SuggestedActionHandler } from "./hooks/useSuggestedAction.js";
import { createContext, useContext } from "react";
import type { Payloads } from "./hooks/payloads.js";
import type { SuggestionStore } from "./hooks/suggestionStore.js";
import type { Stacks } from "./hooks/stacks.js";
import type { ToolRenderers } from "./hooks/toolRenderers.js";

/**
 * What the hooks share: the client, how tool calls and payloads are drawn, and whether the tray is
 * open.
 */
export interface AssistantContextValue {
  client: PagesideClient;
  renderers: ToolRenderers;
  payloads: Payloads;
  /** Client handlers of suggested actions, by action. */
  suggestedActions: Stacks<SuggestedActionHandler>;
  /** What may be asked while the thread is empty. */
  suggestions: SuggestionStore;
  isOpen: boolean;
  setOpen(open: boolean | ((open: boolean) => boolean)): void;
}

// Apart from the provider, so that a module with only hooks does not bring the client along.
export const AssistantContext = createContext<AssistantContextValue | undefined>(undefined);

/** The value of the provider above. Throws a sentence that names the caller where there is none. */
export function useAssistantContext(caller = "useAssistantContext"): AssistantContextValue {
  const value = useContext(AssistantContext);
  if (!value) throw new Error(`${caller} must be used inside <AssistantProvider>.`);
  return value;
}
