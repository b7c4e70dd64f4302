import type { Json } from "@pageside/core";
import { useContext, useRef, useState, type KeyboardEvent } from "react";
import { ChevronIcon } from "./icons.js";
import { FieldInput } from "./FieldInput.js";
import { fieldsOfValues, readDraft, toDraft, type Draft, type FieldProblem } from "./fields.js";
import { KeyValues } from "./KeyValues.js";
import { useLabels } from "./labels.js";
import { useMessageLabels } from "./messageLabels.js";
import { HoldContext } from "./useFollow.js";

export interface InterruptFormProps {
  schema: unknown;
  /** The arguments of the call. */
  args: unknown;
  expired: boolean;
  onRespond: (payload: Json) => void;
  onCancel: () => void;
  /** Of an approval: calls of this tool are approved from now on. Without it that is not offered. */
  onAlways?: () => void;
}

/** Approve or deny a call, with its arguments as they are or changed. A and D are its keys while the focus is in it, Shift+D denies with a reason. */
export function ApprovalForm({ args, expired, onRespond, onCancel, onAlways }: InterruptFormProps) {
  const labels = useMessageLabels();
  const hold = useContext(HoldContext);
  const values = typeof args === "object" && args !== null && !Array.isArray(args) ? { ...args } : {};
  const fields = fieldsOfValues(values);
  const [draft, setDraft] = useState<Draft>();
  const [problems, setProblems] = useState<Record<string, FieldProblem>>({});

  /** Why it is denied, while that is being written. */
  const [reason, setReason] = useState<string>();
  const explainer = useRef<HTMLButtonElement>(null);

  const deny = () => onRespond({ approved: false, ...(reason?.trim() && { reason: reason.trim() }) });
  const explain = () => {
    hold();
    setReason(reason === undefined ? "" : undefined);
  };
  const always = () => {
    if (approve()) onAlways?.();
  };
  const approve = (): boolean => {
    if (expired) return false;
    if (!draft) {
      onRespond({ approved: true });
      return true;
    }
    const read = readDraft(fields, draft);
    setProblems(read.problems);
    if (Object.keys(read.problems).length > 0) return false;
    const changed = JSON.stringify(read.values) !== JSON.stringify(values);
    onRespond({ approved: true, ...(changed && { args: read.values as Json }) });
    return true;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, target, altKey, ctrlKey, metaKey } = event;
    if (expired || altKey || ctrlKey || metaKey || isWrittenIn(target)) return;
    const act = { a: approve, d: deny, D: explain }[key];
    if (!act) return;
    event.preventDefault();
    act();
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
      {reason !== undefined && (
        <form
          className="ps-deny"
          onSubmit={(event) => {
            event.preventDefault();
            deny();
          }}
        >
          <input
            className="ps-text-field"
            aria-label={labels.denyReason}
            placeholder={labels.denyReason}
            dir="auto"
            autoFocus
            value={reason}
            onChange={(event) => setReason(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== "Escape" || event.nativeEvent.isComposing) return;
              event.preventDefault(); // or the run would be stopped
              explain();
              explainer.current?.focus();
            }}
          />
        </form>
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
        {onAlways && (
          <button type="button" className="ps-button ps-ghost" title={labels.alwaysInThreadHint} onClick={always}>
            {labels.alwaysInThread}
          </button>
        )}
        <span className="ps-split">
          <button type="button" className="ps-button" title={`${labels.deny} (D)`} onClick={deny}>
            {labels.deny}
          </button>
          <button
            type="button"
            className="ps-button"
            aria-label={labels.denyWithReason}
            ref={explainer}
            aria-expanded={reason !== undefined}
            title={`${labels.denyWithReason} (Shift+D)`}
            onClick={explain}
          >
            <ChevronIcon />
          </button>
        </span>
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

/** Are letters typed there? */
const isWrittenIn = (target: EventTarget) =>
  target instanceof HTMLElement && (target.matches("input, textarea, select") || target.isContentEditable);

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
