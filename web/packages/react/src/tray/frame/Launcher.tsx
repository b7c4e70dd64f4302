import type { RefObject } from "react";
import { useLabels } from "../../labels/useLabels.js";
import { CloseIcon, LauncherIcon } from "../../ui/icons.js";

interface LauncherProps {
  buttonRef: RefObject<HTMLButtonElement | null>;
  /** Name of the assistant. */
  title: string;
  shortcut: string | false;
  isOpen: boolean;
  /** The user may be about to press it. */
  onNear: () => void;
  onOpen: () => void;
  onClose: () => void;
}

/** The button in the corner of the page. */
export function Launcher({ buttonRef, title, shortcut, isOpen, onNear, onOpen, onClose }: LauncherProps) {
  const labels = useLabels();
  return (
    <button
      ref={buttonRef}
      type="button"
      className="ps-launcher"
      aria-label={isOpen ? labels.close : labels.openTray(title)}
      aria-expanded={isOpen}
      title={isOpen ? labels.close : hint(labels.openTray(title), shortcut)}
      onPointerEnter={onNear}
      onFocus={onNear}
      onClick={isOpen ? onClose : onOpen}
    >
      {isOpen ? <CloseIcon /> : <LauncherIcon />}
    </button>
  );
}

/** `"Open Assistant (Ctrl+/)"`. */
const hint = (text: string, shortcut: string | false) =>
  shortcut ? `${text} (${shortcut.replace("Mod", "Ctrl")})` : text;
