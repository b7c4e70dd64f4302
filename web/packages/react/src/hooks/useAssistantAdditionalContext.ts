import { useAssistantContext } from "../context.js";
import { useLayoutEffect } from "./effects.js";
import { useContextId, useSource } from "./registration.js";

/** Instructions for the assistant. */
export interface AdditionalContext {
  /** What the assistant should know or do, in words. Empty text is not sent. */
  instructions: string;
  /**
   * `false` or `"false"`: not sent.
   * @defaultValue `true`
   */
  available?: boolean | "true" | "false";
  /**
   * Higher ones come first.
   * @defaultValue `0`
   */
  priority?: number;
  /**
   * The component or plug-in they belong to.
   * @defaultValue the plug-in around
   */
  source?: string;
}

/**
 * Gives the assistant background with every request while the component is mounted, in the words of
 * the page's author: what the application can do, how to read its figures.
 *
 * Use it for instructions only, never for what users or other people wrote: that is data, for
 * `useDynamicContext`. The server decides how far it trusts them.
 *
 * @example
 * useAssistantAdditionalContext({
 *   instructions: "This application can export data to CSV and JSON.",
 *   available: canExport,
 * });
 */
export function useAssistantAdditionalContext(context: AdditionalContext): void {
  const { client } = useAssistantContext("useAssistantAdditionalContext");
  const { instructions: text, available = true, priority } = context;
  const id = useContextId();
  const source = useSource(context.source);
  const isSent = available !== false && available !== "false" && text.trim() !== "";
  useLayoutEffect(
    () => (isSent ? client.registerInstructions({ id, text, priority, source }) : undefined),
    [client, isSent, id, text, priority, source],
  );
}
