import { useQuestionLabels } from "../../labels/questions.js";
import { Button } from "../../ui/Button.js";
import { humanize } from "../../ui/format.js";
import { KeyValues, type ValueLook } from "../../ui/KeyValues.js";
import { Revealed } from "../../ui/Revealed.js";
import { hidesSomething } from "../../ui/unseen.js";
import type { Review } from "./useReview.js";

const WIDE = { inlineSize: "100%", justifyContent: "center" };

interface ReviewedArgumentsProps {
  value: unknown;
  review: Review;
}

/**
 * What will run if the user agrees: all of it, with whatever a text hides. What does not fit is
 * opened by a button that says how much there is.
 */
export function ReviewedArguments({ value, review }: ReviewedArgumentsProps) {
  const labels = useQuestionLabels();
  const { boxRef, contentRef, onScroll, missing, isOpen, open, isComplete } = review;
  return (
    <div className="ps-interrupt-form ps-stack">
      <div
        ref={boxRef}
        className="ps-card-body ps-args"
        role="group"
        aria-label={labels.toolArguments}
        tabIndex={0}
        data-open={isOpen || undefined}
        data-more={missing > 0 || undefined}
        onScroll={onScroll}
      >
        <div ref={contentRef}>
          <ArgumentValue value={value} />
        </div>
      </div>
      {missing > 0 && (
        <Button style={WIDE} onClick={open}>
          {labels.showMoreLines(missing)}
        </Button>
      )}
      <p className="ps-sr-only" role="status">
        {isComplete ? labels.allIsShown : ""}
      </p>
    </div>
  );
}

/** All of a value, with whatever its texts hide. */
export const ArgumentValue = ({ value }: { value: unknown }) => <KeyValues value={value} look={FOR_REVIEW} />;

const FOR_REVIEW: ValueLook = {
  maxDepth: 3,
  maxEntries: Infinity,
  list: "ol",
  names: (names) => {
    const shown = names.map(humanize);
    const isOnly = (name: string) => shown.indexOf(name) === shown.lastIndexOf(name);
    return names.map((name, index) =>
      isPlain(name) && isOnly(shown[index]!) ? shown[index] : <Quoted key={name} name={name} />,
    );
  },
  text: (value) => <Revealed text={typeof value === "object" ? JSON.stringify(value, null, 2) : String(value)} />,
};

const isPlain = (name: string) => /^[\p{L}\p{N}_.:/ -]{1,64}$/u.test(name) && !hidesSomething(name);

/** A name as it is written: it is no plain one, or two would look the same. */
const Quoted = ({ name }: { name: string }) => (
  <>
    “<Revealed text={name} />”
  </>
);
