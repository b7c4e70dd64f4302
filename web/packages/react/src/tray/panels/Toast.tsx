import { CloseIcon } from "../../ui/icons.js";
import { usePanelLabels } from "../../labels/panels.js";
import type { Toast } from "./useToast.js";

export interface ToastViewProps {
  toast: Toast;
  /** Puts the focus somewhere, now that the button is gone. */
  onUndone: () => void;
}

/**
 * A line at the bottom of the tray about what has just been done. The region is always there, so
 * that it is spoken.
 */
export function ToastView({ toast: { message, hide, hold }, onUndone }: ToastViewProps) {
  const labels = usePanelLabels();
  return (
    <div
      className="ps-toast"
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
            <button
              type="button"
              className="ps-button"
              onClick={() => {
                onUndone();
                hide();
                void message.undo!();
              }}
            >
              {labels.undo}
            </button>
          )}
          <button
            type="button"
            className="ps-icon-button ps-small"
            aria-label={labels.dismiss}
            title={labels.dismiss}
            onClick={() => {
              onUndone();
              hide();
            }}
          >
            <CloseIcon />
          </button>
        </>
      )}
    </div>
  );
}
