import type { ContextValue } from "@pageside/core";
import { useAssistantContext } from "../context.js";
import { useLatest, useLayoutEffect } from "./effects.js";
import { loadHooksPart, type HooksPart } from "./later.js";
import { useContextId, useSource } from "./registration.js";
import { redacted, toText, type Redact } from "./secrets.js";

/** A value that the assistant may see. */
export interface DynamicContext {
  /** What the value is, in words. */
  description: string;
  /**
   * Any JSON value, or a function of it, called when a run begins. `undefined` sends nothing, and
   * neither does a promise, which is warned of.
   */
  value: ContextValue | (() => ContextValue);
  /** `"@selected-rows"`: lets the user mention it in a message. */
  label?: string;
  /**
   * Sent with every run. `false`: only when mentioned; needs a `label`.
   * @defaultValue `true`
   */
  auto?: boolean;
  /**
   * The component or plug-in it belongs to in "what the assistant sees".
   * @defaultValue the plug-in around
   */
  source?: string;
  /**
   * Everything that `value` summarises. Not sent: the assistant gets single items with the tool
   * `retrieve_items`.
   */
  items?: readonly unknown[];
  /**
   * The most that is sent, in tokens of about four characters. Lists keep whole items. The
   * assistant is told of cuts.
   * @defaultValue the server's
   */
  budget?: number;
  /**
   * Names of members to send as `[hidden]`, at any depth and in any case, or a function that
   * returns what may be sent. If it throws, nothing is sent.
   */
  redact?: Redact;
}

/**
 * Tells the assistant about state that is not in the address bar: a selection, an open panel, the
 * rows in view. The value is read when a message is sent, so it is always current and costs nothing
 * before.
 *
 * Use it for data. For instructions in the words of the page's author, use
 * `useAssistantAdditionalContext`. For long lists, send a summary as `value` and all of it as
 * `items`.
 *
 * @example
 * useDynamicContext({
 *   description: "Currently selected table rows",
 *   value: rows.map(({ id, name }) => ({ id, name })),
 *   label: "@selected-rows",
 *   redact: ["email"],
 *   budget: 500,
 * });
 */
export function useDynamicContext(context: DynamicContext): void {
  const { client } = useAssistantContext("useDynamicContext");
  const { description, label, auto } = context;
  const id = useContextId();
  const source = useSource(context.source);
  const latest = useLatest(context);
  const hasItems = context.items !== undefined;
  const hasBudget = context.budget !== undefined;

  useLayoutEffect(() => {
    /** Nothing that has a budget is sent until this is loaded. */
    let part: HooksPart | undefined;
    const load = async () => {
      part ??= await loadHooksPart();
    };
    if (hasBudget) void load().then(client.pageChanged, () => undefined);
    const value = () => {
      const { value: given, redact } = latest.current;
      const current = typeof given === "function" ? given() : given;
      const shown = (redact ? redacted(current, redact) : current) as ContextValue;
      return hasBudget ? (part?.cut(shown, toText(shown), latest.current) as ContextValue) : shown;
    };
    const items = () => {
      const { items: all = [], redact } = latest.current;
      return (redact ? redacted(all, redact) : all) as readonly unknown[];
    };
    return client.registerContext({
      id,
      description,
      label,
      auto,
      source,
      value,
      items: hasItems ? items : undefined,
      prepare: hasBudget ? load : undefined,
      kind: "dynamic",
    });
  }, [client, id, description, label, auto, source, latest, hasItems, hasBudget]);
}
