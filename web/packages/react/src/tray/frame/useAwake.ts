import type { ThreadSnapshot } from "@pageside/core";
import { useEffect, useReducer, useSyncExternalStore } from "react";
import { useAssistantContext } from "../../context.js";

/**
 * Whether the conversation is drawn. A page that nobody asks anything should not load what it
 * needs, so it is drawn when the tray opens, when the user comes near (`wake`), or when the thread
 * is in use, and from then on.
 */
export function useAwake(isOpen: boolean): { isAwake: boolean; wake: () => void } {
  const { client } = useAssistantContext("AssistantTray");
  const [wasWoken, wake] = useReducer(() => true, false);
  const read = () => isInUse(client.getSnapshot());
  const inUse = useSyncExternalStore(client.watch, read, read);
  const isAwake = wasWoken || isOpen || inUse;
  useEffect(() => {
    if (isAwake) wake();
  }, [isAwake]);
  return { isAwake, wake };
}

const isInUse = ({ messages, status, loading, queue }: ThreadSnapshot): boolean =>
  loading === true || status !== "idle" || messages.length + queue.length > 0;
