import type { Json } from "@pageside/core";
import { useEffect, useId, useRef, type KeyboardEvent } from "react";
import { useLabels } from "../../labels/useLabels.js";
import { KeyValues } from "../../ui/KeyValues.js";

interface ActionApprovalProps {
  label: string;
  /** The arguments of the action. */
  args?: Json;
  onAnswer: (approved: boolean) => void;
}

/** Asks before the server carries out a suggested action. */
export function ActionApproval({ label, args, onAnswer }: ActionApprovalProps) {
  const labels = useLabels();
  const id = useId();
  const card = useRef<HTMLDivElement>(null);
  useEffect(() => card.current?.querySelector("button")?.focus(), []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    onAnswer(false);
  };
  return (
    <div ref={card} className="ps-card ps-action-approval" role="group" aria-labelledby={id} onKeyDown={onKeyDown}>
      <h3 id={id} className="ps-card-title">
        {labels.approvalTitle(label)}
      </h3>
      {args !== undefined && <KeyValues value={args} />}
      <div className="ps-card-footer">
        <button type="button" className="ps-button" onClick={() => onAnswer(false)}>
          {labels.cancel}
        </button>
        <button type="button" className="ps-button ps-primary" onClick={() => onAnswer(true)}>
          {labels.approve}
        </button>
      </div>
    </div>
  );
}
