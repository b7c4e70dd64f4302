import { useState, type RefObject } from "react";
import { useAssistantContext } from "../context.js";
import { useLayoutEffect } from "./effects.js";
import { withHooksPart } from "./later.js";
import { useContextId, useSource } from "./registration.js";

/** Which selections are watched, and how they are sent. */
export interface TextSelectionOptions {
  /**
   * Watches only what is selected inside this element.
   * @defaultValue the document
   */
  within?: RefObject<Element | null>;
  /**
   * What it is, in words.
   * @defaultValue `"Text the user has selected on the page"`
   */
  description?: string;
  /**
   * For mentions.
   * @defaultValue `"@selection"`
   */
  label?: string;
  /**
   * Sent with every message; the tray shows a pill with "Ask about this" and a button that leaves
   * the selection out. `false`: only when mentioned.
   * @defaultValue `true`
   */
  auto?: boolean;
  /**
   * The component or plug-in it belongs to.
   * @defaultValue the plug-in around
   */
  source?: string;
  /**
   * `false`: nothing is watched.
   * @defaultValue `true`
   */
  enabled?: boolean;
}

const DESCRIPTION = "Text the user has selected on the page";

/**
 * Tells the assistant what the user has selected: "explain this" then needs no copying. Returns the
 * text, empty while nothing is selected.
 *
 * Use it where users read: documents, logs, results. It is gone once nothing is selected; moving to
 * the tray keeps it. Selections inside the tray and in password fields are never looked at. Of a
 * long text the first 8,000 characters are sent.
 *
 * @example
 * const article = useRef<HTMLElement>(null);
 * const selected = useTextSelection({ within: article });
 */
export function useTextSelection(options: TextSelectionOptions = {}): string {
  const { within, description = DESCRIPTION, label = "@selection", auto, enabled = true } = options;
  const { client } = useAssistantContext("useTextSelection");
  const id = useContextId();
  const source = useSource(options.source);
  const [text, setText] = useState("");

  useLayoutEffect(() => {
    if (!enabled) return;
    const over = new AbortController();
    const root = () => (within ? within.current : document);
    withHooksPart(({ watchSelection }) => watchSelection(root, setText, over.signal), "selections cannot be watched");
    return () => {
      over.abort();
      setText("");
    };
  }, [enabled, within]);

  useLayoutEffect(() => {
    if (text === "") return;
    return client.registerContext({ id, description, value: text, label, auto, source, kind: "selection" });
  }, [client, id, description, text, label, auto, source]);
  return text;
}
