import type { Json } from "@pageside/core";
import { useContext, useState, type KeyboardEvent } from "react";
import { FieldInput } from "./FieldInput.js";
import { fieldsOfValues, readDraft, toDraft, type Draft, type FieldProblem } from "./fields.js";
import { KeyValues } from "./KeyValues.js";
import { useLabels } from "./labels.js";
import { HoldContext } from "./useFollow.js";

export interface InterruptFormProps {
  schema: unknown;
  /** The arguments of the call. */
  args: unknown;
  expired: boolean;
  onRespond: (payload: Json) => void;
  onCancel: () => void;
}

/** Approve or deny a call, with its arguments as they are or changed. A and D are its keys while the focus is in it. */
export function ApprovalForm({ args, expired, onRespond, onCancel }: InterruptFormProps) {
  const labels = useLabels();
  const hold = useContext(HoldContext);
  const values = typeof args === "object" && args !== null && !Array.isArray(args) ? { ...args } : {};
  const fields = fieldsOfValues(values);
  const [draft, setDraft] = useState<Draft>();
  const [problems, setProblems] = useState<Record<string, FieldProblem>>({});

  const deny = () => onRespond({ approved: false });
  const approve = () => {
    if (expired) return;
    if (!draft) return onRespond({ approved: true });
    const read = readDraft(fields, draft);
    setProblems(read.problems);
    if (Object.keys(read.problems).length > 0) return;
    const changed = JSON.stringify(read.values) !== JSON.stringify(values);
    onRespond({ approved: true, ...(changed && { args: read.values as Json }) });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, target, altKey, ctrlKey, metaKey } = event;
    if (expired || altKey || ctrlKey || metaKey || !(target instanceof HTMLButtonElement)) return;
    if (key === "a" || key === "d") event.preventDefault();
    if (key === "a") approve();
    if (key === "d") deny();
  };

  if (expired) return <Dismissal onCancel={onCancel} />;
  return (
    <div className="ps-interrupt-form" onKeyDown={onKeyDown}>
      {draft ? (
        fields.map((field) => (
          <FieldInput
            key={field.name}
            field={field}
            value={draft[field.name] ?? ""}
            problem={problems[field.name]}
            onChange={(value) => setDraft({ ...draft, [field.name]: value })}
          />
        ))
      ) : (
        <div className="ps-card-body ps-args" role="group" aria-label={labels.toolArguments} tabIndex={0}>
          <KeyValues value={values} />
        </div>
      )}
      <div className="ps-card-footer">
        {fields.length > 0 && (
          <button
            type="button"
            className="ps-button ps-ghost ps-first"
            onClick={() => {
              hold();
              setProblems({});
              setDraft(draft ? undefined : toDraft(fields, values));
            }}
          >
            {draft ? labels.cancel : labels.edit}
          </button>
        )}
        <button type="button" className="ps-button" title={`${labels.deny} (D)`} onClick={deny}>
          {labels.deny}
        </button>
        <button
          type="button"
          className="ps-button ps-primary"
          data-focus
          title={`${labels.approve} (A)`}
          onClick={approve}
        >
          {labels.approve}
        </button>
      </div>
    </div>
  );
}

/** All that can be done with what has expired. */
export function Dismissal({ onCancel }: Pick<InterruptFormProps, "onCancel">) {
  const labels = useLabels();
  return (
    <div className="ps-card-footer">
      <button type="button" className="ps-button" data-focus onClick={onCancel}>
        {labels.dismiss}
      </button>
    </div>
  );
}
