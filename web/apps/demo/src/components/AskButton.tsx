import { useAssistantActions } from "@pageside/react";
import type { ReactNode } from "react";
import { Icon } from "./Icon.tsx";

/** Opens the assistant with a question. */
export function AskButton({ question, children }: { question: string; children: ReactNode }) {
  const { open, send } = useAssistantActions();
  return (
    <button
      type="button"
      className="button button-soft"
      onClick={() => {
        open();
        void send(question);
      }}
    >
      <Icon name="sparkle" size={14} />
      {children}
    </button>
  );
}
