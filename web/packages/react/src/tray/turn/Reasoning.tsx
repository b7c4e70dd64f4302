import { memo, useEffect, useState } from "react";
import { useMessageLabels } from "../../labels/messages.js";
import { Markdown } from "../../markdown/index.js";
import { formatElapsed } from "../../ui/format.js";
import { BulbIcon } from "../../ui/icons.js";
import { Disclosure } from "../transcript/Disclosure.js";
import { useGrowingText } from "./settled.js";

interface ReasoningProps {
  /** The message. */
  id: string;
  text: string;
  streaming: boolean;
}

/** The model's reasoning: one line that opens. It shows the duration if it was observed. */
export const Reasoning = memo(function Reasoning({ id, text, streaming }: ReasoningProps) {
  const labels = useMessageLabels();
  const [open, setOpen] = useState(false);
  const written = useGrowingText(id, text, streaming && open);
  const duration = formatElapsed(useDuration(id, streaming), labels);
  const over = duration ? labels.reasonedFor(duration) : labels.reasoning(false);
  return (
    <div className="ps-reasoning">
      <Disclosure icon={<BulbIcon />} open={open} onToggle={setOpen}>
        <span className={streaming ? "ps-tool-label ps-shimmer" : "ps-tool-label"}>
          {streaming ? labels.reasoning(true) : over}
        </span>
      </Disclosure>
      {open && (
        <div className="ps-reasoning-text ps-text-md ps-muted">
          <Markdown source={written} streaming={streaming} />
        </div>
      )}
    </div>
  );
});

/** By message: the turn may be drawn anew. */
const durations = new Map<string, number>();

/**
 * Milliseconds from when something was first seen going on to its end; 0 before that, and where it
 * was over by then.
 */
function useDuration(id: string, active: boolean): number {
  const [duration, setDuration] = useState(() => durations.get(id) ?? 0);
  useEffect(() => {
    if (!active) return;
    const begin = Date.now();
    return () => {
      durations.set(id, (durations.get(id) ?? 0) + Date.now() - begin);
      setDuration(durations.get(id)!);
    };
  }, [id, active]);
  return active ? 0 : duration;
}
