import { useAssistantContext } from "../context.js";
import { useContextId } from "./use-context-id.js";
import { useLatest, useRegistrationEffect } from "./use-latest.js";

export interface DynamicContext {
  /** What the value is, in words: "Currently selected table rows". */
  description: string;
  /** Any JSON value, or a function that returns it (no promise), called whenever a run begins. */
  value: unknown | (() => unknown);
  /** `"@selected-rows"`: lets the user mention it in a message. */
  label?: string;
  /** Sent with every message? Default true; with `false` only when the user mentions it. */
  auto?: boolean;
  /** Names the component or plugin, for "what the assistant sees". */
  source?: string;
  /** All of what `value` shows in brief: the assistant asks for single ones with the tool `retrieve_items`. */
  items?: readonly unknown[];
}

/**
 * Tells the assistant about state that is not in the address bar: a selection, an open panel, the rows in view. The
 * value is read when a message is sent, so it is always the current one and costs nothing before.
 *
 * @example
 * useDynamicContext({
 *   description: "Currently selected table rows",
 *   value: rows.map(({ id, name }) => ({ id, name })),
 *   label: "@selected-rows",
 * });
 */
export function useDynamicContext(context: DynamicContext): void {
  const { client } = useAssistantContext("useDynamicContext");
  const { description, label, auto, source } = context;
  const id = useContextId();
  const latest = useLatest(context.value);
  const latestItems = useLatest(context.items);
  const hasItems = context.items !== undefined;

  useRegistrationEffect(() => {
    const value = () => (typeof latest.current === "function" ? (latest.current as () => unknown)() : latest.current);
    const items = hasItems ? () => latestItems.current ?? [] : undefined;
    return client.registerContext({ id, description, label, auto, source, value, items, kind: "dynamic" });
  }, [client, id, description, label, auto, source, latest, hasItems, latestItems]);
}
