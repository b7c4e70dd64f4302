import { useId, useRef, type ReactNode } from "react";
import { usePanelLabels } from "../../labels/panels.js";
import { IconButton } from "../../ui/Button.js";
import { BackIcon } from "../../ui/partIcons.js";
import { useFocusInside } from "../../ui/useFocusInside.js";

interface DrawerProps {
  title: string;
  /** Buttons at the end of its header. */
  actions?: ReactNode;
  /** Is it as wide as the tray? */
  wide?: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** A panel over the conversation, inside the tray. */
export function Drawer({ title, actions, wide, onClose, children }: DrawerProps) {
  const labels = usePanelLabels();
  const element = useRef<HTMLDivElement>(null);
  const titleId = useId();
  useFocusInside(element);
  return (
    <>
      <div className="ps-scrim" onClick={onClose} />
      <div
        ref={element}
        className="ps-drawer"
        role="dialog"
        aria-modal="true"
        aria-labelledby={titleId}
        data-wide={wide}
        tabIndex={-1}
      >
        <div className="ps-header ps-row ps-tight">
          <IconButton className="ps-back" label={labels.back} title={`${labels.back} (Esc)`} onClick={onClose}>
            <BackIcon />
          </IconButton>
          <h2 className="ps-title ps-grow ps-cut" id={titleId}>
            <bdi>{title}</bdi>
          </h2>
          {actions}
        </div>
        {children}
      </div>
    </>
  );
}
