import type { Json, PagesideClient } from "@pageside/core";
import { createContext, useContext } from "react";
import type { Payloads } from "./hooks/payloads.js";
import type { Stacks } from "./hooks/stacks.js";
import type { SuggestionStore } from "./hooks/suggestionStore.js";
import type { ToolRenderers } from "./hooks/toolRenderers.js";

/** Carries out a suggested action. Errors are shown beside the button. */
export type SuggestedActionHandler = (args: Json | undefined) => unknown;

/** Whether the tray is open. Reading it causes no render: see `useAssistant().isOpen`. */
export interface TrayState {
  /** Is the tray open? */
  readonly isOpen: boolean;
  /** Opens or closes the tray. */
  setOpen(open: boolean): void;
  /** Calls the listener after every change. The function undoes it. */
  subscribe(listener: () => void): () => void;
}

/**
 * What the hooks share: the client, how tool calls and payloads are drawn, and whether the tray is
 * open. It stays the same, so that using it causes no render.
 */
export interface AssistantContextValue {
  /** The client of the provider. */
  client: PagesideClient;
  /** How tool calls are drawn, by tool. */
  renderers: ToolRenderers;
  /** How payloads are drawn and applied, by type. */
  payloads: Payloads;
  /** Client handlers of suggested actions, by action. */
  suggestedActions: Stacks<SuggestedActionHandler>;
  /** The suggestions for an empty thread. */
  suggestions: SuggestionStore;
  /** Whether the tray is open. */
  tray: TrayState;
}

// Separate from the provider, so that a module with only hooks does not load the client.
/** The value of the provider; undefined outside one. */
export const AssistantContext = createContext<AssistantContextValue | undefined>(undefined);

/** The value of the provider around it. Without one, throws an error that names the caller. */
export function useAssistantContext(caller = "useAssistantContext"): AssistantContextValue {
  const value = useContext(AssistantContext);
  if (!value) throw missingProvider(caller);
  return value;
}

/** The error of a hook that is used outside of the provider. */
export const missingProvider = (caller: string) => new Error(`${caller} must be used inside <AssistantProvider>.`);
