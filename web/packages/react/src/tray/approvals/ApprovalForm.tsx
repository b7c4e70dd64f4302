import type { AllowanceOffer, Json } from "@pageside/core";
import { useContext, useId, useRef, useState, type AriaAttributes, type KeyboardEvent, type RefObject } from "react";
import { useMessageLabels } from "../../labels/messages.js";
import { useLabels } from "../../labels/useLabels.js";
import { AlertIcon, ChevronIcon } from "../../ui/icons.js";
import { HoldContext } from "../transcript/useFollow.js";
import { AllowanceTerms, useTerms } from "./AllowanceTerms.js";
import { FieldInput } from "./FieldInput.js";
import { fieldsOfValues, readDraft, toDraft, type Draft, type Field, type FieldProblem } from "./fields.js";
import { ReviewedArguments } from "./ReviewedArguments.js";
import { useReview, type Review } from "./useReview.js";

/** The props of a form that answers an interrupt. */
export interface InterruptFormProps {
  /** The schema of the answer. */
  schema: unknown;
  /** The arguments of the call. */
  args: unknown;
  /** Is it too late to answer? */
  expired: boolean;
  /** The user has answered. */
  onRespond: (payload: Json) => void;
  /** The user does not want to answer. */
  onCancel: () => void;
  /** Of an approval: the offer of the answer `always`, if any. */
  always?: Always;
  /** Of an approval: may it be impossible to undo? */
  destructive?: boolean;
}

/** The offer to approve the same call from now on. */
interface Always {
  label: string;
  /** Exactly what is allowed, and for how long. */
  hint: string;
  /** What else the server offers to allow. */
  offer?: AllowanceOffer;
}

/**
 * Approves or denies a call, with its arguments as they are or changed. A and D are its keys while
 * the focus is in it, Shift+D denies with a reason.
 */
export function ApprovalForm({ args, expired, onRespond, onCancel, always, destructive }: InterruptFormProps) {
  const labels = useMessageLabels();
  const { fields, values, draft, problems, change, edit, read } = useArguments(args);
  const { reason, setReason, explain, explainer } = useReason();
  const review = useReview();
  const hintId = useId();
  const isUnseen = review.missing > 0;
  const unseen = isUnseen ? { "aria-disabled": true, "aria-describedby": hintId } : {};

  const deny = () => onRespond({ approved: false, ...(reason?.trim() && { reason: reason.trim() }) });
  const approve = (more?: { always: true; allowance?: Json }) => {
    if (isUnseen) return review.boxRef.current?.focus();
    const changed = expired ? undefined : read();
    if (changed) onRespond({ approved: true, ...more, ...changed });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, target, altKey, ctrlKey, metaKey } = event;
    if (expired || altKey || ctrlKey || metaKey || isWrittenIn(target)) return;
    const act = { a: () => approve(), d: deny, D: explain }[key];
    if (!act) return;
    event.preventDefault();
    act();
  };

  if (expired) return <Dismissal onCancel={onCancel} />;
  return (
    <div className="ps-interrupt-form" onKeyDown={onKeyDown}>
      <Arguments {...{ fields, values, draft, problems, review }} onChange={change} />
      {reason !== undefined && (
        <Reason
          reason={reason}
          onChange={setReason}
          onSubmit={deny}
          onClose={() => {
            explain();
            explainer.current?.focus();
          }}
        />
      )}
      {destructive && <Destructive />}
      {always && !isUnseen && <AlwaysButton {...always} onClick={(terms) => approve({ always: true, ...terms })} />}
      {isUnseen && (
        <p className="ps-muted ps-small-text" id={hintId}>
          {labels.seeAllFirst}
        </p>
      )}
      <div className="ps-card-footer">
        {fields.length > 0 && !isUnseen && <EditButton isEdited={draft !== undefined} onClick={edit} />}
        <DenyButtons
          isExplained={reason !== undefined}
          explainer={explainer}
          isQuiet={destructive}
          onDeny={deny}
          onExplain={explain}
        />
        <ApproveButton isDestructive={destructive} onClick={() => approve()} {...unseen} />
      </div>
    </div>
  );
}

/** The arguments, and the user's changes to them. */
function useArguments(args: unknown) {
  const hold = useContext(HoldContext);
  const values = typeof args === "object" && args !== null && !Array.isArray(args) ? { ...args } : {};
  const fields = fieldsOfValues(values);
  const [draft, setDraft] = useState<Draft>();
  const [problems, setProblems] = useState<Record<string, FieldProblem>>({});

  const edit = () => {
    hold();
    setProblems({});
    setDraft(draft ? undefined : toDraft(fields, values));
  };
  /** The changed arguments, if any; undefined if they are invalid. */
  const read = (): { args?: Json } | undefined => {
    if (!draft) return {};
    const result = readDraft(fields, draft);
    setProblems(result.problems);
    if (Object.keys(result.problems).length > 0) return undefined;
    const changed = JSON.stringify(result.values) !== JSON.stringify(values);
    return changed ? { args: result.values } : {};
  };
  const change = (name: string, value: Draft[string]) => setDraft({ ...draft, [name]: value });
  return { fields, values, draft, problems, change, edit, read };
}

