import { useContext, type ReactNode } from "react";
import { ChevronIcon } from "../../ui/icons.js";
import { HoldContext } from "./useFollow.js";

interface DisclosureProps {
  icon: ReactNode;
  /** What the line says: spans of class `ps-tool-label` and the like. */
  children: ReactNode;
  open: boolean;
  /** Called with what `open` is to be. */
  onToggle: (open: boolean) => void;
  /** The id of what it opens. */
  controls?: string;
  /** Does the focus go to it when it appears in place of what had it? */
  isNext?: boolean;
}

/** A line of the transcript that opens something below it. What is above stays where it is. */
export function Disclosure({ icon, children, open, onToggle, controls, isNext }: DisclosureProps) {
  const hold = useContext(HoldContext);
  return (
    <button
      type="button"
      className="ps-tool-row"
      data-focus={isNext || undefined}
      aria-expanded={open}
      aria-controls={open ? controls : undefined}
      onClick={() => {
        hold();
        onToggle(!open);
      }}
    >
      <span className="ps-tool-icon">{icon}</span>
      {children}
      <span className="ps-tool-chevron">
        <ChevronIcon />
      </span>
    </button>
  );
}
