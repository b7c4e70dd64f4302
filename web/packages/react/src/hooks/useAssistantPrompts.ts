import type { PagesideClient, SlashCommand } from "@pageside/core";
import { useMemo } from "react";
import { useAssistantContext } from "../context.js";
import { useCommands, type RegisterCommands } from "./useCommands.js";

/** What `useAssistantPrompts` returns. */
export interface AssistantPrompts {
  /** Sends a user message, and resolves when it is answered. */
  sendMessage: PagesideClient["send"];
  /**
   * Adds commands to the message box. May be called while rendering, in effects and in event
   * handlers.
   */
  registerCommands: RegisterCommands;
}

export type { SlashCommand };

/**
 * Messages that the page itself sends, and `/commands` of the message box.
 *
 * Use it for what users ask again and again: a button that asks, or a command they type. Commands
 * registered here are there as long as the component is mounted; a command of the same name
 * registered later wins until it is gone.
 *
 * @example
 * const { sendMessage, registerCommands } = useAssistantPrompts();
 * registerCommands([
 *   { command: "/analyze", description: "Analyze current data", prompt: "Analyze the data" },
 * ]);
 * return <button onClick={() => void sendMessage("Explain this chart")}>Explain</button>;
 */
export function useAssistantPrompts(): AssistantPrompts {
  const { client } = useAssistantContext("useAssistantPrompts");
  const registerCommands = useCommands(client);
  return useMemo(() => ({ sendMessage: client.send, registerCommands }), [client, registerCommands]);
}
