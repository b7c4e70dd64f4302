import type { Answer, Approval, Json, Question } from "@pageside/core";
import { useContext, useId, useState, type ComponentProps, type KeyboardEvent } from "react";
import { useQuestionLabels } from "../../labels/questions.js";
import { Button } from "../../ui/Button.js";
import { AlertIcon, ChevronIcon } from "../../ui/icons.js";
import { HoldContext } from "../transcript/useFollow.js";
import { Always } from "./Always.js";
import { fieldsOfValues } from "./fields.js";
import { useInputs } from "./Inputs.js";
import { ReviewedArguments } from "./ReviewedArguments.js";
import { useReview } from "./useReview.js";

interface ApprovalFormProps {
  question: Question;
  /** What would run, as it is called on screen. */
  tool: string;
  onAnswer: (answer: Answer) => void;
}

/**
 * Approves or denies a call, with its arguments as they are or changed. A and D are its keys while
 * the focus is in it, Shift+D denies with a reason. An action of the server is carried out as it
 * was suggested, or not at all, and Escape denies it.
 */
export function ApprovalForm({ question, tool, onAnswer }: ApprovalFormProps) {
  const { args, destructive, allowance, from } = question;
  const labels = useQuestionLabels();
  const review = useReview();
  const edited = useEdited(args);
  const hold = useContext(HoldContext);
  const [isAlways, setAlways] = useState(false);
  /** Why it is denied, while that is being written. */
  const [reason, setReason] = useState<string>();
  const hintId = useId();
  const isUnseen = review.missing > 0;
  const isFixed = from === "server";
  const isQuiet = destructive || isFixed;
  const look = destructive ? "danger" : "primary";
  const canAlways = allowance !== undefined && !isUnseen;

  const toggleAlways = () => {
    hold();
    setAlways(!isAlways);
  };
  const toggleReason = () => {
    hold();
    setReason(reason === undefined ? "" : undefined);
  };
  const deny = () => onAnswer({ approved: false, ...(reason?.trim() && { reason: reason.trim() }) });
  const approve = (more?: Partial<Approval>) => {
    if (isUnseen) return review.boxRef.current?.focus();
    const changed = edited.read();
    if (changed) onAnswer({ approved: true, ...more, ...changed });
  };
  const keys: Keys = { a: () => approve(), d: deny, ...(isFixed ? { Escape: deny } : { D: toggleReason }) };

  return (
    <div className="ps-interrupt-form ps-stack" onKeyDown={(event) => press(keys, event)}>
      {edited.inputs ?? <ReviewedArguments value={args ?? {}} review={review} />}
      {reason !== undefined && <Reason value={reason} onChange={setReason} onSubmit={deny} onClose={toggleReason} />}
      {/* Says in words, too, what the red button means. */}
      {destructive && (
        <p className="ps-card-error ps-destructive ps-row ps-text-sm">
          <AlertIcon />
          {labels.mayNotBeUndone}
        </p>
      )}
      {isUnseen && (
        <p className="ps-muted ps-text-xs" id={hintId}>
          {labels.seeAllFirst}
        </p>
      )}
      <div className="ps-card-footer ps-decision">
        <span className="ps-split">
          <Button
            look={look}
            isNext={!isQuiet}
            title={`${labels.approve} (A)`}
            onClick={() => approve()}
            {...(isUnseen && { "aria-disabled": true, "aria-describedby": hintId })}
          >
            {labels.approve}
          </Button>
          {canAlways && <MoreButton look={look} label={labels.allowAlways} isOpen={isAlways} onClick={toggleAlways} />}
        </span>
        <span className="ps-split">
          <Button isNext={isQuiet} title={`${labels.deny} (D)`} onClick={deny}>
            {labels.deny}
          </Button>
          {!isFixed && (
            <MoreButton
              label={labels.denyWithReason}
              title={`${labels.denyWithReason} (Shift+D)`}
              isOpen={reason !== undefined}
              onClick={toggleReason}
            />
          )}
        </span>
        {edited.canEdit && !isFixed && !isUnseen && (
          <Button look="ghost" onClick={edited.toggle}>
            {edited.inputs ? labels.cancel : labels.edit}
          </Button>
        )}
      </div>
      {canAlways && isAlways && (
        <Always allowance={allowance} tool={tool} onClick={(terms) => approve({ always: true, ...terms })} />
      )}
    </div>
  );
}

/** What the keys do, by key. */
type Keys = Readonly<Record<string, () => void>>;

function press(keys: Keys, event: KeyboardEvent): void {
  const { key, target, altKey, ctrlKey, metaKey } = event;
  const act = Object.hasOwn(keys, key) && keys[key];
  if (!act || altKey || ctrlKey || metaKey || isWrittenIn(target)) return;
  event.preventDefault();
  act();
}

/** Reports whether letters are typed there. */
const isWrittenIn = (target: EventTarget) =>
  target instanceof HTMLElement && (target.matches("input, textarea, select") || target.isContentEditable);

/** The arguments, and the user's changes to them while they are edited. */
function useEdited(args: unknown) {
  const hold = useContext(HoldContext);
  const values = typeof args === "object" && args !== null && !Array.isArray(args) ? { ...args } : {};
  const fields = fieldsOfValues(values);
  const { inputs, read: readInputs, reset } = useInputs(fields, values);
  const [isOpen, setOpen] = useState(false);

  const toggle = () => {
    hold();
    reset();
    setOpen(!isOpen);
  };
  /** The changed arguments, if any; undefined if they are invalid. */
  const read = (): { args?: Json } | undefined => {
    const changed = isOpen ? readInputs() : {};
    if (!isOpen || !changed) return changed;
    return JSON.stringify(changed) === JSON.stringify(values) ? {} : { args: changed };
  };
  return { inputs: isOpen ? inputs : undefined, canEdit: fields.length > 0, toggle, read };
}

interface ReasonProps {
  value: string;
  onChange: (reason: string) => void;
  onSubmit: () => void;
  /** Escape closes it. */
  onClose: () => void;
}

/** Why the call is denied. */
function Reason({ value, onChange, onSubmit, onClose }: ReasonProps) {
  const labels = useQuestionLabels();
  return (
    <form
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
        value={value}
        onChange={({ target }) => onChange(target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape" || event.nativeEvent.isComposing) return;
          event.preventDefault(); // or Escape would stop the run
          event.currentTarget
            .closest(".ps-interrupt-form")
            ?.querySelector<HTMLElement>(".ps-split + .ps-split [aria-expanded]")
            ?.focus();
          onClose();
        }}
      />
    </form>
  );
}

interface MoreButtonProps extends ComponentProps<typeof Button> {
  label: string;
  isOpen: boolean;
}

/** The second half of a button: what else the same answer can be. */
const MoreButton = ({ label, isOpen, ...props }: MoreButtonProps) => (
  <Button aria-label={label} aria-expanded={isOpen} title={label} {...props}>
    <ChevronIcon />
  </Button>
);