/** Why it is denied, while that is being written. */
function useReason() {
  const hold = useContext(HoldContext);
  const [reason, setReason] = useState<string>();
  const explainer = useRef<HTMLButtonElement>(null);
  const explain = () => {
    hold();
    setReason(reason === undefined ? "" : undefined);
  };
  return { reason, setReason, explain, explainer };
}

interface ArgumentsProps {
  fields: readonly Field[];
  values: object;
  draft: Draft | undefined;
  problems: Record<string, FieldProblem>;
  review: Review;
  onChange: (name: string, value: Draft[string]) => void;
}

function Arguments({ fields, values, draft, problems, review, onChange }: ArgumentsProps) {
  if (!draft) return <ReviewedArguments value={values} review={review} />;
  return fields.map((field) => (
    <FieldInput
      key={field.name}
      field={field}
      value={draft[field.name] ?? ""}
      problem={problems[field.name]}
      onChange={(value) => onChange(field.name, value)}
    />
  ));
}

interface ReasonProps {
  reason: string;
  onChange: (reason: string) => void;
  onSubmit: () => void;
  onClose: () => void;
}

function Reason({ reason, onChange, onSubmit, onClose }: ReasonProps) {
  const labels = useMessageLabels();
  return (
    <form
      className="ps-deny"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <input
        className="ps-text-field"
        aria-label={labels.denyReason}
        placeholder={labels.denyReason}
        dir="auto"
        autoFocus
        value={reason}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape" || event.nativeEvent.isComposing) return;
          event.preventDefault(); // or Escape would stop the run
          onClose();
        }}
      />
    </form>
  );
}

function EditButton({ isEdited, onClick }: { isEdited: boolean; onClick: () => void }) {
  const labels = useMessageLabels();
  return (
    <button type="button" className="ps-button ps-ghost ps-first" onClick={onClick}>
      {isEdited ? labels.cancel : labels.edit}
    </button>
  );
}

interface AlwaysButtonProps extends Always {
  onClick: (terms: { allowance?: Json }) => void;
}

function AlwaysButton({ label, hint, offer, onClick }: AlwaysButtonProps) {
  const hintId = useId();
  const labels = useMessageLabels();
  const { terms, setTerms, allowance, isOffered } = useTerms(offer);
  return (
    <div className="ps-always">
      <button
        type="button"
        className="ps-button"
        aria-describedby={terms ? undefined : hintId}
        onClick={() => onClick(allowance)}
      >
        {terms ? labels.alwaysFor : label}
      </button>
      {!terms && (
        <p className="ps-muted ps-small-text" id={hintId} dir="auto">
          {hint}
        </p>
      )}
      {isOffered && <AllowanceTerms offer={offer!} terms={terms} onChange={setTerms} />}
    </div>
  );
}

/** Says in words, too, what the red button means. */
function Destructive() {
  const labels = useMessageLabels();
  return (
    <p className="ps-card-error ps-destructive">
      <AlertIcon />
      {labels.mayNotBeUndone}
    </p>
  );
}

interface DenyButtonsProps {
  isExplained: boolean;
  /** Does the focus go to it first? */
  isQuiet?: boolean;
  explainer: RefObject<HTMLButtonElement | null>;
  onDeny: () => void;
  onExplain: () => void;
}

function DenyButtons({ isExplained, isQuiet, explainer, onDeny, onExplain }: DenyButtonsProps) {
  const labels = useMessageLabels();
  return (
    <span className="ps-split">
      <button
        type="button"
        className="ps-button"
        data-focus={isQuiet || undefined}
        title={`${labels.deny} (D)`}
        onClick={onDeny}
      >
        {labels.deny}
      </button>
      <button
        type="button"
        className="ps-button"
        aria-label={labels.denyWithReason}
        ref={explainer}
        aria-expanded={isExplained}
        title={`${labels.denyWithReason} (Shift+D)`}
        onClick={onExplain}
      >
        <ChevronIcon />
      </button>
    </span>
  );
}

interface ApproveButtonProps extends Pick<AriaAttributes, "aria-disabled" | "aria-describedby"> {
  isDestructive?: boolean;
  onClick: () => void;
}

function ApproveButton({ isDestructive, onClick, ...state }: ApproveButtonProps) {
  const labels = useMessageLabels();
  return (
    <button
      type="button"
      className={`ps-button ${isDestructive ? "ps-danger" : "ps-primary"}`}
      data-focus={!isDestructive || undefined}
      title={`${labels.approve} (A)`}
      onClick={onClick}
      {...state}
    >
      {labels.approve}
    </button>
  );
}

/** Reports whether letters are typed there. */
const isWrittenIn = (target: EventTarget) =>
  target instanceof HTMLElement && (target.matches("input, textarea, select") || target.isContentEditable);

/** All that can be done with an expired question. */
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
