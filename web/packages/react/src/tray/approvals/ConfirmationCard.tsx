import type { Approval, Json } from "@pageside/core";
import { useId, type CSSProperties, type Ref } from "react";
import { useMessageLabels } from "../../labels/messages.js";
import { Revealed } from "../../ui/Revealed.js";
import { ApprovalForm } from "./ApprovalForm.js";

interface ConfirmationCardProps {
  cardRef?: Ref<HTMLDivElement>;
  className?: string;
  style?: CSSProperties;
  title: string;
  args: unknown;
  onAnswer: (answer: Approval) => void;
  /** What it is called on screen. */
  name: string;
  destructive?: boolean;
  /** Allows it from now on, with the approved arguments. Without it, that is not offered. */
  onAlways?: (args: unknown) => void;
}

/** Asks before a tool or an action of the page runs, with the form that approves backend tools. */
export function ConfirmationCard(props: ConfirmationCardProps) {
  const { cardRef, className = "ps-card", style, title, args, onAnswer, name, destructive, onAlways } = props;
  const labels = useMessageLabels();
  const titleId = useId();
  const respond = (payload: Json) => {
    const { always, ...answer } = payload as unknown as Approval & { always?: true };
    onAnswer(answer);
    if (always) onAlways?.(answer.args ?? args);
  };
  return (
    <div ref={cardRef} className={`${className} ps-interrupt`} style={style} role="group" aria-labelledby={titleId}>
      <p className="ps-card-title" id={titleId} dir="auto">
        <Revealed text={title} />
      </p>
      <ApprovalForm
        schema={undefined}
        args={args}
        expired={false}
        onRespond={respond}
        onCancel={() => onAnswer({ approved: false })}
        always={onAlways && { label: labels.alwaysInSession, hint: labels.alwaysInSessionHint(name) }}
        destructive={destructive}
      />
    </div>
  );
}
