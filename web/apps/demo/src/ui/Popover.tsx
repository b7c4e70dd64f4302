import { useEffect, useId, useRef, useState, type ComponentProps, type ReactNode } from "react";
import { Icon, type IconName } from "./Icon.tsx";

interface PopoverProps extends Omit<ComponentProps<"button">, "children"> {
  /** The panel's accessible name. */
  label: string;
  align?: "start" | "end";
  /** The button's content. */
  icon?: IconName;
  text?: ReactNode;
  /** With the mark of a choice. */
  menu?: boolean;
  /** The panel's content while it is open. A click on `[data-close]` in it closes it first. */
  children: ReactNode | ((close: () => void) => ReactNode);
}

/**
 * A button with a panel under it: the browser's own popover, which Escape and a click elsewhere
 * close. Opening it moves the focus in.
 */
export function Popover({ label, align = "start", icon, text, menu, children, ...button }: PopoverProps) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const find = (selector: string) => panel.current?.querySelector<HTMLElement>(selector);
    if (open) (find("[data-autofocus]") ?? find("input, select, button, a[href]") ?? panel.current)?.focus();
  }, [open]);
  const close = () => document.getElementById(id)?.hidePopover();
  return (
    <>
      <button
        type="button"
        className="button button-quiet"
        {...button}
        popoverTarget={id}
        aria-haspopup="dialog"
        aria-expanded={open}
      >
        {icon && <Icon name={icon} />}
        {text}
        {menu && <Icon name="chevronDown" size={13} />}
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
        onClickCapture={({ target }) => (target as Element).closest("[data-close]") && close()}
      >
        {open && (typeof children === "function" ? children(close) : children)}
      </div>
    </>
  );
}
