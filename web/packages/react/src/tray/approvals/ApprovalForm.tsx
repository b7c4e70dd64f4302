import type { Answer, Approval, Json, Question } from "@pageside/core";
import { useId, useRef, type ComponentProps, type KeyboardEvent } from "react";
import { useQuestionLabels } from "../../labels/questions.js";
import { Button } from "../../ui/Button.js";
import { AlertIcon, ChevronIcon } from "../../ui/icons.js";
import { useToggle } from "../transcript/useFollow.js";
import { Always } from "./Always.js";
import { fieldsOfValues } from "./fields.js";
import { useInputs } from "./Inputs.js";
import { ReviewedArguments, useReview } from "./ReviewedArguments.js";

/** What is asked, and how it is answered. */
export interface AskProps {
  question: Question;
  /** What would run, as it is called on screen. */
  tool: string;
  /** Without an answer the question is passed over. */
  onAnswer: (answer?: Answer) => void;
}

/**
 * Approves or denies a call, with its arguments as they are or changed. A and D are its keys while
 * the focus is in it, Shift+D denies with a reason. An action of the server is carried out as it
 * was suggested, or not at all, and Escape denies it.
 */
export function ApprovalForm({ question, tool, onAnswer }: AskProps) {
  const { args, destructive, allowance, from } = question;
  const labels = useQuestionLabels();
  const review = useReview();
  const edited = useEdited(args);
  const [isAlways, toggleAlways] = useToggle();
  /** Is it being written why the call is denied? */
  const [isReasoned, toggleReason] = useToggle();
  const reason = useRef<HTMLInputElement>(null);
  const hintId = useId();
  const isUnseen = Boolean(review.missing);
  const isFixed = from === "server";
  const isQuiet = destructive || isFixed;
  const look = destructive ? "danger" : "primary";
  const canAlways = allowance !== undefined && !isUnseen;

  const deny = () => {
    const why = reason.current?.value.trim();
    onAnswer({ approved: false, ...(why && { reason: why }) });
  };
  const approve = (more?: Partial<Approval>) => {
    if (isUnseen) return review.boxRef.current?.focus();
    const changed = edited.read();
    if (changed) onAnswer({ approved: true, ...more, ...changed });
  };
  const keys: Keys = { a: () => approve(), d: deny, ...(isFixed ? { Escape: deny } : { D: toggleReason }) };
  const leaveReason = () => {
    const form = reason.current?.closest(".ps-interrupt-form");
    form?.querySelector<HTMLElement>(".ps-split + .ps-split [aria-expanded]")?.focus();
    toggleReason();
  };

  return (
    <div className="ps-interrupt-form ps-stack" onKeyDown={(event) => isWrittenIn(event) || press(keys, event)}>
      {edited.inputs ?? <ReviewedArguments value={args ?? {}} review={review} />}
      {isReasoned && (
        <input
          ref={reason}
          className="ps-text-field"
          aria-label={labels.denyReason}
          placeholder={labels.denyReason}
          dir="auto"
          autoFocus
          // Escape would stop the run as well
          onKeyDown={(event) => press({ Enter: deny, Escape: leaveReason }, event)}
        />
      )}
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
            <MoreButton label={labels.denyWithReason} hint="Shift+D" isOpen={isReasoned} onClick={toggleReason} />
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
  const { key, altKey, ctrlKey, metaKey, nativeEvent } = event;
  const act = Object.hasOwn(keys, key) && keys[key];
  if (!act || altKey || ctrlKey || metaKey || nativeEvent.isComposing) return;
  event.preventDefault();
  act();
}

/** Reports whether letters are typed there. */
const isWrittenIn = ({ target }: KeyboardEvent) =>
  target instanceof HTMLElement && (target.matches("input, textarea, select") || target.isContentEditable);

/** The arguments, and the user's changes to them while they are edited. */
function useEdited(args: unknown) {
  const values = typeof args === "object" && args !== null && !Array.isArray(args) ? { ...args } : {};
  const fields = fieldsOfValues(values);
  const { inputs, read: readInputs, reset } = useInputs(fields, values);
  const [isOpen, open] = useToggle();

  const toggle = () => {
    reset();
    open();
  };
  /** The changed arguments, if any; undefined if they are invalid. */
  const read = (): { args?: Json } | undefined => {
    const changed = isOpen ? readInputs() : {};
    if (!isOpen || !changed) return changed;
    return JSON.stringify(changed) === JSON.stringify(values) ? {} : { args: changed };
  };
  return { inputs: isOpen ? inputs : undefined, canEdit: fields.length > 0, toggle, read };
}

interface MoreButtonProps extends ComponentProps<typeof Button> {
  label: string;
  isOpen: boolean;
  /** Its key. */
  hint?: string;
}

/** The second half of a button: what else the same answer can be. */
const MoreButton = ({ label, isOpen, hint, ...props }: MoreButtonProps) => (
  <Button aria-label={label} aria-expanded={isOpen} title={hint ? `${label} (${hint})` : label} {...props}>
    <ChevronIcon />
  </Button>
);
