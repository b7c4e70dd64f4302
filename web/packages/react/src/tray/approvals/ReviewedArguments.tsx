import { useCallback, useRef, useState } from "react";
import { useLayoutEffect } from "../../hooks/effects.js";
import { useQuestionLabels } from "../../labels/questions.js";
import { Button } from "../../ui/Button.js";
import { KeyValues } from "../../ui/KeyValues.js";
import { watchSizes } from "../../ui/sizes.js";
import { useToggle } from "../transcript/useFollow.js";

/** The height of a line of arguments, in pixels. */
const LINE = 18;
/** Less than half a line is no text. */
const SLACK = LINE / 2;

/** Whether the user has had all of something before their eyes. */
type Review = ReturnType<typeof useReview>;

/**
 * Follows how much of a box the user has scrolled to or opened. Once everything was shown, it
 * counts as seen, also in a narrower tray.
 */
export function useReview() {
  const boxRef = useRef<HTMLDivElement>(null);
  const contentRef = useRef<HTMLDivElement>(null);
  /** Lines below the part that was shown so far; undefined where there never were any. */
  const [missing, setMissing] = useState<number>();
  /** Is the box as high as its content? */
  const [isOpen, toggle] = useToggle();
  const isSeen = useRef(false);

  const look = useCallback(() => {
    const box = boxRef.current;
    if (!box || isSeen.current) return;
    const below = box.scrollHeight - box.clientHeight - box.scrollTop;
    if (below > SLACK) return setMissing(Math.max(1, Math.round(below / LINE)));
    if (box.clientHeight > 0) isSeen.current = true;
    setMissing((before) => before && 0);
  }, []);
  /** Shows the rest. */
  const open = () => {
    isSeen.current = true;
    setMissing(0);
    toggle();
    boxRef.current?.focus({ preventScroll: true }); // the button goes
  };

  // The tray's fonts and width, and the parts of a long text, change what fits.
  useLayoutEffect(() => {
    look();
    const [box, content] = [boxRef.current, contentRef.current];
    return box && content ? watchSizes(look, box, content) : undefined;
  }, [look]);

  return { boxRef, contentRef, onScroll: look, missing, isOpen, open };
}

const WIDE = { inlineSize: "100%", justifyContent: "center" };

/**
 * What will run if the user agrees: all of it, with whatever a text hides. What does not fit is
 * opened by a button that says how much there is.
 */
export function ReviewedArguments({ value, review }: { value: unknown; review: Review }) {
  const labels = useQuestionLabels();
  const { boxRef, contentRef, onScroll, missing, isOpen, open } = review;
  return (
    <>
      <div
        ref={boxRef}
        className="ps-card-body ps-args"
        role="group"
        aria-label={labels.toolArguments}
        tabIndex={0}
        data-open={isOpen || undefined}
        data-more={Boolean(missing) || undefined}
        onScroll={onScroll}
      >
        <div ref={contentRef}>
          <KeyValues value={value} whole />
        </div>
      </div>
      {Boolean(missing) && (
        <Button style={WIDE} onClick={open}>
          {labels.showMoreLines(missing!)}
        </Button>
      )}
      <p className="ps-sr-only" role="status">
        {missing === 0 ? labels.allIsShown : ""}
      </p>
    </>
  );
}
