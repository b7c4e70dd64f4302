import type { Json } from "@pageside/core";
import { useEffect, useId, useRef, type KeyboardEvent } from "react";
import { useMessageLabels } from "../../labels/messages.js";
import { Revealed } from "../../ui/Revealed.js";
import { ReviewedArguments } from "./ReviewedArguments.js";
import { useReview } from "./useReview.js";

interface ActionApprovalProps {
  label: string;
  /** The arguments of the action. */
  args?: Json;
  onAnswer: (approved: boolean) => void;
}

/** Asks before the server carries out a suggested action. */
export function ActionApproval({ label, args, onAnswer }: ActionApprovalProps) {
  const labels = useMessageLabels();
  const id = useId();
  const review = useReview();
  const isUnseen = args !== undefined && review.missing > 0;
  const card = useRef<HTMLDivElement>(null);
  useEffect(() => card.current?.querySelector<HTMLElement>("[data-focus]")?.focus(), []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    onAnswer(false);
  };
  return (
    <div ref={card} className="ps-card ps-action-approval" role="group" aria-labelledby={id} onKeyDown={onKeyDown}>
      <h3 id={id} className="ps-card-title">
        <Revealed text={labels.approvalTitle(label)} />
      </h3>
      {args !== undefined && <ReviewedArguments value={args} review={review} />}
      {isUnseen && (
        <p className="ps-muted ps-small-text" id={`${id}-hint`}>
          {labels.seeAllFirst}
        </p>
      )}
      <div className="ps-card-footer">
        <button type="button" className="ps-button" data-focus onClick={() => onAnswer(false)}>
          {labels.cancel}
        </button>
        <button
          type="button"
          className="ps-button ps-primary"
          aria-disabled={isUnseen || undefined}
          aria-describedby={isUnseen ? `${id}-hint` : undefined}
          onClick={() => (isUnseen ? review.boxRef.current?.focus() : onAnswer(true))}
        >
          {labels.approve}
        </button>
      </div>
    </div>
  );
}
