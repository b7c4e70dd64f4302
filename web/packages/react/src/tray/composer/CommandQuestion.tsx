import { useEffect, useId, useRef } from "react";
import { useComposerLabels } from "../../labels/composer.js";
import { Button } from "../../ui/Button.js";

/** The props of `<CommandQuestion>`. */
export interface CommandQuestionProps {
  command: string;
  /** What follows the command; empty if nothing does. */
  args: string;
  /** Without `how`: neither. */
  onAnswer: (how?: "save" | "send") => void;
}

/** Asks whether an unknown command is a new shortcut, a text, or a typing error. */
export function CommandQuestion({ command, args, onAnswer }: CommandQuestionProps) {
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
        onAnswer();
      }}
    >
      <p id={id} role="alert">
        {args ? labels.saveCommand(command) : labels.unknownCommand(command)}
      </p>
      <div className="ps-flow">
        {args && (
          <Button look="primary" onClick={() => onAnswer("save")}>
            {labels.saveAndSend}
          </Button>
        )}
        <Button onClick={() => onAnswer("send")}>{args ? labels.sendOnce : labels.sendAsText}</Button>
        <Button look="ghost" onClick={() => onAnswer()}>
          {labels.cancel}
        </Button>
      </div>
    </div>
  );
}
