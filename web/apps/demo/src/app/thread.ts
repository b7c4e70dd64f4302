import { useAssistantSnapshot } from "@pageside/react";
import { useEffect } from "react";

/* The conversation survives a reload: this tab remembers its thread as long as something was said in it. */

const key = "discover.thread";

/** The thread of this tab's last conversation. */
export function rememberedThread(): string | undefined {
  try {
    return sessionStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Keeps the remembered thread up to date. */
export function useRememberThread(): void {
  const threadId = useAssistantSnapshot((thread) => (thread.messages.length > 0 ? thread.threadId : undefined));
  useEffect(() => {
    try {
      if (threadId) sessionStorage.setItem(key, threadId);
      else sessionStorage.removeItem(key);
    } catch {
      // Without storage a reload begins a new conversation.
    }
  }, [threadId]);
}
