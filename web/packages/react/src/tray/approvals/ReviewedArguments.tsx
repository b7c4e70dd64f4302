import { Fragment, type ReactNode } from "react";
import { useQuestionLabels } from "../../labels/questions.js";
import { useLabels } from "../../labels/useLabels.js";
import { Button } from "../../ui/Button.js";
import { humanize, pretty } from "../../ui/format.js";
import { Revealed } from "../../ui/Revealed.js";
import { hidesSomething } from "../../ui/unseen.js";
import type { Review } from "./useReview.js";

/** Deeper than this, a value is shown as JSON. */
const MAX_DEPTH = 3;

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
export function ArgumentValue({ value, depth = 0 }: { value: unknown; depth?: number }): ReactNode {
  const labels = useLabels();
  if (Array.isArray(value) && value.length > 0 && depth <= MAX_DEPTH) {
    return (
      <ol className="ps-value-list ps-stack">
        {value.map((each, index) => (
          <li key={index} dir="auto">
            <ArgumentValue value={each} depth={depth + 1} />
          </li>
        ))}
      </ol>
    );
  }
  if (isRecord(value) && depth <= MAX_DEPTH) return <Entries value={value} depth={depth} />;
  if (typeof value === "boolean") return value ? labels.yes : labels.no;
  if (value === null || value === undefined || value === "") return "–";
  return typeof value === "string" ? <Revealed text={value} /> : <Revealed text={whole(value)} />;
}

function Entries({ value, depth }: { value: Record<string, unknown>; depth: number }): ReactNode {
  const labels = useLabels();
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  if (entries.length === 0) return <span className="ps-muted">{depth === 0 ? labels.cardEmpty : "–"}</span>;
  const names = entries.map(([name]) => humanize(name));
  return (
    <dl className="ps-values ps-stack ps-tight">
      {entries.map(([name, each], index) => (
        <div key={name} data-wide={isWide(each) || undefined}>
          <dt>
            <Name name={name} isOnly={names.indexOf(names[index]!) === names.lastIndexOf(names[index]!)} />
          </dt>
          <dd dir="auto">
            <ArgumentValue value={each} depth={depth + 1} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** As it is written where it is no plain name, or where two would look the same. */
function Name({ name, isOnly }: { name: string; isOnly: boolean }): ReactNode {
  const isPlain = /^[\p{L}\p{N}_.:/ -]{1,64}$/u.test(name) && !hidesSomething(name);
  return isPlain && isOnly ? (
    humanize(name)
  ) : (
    <Fragment>
      “<Revealed text={name} />”
    </Fragment>
  );
}

/** JSON at any length. */
const whole = (value: unknown) => (typeof value === "object" ? JSON.stringify(value, null, 2) : pretty(value));

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Reports whether a value needs a line of its own below its name. */
const isWide = (value: unknown) =>
  typeof value === "object" ? value !== null : typeof value === "string" && (value.length > 32 || value.includes("\n"));
