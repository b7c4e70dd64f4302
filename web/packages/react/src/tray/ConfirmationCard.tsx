import type { Approval, Json } from "@pageside/core";
import { useId, type CSSProperties, type Ref } from "react";
import { ApprovalForm } from "./ApprovalForm.js";

export interface ConfirmationCardProps {
  cardRef?: Ref<HTMLDivElement>;
  className?: string;
  style?: CSSProperties;
  title: string;
  args: unknown;
  onAnswer: (answer: Approval) => void;
  /** Allows it for good. Without it that is not offered. */
  onAlways?: () => void;
}

/** What something of the page asks before it runs: the same form as for the approval of a backend tool. */
export function ConfirmationCard(props: ConfirmationCardProps) {
  const { cardRef, className = "ps-card", style, title, args, onAnswer, onAlways } = props;
  const titleId = useId();
  return (
    <div ref={cardRef} className={`${className} ps-interrupt`} style={style} role="group" aria-labelledby={titleId}>
      <p className="ps-card-title" id={titleId} dir="auto">
        {title}
      </p>
      <ApprovalForm
        schema={undefined}
        args={args}
        expired={false}
        onRespond={(answer: Json) => onAnswer(answer as unknown as Approval)}
        onCancel={() => onAnswer({ approved: false })}
        onAlways={onAlways}
        alwaysFor="session"
      />
    </div>
  );
}
