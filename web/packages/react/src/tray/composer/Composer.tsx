import {
  forwardRef,
  useId,
  useImperativeHandle,
  useRef,
  useState,
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
} from "react";
import { useAssistantContext } from "../../context.js";
import { useLayoutEffect } from "../../hooks/effects.js";
import { useAssistantSnapshot } from "../../hooks/useAssistant.js";
import { useIsOpen } from "../../hooks/trayState.js";
import { useLabels } from "../../labels/useLabels.js";
import { IconButton } from "../../ui/Button.js";
import { ArrowUpIcon, StopIcon } from "../../ui/icons.js";
import { useMedia } from "../../ui/useMedia.js";
import { Parts } from "./later.js";
import { EMPTY, filesOf, isReading } from "./state.js";
import type { ComposerProps, PartsHandle } from "./types.js";

/** What a ref to the composer can do. */
export interface ComposerHandle {
  /** Puts the focus into the box. */
  focus: () => void;
}

/**
 * The message box. Commands, mentions, files, drafts and the history of messages come with the
 * parts, which are loaded when the tray opens.
 */
export const Composer = forwardRef<ComposerHandle, ComposerProps>(function Composer(props, handle) {
  const { running, placeholder, onStop } = props;
  const { client } = useAssistantContext("Composer");
  const isOpen = useIsOpen();
  const labels = useLabels();
  const area = useRef<HTMLTextAreaElement>(null);
  const parts = useRef<PartsHandle>(null);
  const hint = useId();
  const threadId = useAssistantSnapshot((thread) => thread.threadId);
  const [state, setState] = useState(EMPTY);
  const [isUsed, setUsed] = useState(isOpen);
  const [tools, setTools] = useState<HTMLElement | null>(null);
  const touch = useMedia("(hover: none) and (pointer: coarse)");
  const files = filesOf(state.files, threadId);
  const hasContent = state.text.trim() !== "" || files.length > 0;
  const setText = (text: string) => setState((now) => (now.text === text ? now : { ...now, text }));
  const focus = () => area.current?.focus();

  if (isOpen && !isUsed) setUsed(true);
  useImperativeHandle(handle, () => ({ focus: () => area.current?.focus({ preventScroll: true }) }), []);
  useAutoGrow(area, state.text);
  const { send, onKeyDown } = useSending(area, parts, touch, (text) => {
    void props.onSend(text);
    setText("");
  });

  // An input method may end without an event: the contents of the box count.
  const sync = () => setText(area.current!.value);
  const look = () => parts.current?.look();
  return (
    // The page does not say when its values change: who turns to the box is shown those of now.
    <div className="ps-composer" onFocus={client.pageChanged}>
      <div className="ps-composer-box" onPointerDown={(event) => focusFromBox(event, area.current)}>
        {isUsed && <Parts {...props} {...{ area, tools, threadId, state, setState }} partsRef={parts} />}
        <textarea
          ref={area}
          className="ps-input"
          rows={1}
          dir="auto"
          value={state.text}
          placeholder={placeholder ?? labels.placeholder}
          aria-label={labels.messageInput}
          aria-describedby={hint}
          enterKeyHint={touch ? "enter" : "send"}
          onChange={sync}
          onCompositionEnd={sync}
          onFocus={() => {
            setUsed(true);
            look();
          }}
          onBlur={() => {
            sync();
            look();
          }}
          onSelect={look}
          onKeyUp={look}
          onClick={look}
          onKeyDown={onKeyDown}
        />
        <div className="ps-composer-row ps-row">
          <div className="ps-tools ps-row ps-grow" ref={setTools} />
          <Buttons {...{ running, hasContent, send, onStop, focus }} isReading={isReading(files)} />
        </div>
      </div>
      <p className="ps-hint ps-text-xs ps-muted" id={hint}>
        {labels.sendHint(!running ? "send" : hasContent ? "queue" : "stop", touch)}
      </p>
    </div>
  );
});

/** Sends the text of the box, directly or through the parts. */
function useSending(
  areaRef: RefObject<HTMLTextAreaElement | null>,
  partsRef: RefObject<PartsHandle | null>,
  touch: boolean,
  onSend: (text: string) => void,
) {
  const send = () => {
    if (partsRef.current) return partsRef.current.submit();
    const text = areaRef.current!.value.trim();
    if (!text || text.startsWith("/")) return; // a command waits for the parts
    onSend(text);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (isComposing(event)) return;
    if (partsRef.current?.onKey(event)) event.preventDefault();
    else if (event.key === "Enter" && isSendKey(event, touch)) {
      event.preventDefault();
      send();
    }
  };
  return { send, onKeyDown };
}

interface ButtonsProps extends Pick<ComposerProps, "running" | "onStop"> {
  hasContent: boolean;
  /** Is a file still being read? The message waits for it. */
  isReading: boolean;
  send: () => void;
  focus: () => void;
}

/** One button sends, or stops where there is nothing to send. Else stopping has its own button. */
function Buttons({ running, hasContent, isReading, send, onStop, focus }: ButtonsProps) {
  const labels = useLabels();
  const stops = running && !hasContent;
  const canSend = hasContent && !isReading;
  const name = stops ? labels.stop : labels.send;
  return (
    <>
      {running && hasContent && (
        <IconButton
          label={labels.stop}
          onClick={() => {
            onStop();
            focus();
          }}
        >
          <StopIcon />
        </IconButton>
      )}
      <button
        type="button"
        className="ps-send"
        data-running={stops || undefined}
        aria-label={name}
        title={name}
        aria-disabled={!stops && !canSend ? true : undefined}
        onClick={() => {
          if (stops) return onStop();
          send();
          focus();
        }}
      >
        {stops ? <StopIcon /> : <ArrowUpIcon />}
      </button>
    </>
  );
}

/** Safari ends a composition before its last key event, but gives that event the code 229. */
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
  if (target === area || target.closest("button, dialog, .ps-popover, .ps-notice")) return;
  event.preventDefault();
  area?.focus();
}

/**
 * Makes the field as high as its text, within the limits of the style sheet. The box keeps its
 * height meanwhile, so that nothing else moves.
 */
function useAutoGrow(areaRef: { current: HTMLTextAreaElement | null }, text: string) {
  useLayoutEffect(() => {
    const element = areaRef.current;
    if (!element) return;
    const box = element.parentElement!.style;
    box.blockSize = `${element.parentElement!.offsetHeight}px`;
    element.style.blockSize = "auto";
    element.style.blockSize = `${element.scrollHeight}px`;
    box.blockSize = "";
  }, [areaRef, text]);
}
