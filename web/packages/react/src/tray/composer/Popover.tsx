import { useEffect, useId, useRef, type ReactNode } from "react";
import { useComposerLabels } from "../../labels/composer.js";
import { IconButton } from "../../ui/Button.js";
import { CloseIcon } from "../../ui/icons.js";

interface PopoverProps {
  className: string;
  title: string;
  /** Behind the title. */
  note?: ReactNode;
  onClose: () => void;
  /** Made with the id of the title. */
  children: (titleId: string) => ReactNode;
}

/** A dialog over the message box. It takes the focus when it opens; Escape closes it. */
export function Popover({ className, title, note, onClose, children }: PopoverProps) {
  const labels = useComposerLabels();
  const id = useId();
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => panel.current?.focus({ preventScroll: true }), []);
  return (
    <div
      ref={panel}
      className={`ps-popover ${className}`}
      role="dialog"
      aria-labelledby={id}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        onClose();
      }}
    >
      <div className="ps-popover-head ps-row">
        <h3 className="ps-grow ps-text-md" id={id}>
          {title}
        </h3>
        {note}
        <IconButton isSmall label={labels.close} onClick={onClose}>
          <CloseIcon />
        </IconButton>
      </div>
      {children(id)}
    </div>
  );
}
