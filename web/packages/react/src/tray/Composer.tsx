import {
  forwardRef,
  useId,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type PointerEvent,
} from "react";
import { ArrowUpIcon, StopIcon } from "./icons.js";
import { useLabels } from "./labels.js";
import type { TrayLabels } from "./strings.js";
import { useHistory } from "./useHistory.js";
import { useMedia } from "./useMedia.js";

export interface ComposerProps {
  /** A run goes on: the send button of an empty box stops it, and what is sent waits for its end. */
  running: boolean;
  placeholder?: string;
  /** What the user sent before, oldest first, for ArrowUp. */
  sent: readonly string[];
  onSend: (text: string) => void;
  onStop: () => void;
}

export interface ComposerHandle {
  focus: () => void;
}

/** Where the user writes. */
export const Composer = forwardRef<ComposerHandle, ComposerProps>(function Composer(
  { running, placeholder, sent, onSend, onStop },
  handle,
) {
  const labels = useLabels();
  const area = useRef<HTMLTextAreaElement>(null);
  const hint = useId();
  const [draft, setDraft] = useState("");
  const history = useHistory(sent, draft, setDraft);
  const touch = useMedia("(hover: none) and (pointer: coarse)");
  const canSend = draft.trim() !== "";
  const stops = running && !canSend;

  useImperativeHandle(handle, () => ({ focus: () => area.current?.focus({ preventScroll: true }) }), []);
  useAutoGrow(area, draft);

  const send = () => {
    if (!canSend) return;
    onSend(draft.trim());
    setDraft("");
    history.reset();
  };

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (isComposing(event)) return;
    if (event.key === "Enter" && isSendKey(event, touch)) {
      event.preventDefault();
      send();
    } else if (history.onKey(event)) {
      event.preventDefault();
    }
  };

  const name = stops ? labels.stop : labels.send;
  return (
    <div className="ps-composer">
      <div className="ps-composer-box" onPointerDown={(event) => focusFromBox(event, area.current)}>
        <textarea
          ref={area}
          className="ps-input"
          rows={1}
          dir="auto"
          value={draft}
          placeholder={placeholder ?? labels.placeholder}
          aria-label={labels.messageInput}
          aria-describedby={hint}
          enterKeyHint={touch ? "enter" : "send"}
          onChange={(event) => {
            setDraft(event.target.value);
            history.reset();
          }}
          onKeyDown={onKeyDown}
        />
        <div className="ps-composer-row">
          <p className="ps-hint" id={hint}>
            {hintText(labels, running, touch, canSend)}
          </p>
          {running && canSend && (
            <button
              type="button"
              className="ps-icon-button"
              aria-label={labels.stop}
              title={labels.stop}
              onClick={() => {
                onStop();
                area.current?.focus();
              }}
            >
              <StopIcon />
            </button>
          )}
          <button
            type="button"
            className="ps-send"
            data-running={stops || undefined}
            aria-label={name}
            title={name}
            aria-disabled={(!running && !canSend) || undefined}
            onClick={() => {
              if (stops) return onStop();
              send();
              area.current?.focus();
            }}
          >
            {stops ? <StopIcon /> : <ArrowUpIcon />}
          </button>
        </div>
      </div>
    </div>
  );
});

function hintText(labels: TrayLabels, running: boolean, touch: boolean, canSend: boolean): string {
  if (running && canSend) return touch ? labels.queueHint : labels.queueMessageHint;
  if (running) return touch ? labels.runningHintTouch : labels.runningHint;
  return touch ? labels.sendHintTouch : labels.sendHint;
}

/** Safari ends a composition before the key that ended it, but marks that key with 229. */
function isComposing(event: KeyboardEvent): boolean {
  return event.nativeEvent.isComposing || event.keyCode === 229;
}

/** Enter sends, with Ctrl or Cmd everywhere; on a touch keyboard plain Enter is a new line. */
function isSendKey(event: KeyboardEvent, touch: boolean): boolean {
  if (event.ctrlKey || event.metaKey) return true;
  return !event.shiftKey && !event.altKey && !touch;
}

/** A click beside the text is a click on it. */
function focusFromBox(event: PointerEvent, area: HTMLTextAreaElement | null) {
  const target = event.target as Element;
  if (target === area || target.closest("button")) return;
  event.preventDefault();
  area?.focus();
}

/** As high as its text; the style sheet sets the limits. */
function useAutoGrow(areaRef: { current: HTMLTextAreaElement | null }, text: string) {
  useLayoutEffect(() => {
    const element = areaRef.current;
    if (!element) return;
    element.style.blockSize = "auto";
    element.style.blockSize = `${element.scrollHeight}px`;
  }, [areaRef, text]);
}
