import { useEffect, useRef } from "react";
import { useComposerLabels } from "../../labels/composer.js";
import { IconButton } from "../../ui/Button.js";
import { CloseIcon } from "../../ui/icons.js";

/** What the lightbox shows. */
export interface LightboxProps {
  /** A `data:` address. */
  src: string;
  name: string;
  onClose: () => void;
}

/** An image as large as the window allows. Escape, the button and a click beside it close it. */
export function Lightbox({ src, name, onClose }: LightboxProps) {
  const labels = useComposerLabels();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    if (element && !element.open) element.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className="ps-lightbox"
      aria-label={name}
      onCancel={(event) => {
        event.preventDefault(); // React takes it away
        onClose();
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault(); // or the tray would close, too
        event.stopPropagation();
        onClose();
      }}
      onClick={(event) => event.target === event.currentTarget && onClose()}
    >
      <img src={src} alt={name} />
      <IconButton label={labels.close} onClick={onClose}>
        <CloseIcon />
      </IconButton>
    </dialog>
  );
}
