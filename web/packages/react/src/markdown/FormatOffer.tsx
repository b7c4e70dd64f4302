import { useEffect, useState } from "react";
import { useLatest } from "../hooks/effects.js";
import { useMessageLabels } from "../labels/messages.js";
import type { Formatting } from "./formatting.js";

/** Asks again after so many tokens: more of them at once make the page slow. */
const PER_ROUND = 20_000;

const NO_MARGIN = { margin: 0 };

interface FormatOfferProps {
  formatting: Formatting;
  /** More was formatted: `count` is another number each time. */
  onChange: (count: number) => void;
}

/** Says that some of a text is plain, and formats it at the user's wish, until they stop it. */
export function FormatOffer({ formatting, onChange }: FormatOfferProps) {
  const labels = useMessageLabels();
  const [isGoing, setGoing] = useState(false);
  const latest = useLatest(onChange);

  useEffect(() => {
    if (!isGoing) return;
    let count = 0;
    let frame = requestAnimationFrame(function format() {
      count += formatting.step();
      latest.current(performance.now());
      if (count < PER_ROUND && formatting.isOffered) frame = requestAnimationFrame(format);
      else setGoing(false);
    });
    return () => cancelAnimationFrame(frame);
  }, [isGoing, formatting, latest]);

  return (
    <div className="ps-connection" style={NO_MARGIN} role="note">
      <span>{isGoing ? labels.formatting : labels.shownPlain}</span>
      <button type="button" className="ps-button" onClick={() => setGoing(!isGoing)}>
        {isGoing ? labels.stop : labels.showFormatted}
      </button>
    </div>
  );
}
