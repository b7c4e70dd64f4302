import { useCallback, useEffect, useMemo, useState } from "react";
import { usePanelLabels } from "../../labels/panels.js";
import { Button, IconButton } from "../../ui/Button.js";
import { CloseIcon } from "../../ui/icons.js";

interface ToastViewProps {
  toast: Toast;
  /** Moves the focus, because the button is gone. */
  onUndone: () => void;
}

/** A line at the bottom of the tray. The region is always there, so that texts are announced. */
export function ToastView({ toast: { message, hide, hold }, onUndone }: ToastViewProps) {
  const labels = usePanelLabels();
  return (
    <div
      className="ps-toast ps-text-md ps-row"
      role="status"
      data-shown={message !== undefined || undefined}
      onPointerEnter={() => hold(true)}
      onPointerLeave={() => hold(false)}
      onFocus={() => hold(true)}
      onBlur={() => hold(false)}
    >
      {message && (
        <>
          <span>{message.text}</span>
          {message.undo && (
            <Button
              onClick={() => {
                onUndone();
                hide();
                void message.undo!();
              }}
            >
              {labels.undo}
            </Button>
          )}
          <IconButton
            isSmall
            label={labels.dismiss}
            onClick={() => {
              onUndone();
              hide();
            }}
          >
            <CloseIcon />
          </IconButton>
        </>
      )}
    </div>
  );
}

interface Message {
  text: string;
  undo?: () => unknown;
}

/**
 * A message about what has just happened, which may be undone. It disappears after some seconds.
 */
export interface Toast {
  /** What is shown; undefined for nothing. */
  message: Message | undefined;
  /** Shows a message in place of the last one. */
  show: (message: Message) => void;
  /** Hides the message. */
  hide: () => void;
  /** Keeps the message while the pointer or the focus is on it. */
  hold: (held: boolean) => void;
}

const UNDO_MS = 10_000;
const PLAIN_MS = 4000;

/** The state of the toast. */
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
