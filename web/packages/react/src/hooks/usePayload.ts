import type { DeepPartial } from "@pageside/core";
import { useAssistantContext } from "../context.js";
import { useLatest, useLayoutEffect } from "./effects.js";
import type { PayloadHandler, PayloadProps } from "./payloads.js";
import { useOrder } from "./registration.js";

/** How payloads of a type are drawn and accepted. */
export interface Payload<Data = Record<string, unknown>> extends PayloadHandler<Data> {
  /**
   * `false`: not registered.
   * @defaultValue `true`
   */
  enabled?: boolean;
  /**
   * What `render` and `title` depend on beside their arguments.
   * @defaultValue `[]`
   */
  deps?: readonly unknown[];
}

/**
 * Draws the payloads of one type as cards in the conversation, and applies them when the user
 * accepts one, as long as the component is mounted. The server keeps the user's decision, and the
 * model is told with the next message.
 *
 * Use it for proposals that the user decides on: a query, a filter, a schema. A payload that is
 * only to be looked at, as a list of results, has no `accept`. `render` may use hooks; it is called
 * while the payload streams.
 *
 * Where mounted components register the same type, the innermost wins until it unmounts, else the
 * newest.
 *
 * @example
 * usePayload<{ query: string; why?: string }>("query_suggestion", {
 *   title: "Suggested query",
 *   render: ({ data }) => <><code>{data.query}</code><p>{data.why}</p></>,
 *   accept: ({ query }) => setQuery(query),
 *   undo: () => restoreQuery(),
 * });
 */
export function usePayload<Data = Record<string, unknown>>(type: string, payload: Payload<Data>): void {
  const { payloads } = useAssistantContext("usePayload");
  const { enabled = true, deps = [] } = payload;
  const latest = useLatest(payload);
  const order = useOrder();
  // Inline functions differ with every render; only their presence matters.
  const { title, acceptLabel, acceptedLabel, render, accept, undo, dismiss } = payload;
  const given = [render, accept, undo, dismiss].map(Boolean);
  const shape = JSON.stringify([given, typeof title === "string" && title, acceptLabel, acceptedLabel]);

  useLayoutEffect(() => {
    if (!enabled) return;
    const [hasRender, hasAccept, hasUndo, hasDismiss] = given;
    const handler: PayloadHandler = {
      title: typeof title === "function" ? (data) => readTitle(latest.current.title, data as DeepPartial<Data>) : title,
      render: hasRender ? (props) => latest.current.render?.(props as PayloadProps<Data>) : undefined,
      accept: hasAccept ? (data, id) => latest.current.accept?.(data as Data, id) : undefined,
      undo: hasUndo ? (data, id) => latest.current.undo?.(data as Data, id) : undefined,
      dismiss: hasDismiss ? (data, id) => latest.current.dismiss?.(data as Data, id) : undefined,
      acceptLabel,
      acceptedLabel,
    };
    return payloads.register(type, handler, order);
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [payloads, type, enabled, shape, latest, order, ...deps]);
}

function readTitle<Data>(title: Payload<Data>["title"], data: DeepPartial<Data>): string {
  return (typeof title === "function" ? title(data) : title) ?? "";
}
