import { useEffect, useId, useLayoutEffect, useRef, useState, type ReactNode, type RefObject } from "react";
import "./popover.css";

export interface PopoverButtonProps {
  ref: RefObject<HTMLButtonElement | null>;
  "aria-expanded": boolean;
  "aria-haspopup": "dialog";
  "aria-controls": string | undefined;
  onClick(): void;
}

interface PopoverProps {
  /** The panel's accessible name. */
  label: string;
  align?: "start" | "end";
  button(props: PopoverButtonProps): ReactNode;
  children(close: () => void): ReactNode;
}

/**
 * A panel under a button. Opening moves the focus in, Escape and a choice move it back, leaving it
 * in any other way closes it.
 */
export function Popover({ label, align = "start", button, children }: PopoverProps) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const anchor = useRef<HTMLDivElement>(null);
  const trigger = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);

  const close = () => {
    setOpen(false);
    trigger.current?.focus();
  };

  useEffect(() => {
    if (!open) return;
    const find = (selector: string) => panel.current?.querySelector<HTMLElement>(selector);
    (find("[data-autofocus]") ?? find("input, select, button, a[href]") ?? panel.current)?.focus();
    const outside = (event: Event) => {
      if (event.target instanceof Node && !anchor.current?.contains(event.target)) setOpen(false);
    };
    document.addEventListener("pointerdown", outside);
    document.addEventListener("focusin", outside);
    return () => {
      document.removeEventListener("pointerdown", outside);
      document.removeEventListener("focusin", outside);
    };
  }, [open]);

  return (
    <div
      className="popover"
      ref={anchor}
      onKeyDown={(event) => {
        if (!open || event.key !== "Escape") return;
        event.stopPropagation();
        close();
      }}
    >
      {button({
        ref: trigger,
        "aria-expanded": open,
        "aria-haspopup": "dialog",
        "aria-controls": open ? id : undefined,
        onClick: () => setOpen((was) => !was),
      })}
      {open && <Panel id={id} label={label} align={align} ref={panel} close={close} content={children} />}
    </div>
  );
}

interface PanelProps {
  id: string;
  label: string;
  align: "start" | "end";
  ref: RefObject<HTMLDivElement | null>;
  close(): void;
  content(close: () => void): ReactNode;
}

const tallest = 640;
const shortest = 240;

/** As tall as the window has room for below the button. */
function Panel({ id, label, align, ref, close, content }: PanelProps) {
  useLayoutEffect(() => {
    const panel = ref.current!;
    const room = window.innerHeight - panel.getBoundingClientRect().top - 12;
    panel.style.maxHeight = `${Math.min(Math.max(room, shortest), tallest)}px`;
  }, [ref]);
  return (
    <div className="popover-panel" data-align={align} role="dialog" aria-label={label} id={id} ref={ref} tabIndex={-1}>
      {content(close)}
    </div>
  );
}
