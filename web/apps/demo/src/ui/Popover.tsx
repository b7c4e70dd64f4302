import { useEffect, useId, useRef, useState, type ComponentProps, type ReactNode } from "react";

interface PopoverProps extends Omit<ComponentProps<"button">, "children"> {
  /** The panel's accessible name. */
  label: string;
  align?: "start" | "end";
  /** What stands on the button. */
  trigger: ReactNode;
  /** What stands in the panel while it is open. */
  children(close: () => void): ReactNode;
}

/**
 * A button with a panel under it: the browser's own popover, which Escape and a click elsewhere
 * close. Opening it moves the focus in.
 */
export function Popover({ label, align = "start", trigger, children, ...button }: PopoverProps) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const find = (selector: string) => panel.current?.querySelector<HTMLElement>(selector);
    if (open) (find("[data-autofocus]") ?? find("input, select, button, a[href]") ?? panel.current)?.focus();
  }, [open]);
  return (
    <>
      <button type="button" {...button} popoverTarget={id} aria-haspopup="dialog" aria-expanded={open}>
        {trigger}
      </button>
      <div
        className="popover"
        id={id}
        ref={panel}
        popover="auto"
        role="dialog"
        aria-label={label}
        data-align={align}
        tabIndex={-1}
        onToggle={(event) => setOpen(event.newState === "open")}
      >
        {open && children(() => panel.current?.hidePopover())}
      </div>
    </>
  );
}
