import { useCallback, useEffect, useMemo, useState } from "react";

export interface Message {
  text: string;
  undo?: () => unknown;
}

/** What has just happened, for as long as it can be undone with one click. */
export interface Toast {
  message: Message | undefined;
  show: (message: Message) => void;
  hide: () => void;
  /** While the pointer or the focus is on it, it stays. */
  hold: (held: boolean) => void;
}

const UNDO_MS = 10_000;
const PLAIN_MS = 4000;

export function useToast(): Toast {
  const [message, setMessage] = useState<Message>();
  const [held, hold] = useState(false);

  useEffect(() => {
    if (!message || held) return;
    const timer = setTimeout(() => setMessage(undefined), message.undo ? UNDO_MS : PLAIN_MS);
    return () => clearTimeout(timer);
  }, [message, held]);

  const show = useCallback((next: Message) => {
    setMessage(next);
    hold(false);
  }, []);
  const hide = useCallback(() => {
    setMessage(undefined);
    hold(false);
  }, []);
  return useMemo(() => ({ message, show, hide, hold }), [message, show, hide]);
}
