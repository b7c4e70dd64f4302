import { useEffect, useRef, type ReactNode } from "react";
import { IconButton } from "./Button.tsx";

interface FlyoutProps {
  /** What it shows one of. */
  label: string;
  id: string;
  /** The element that gets the focus when it is closed. */
  opener: string;
  onClose(): void;
  children: ReactNode;
}

/** One row in full, beside the table. Escape closes it and gives the focus back to its row. */
export function Flyout({ label, id, opener, onClose, children }: FlyoutProps) {
  const panel = useRef<HTMLElement>(null);
  const latest = useRef(opener);
  useEffect(() => {
    latest.current = opener;
  }, [opener]);
  useEffect(() => {
    panel.current?.focus({ preventScroll: true });
    return () => document.querySelector<HTMLElement>(latest.current)?.focus({ preventScroll: true });
  }, []);
  return (
    <aside
      ref={panel}
      className="detail"
      aria-label={label}
      tabIndex={-1}
      onKeyDown={(event) => event.key === "Escape" && onClose()}
    >
      <header className="detail-head">
        <h2>{label}</h2>
        <span className="muted mono">{id}</span>
        <span className="spring" />
        <IconButton icon="cross" label={`Close ${label.toLowerCase()}`} onClick={onClose} />
      </header>
      <div className="detail-body" tabIndex={0} role="region" aria-label="Details">
        {children}
      </div>
    </aside>
  );
}
