import { useEffect, useId, useRef } from "react";
import { useComposerLabels } from "../../labels/composer.js";

interface CommandQuestionProps {
  command: string;
  /** What follows the command; empty if nothing does. */
  args: string;
  onSave: () => void;
  onSend: () => void;
  onCancel: () => void;
}

/** Asks whether an unknown command is a new shortcut, a text, or a typing error. */
export function CommandQuestion({ command, args, onSave, onSend, onCancel }: CommandQuestionProps) {
  const labels = useComposerLabels();
  const id = useId();
  const group = useRef<HTMLDivElement>(null);
  useEffect(() => group.current?.querySelector("button")?.focus({ preventScroll: true }), []);
  return (
    <div
      ref={group}
      className="ps-notice ps-command-question ps-text-md"
      role="group"
      aria-labelledby={id}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        onCancel();
      }}
    >
      <p id={id} role="alert">
        {args ? labels.saveCommand(command) : labels.unknownCommand(command)}
      </p>
      <div className="ps-flow">
        {args && (
          <button type="button" className="ps-button ps-primary" onClick={onSave}>
            {labels.saveAndSend}
          </button>
        )}
        <button type="button" className="ps-button" onClick={onSend}>
          {args ? labels.sendOnce : labels.sendAsText}
        </button>
        <button type="button" className="ps-button ps-ghost" onClick={onCancel}>
          {labels.cancel}
        </button>
      </div>
    </div>
  );
}
