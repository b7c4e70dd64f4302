import { useAssistantActions } from "@pageside/react";
import type { ComponentProps, ReactNode } from "react";
import { Icon, type IconName } from "./Icon.tsx";

interface ButtonProps extends ComponentProps<"button"> {
  kind?: "primary" | "soft" | "quiet";
  icon?: IconName;
}

/** A button with words on it, and an icon before them. */
export function Button({ kind, icon, className = "", children, ...rest }: ButtonProps) {
  return (
    <button type="button" {...rest} className={`button ${kind ? `button-${kind}` : ""} ${className}`}>
      {icon && <Icon name={icon} size={14} />}
      {children}
    </button>
  );
}

interface IconButtonProps extends ComponentProps<"button"> {
  icon: IconName;
  label: string;
  size?: number;
}

/** An icon button. Its label is also its tooltip. */
export function IconButton({ icon, label, size, ...rest }: IconButtonProps) {
  return (
    <button type="button" className="icon-button" aria-label={label} title={label} {...rest}>
      <Icon name={icon} size={size} />
    </button>
  );
}

/** What opens the assistant with a question. */
export function useAsk(): (question: string) => void {
  const { open, send } = useAssistantActions();
  return (question) => {
    open();
    void send(question);
  };
}

/** Asks the assistant a question. */
export function AskButton({ question, children }: { question: string; children: ReactNode }) {
  const ask = useAsk();
  return (
    <Button kind="soft" icon="sparkle" onClick={() => ask(question)}>
      {children}
    </Button>
  );
}
