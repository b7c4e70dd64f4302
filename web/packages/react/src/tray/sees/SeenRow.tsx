import { useId, useState } from "react";
import { usePanelLabels } from "../../labels/panels.js";
import { ChevronIcon } from "../../ui/icons.js";
import type { SeenItem } from "./useSees.js";

const MOST_SHOWN = 20_000;

/** One item: its title, size and switch; unfolded, exactly what is sent. */
export function SeenRow({ item, onSwitch }: { item: SeenItem; onSwitch: (on: boolean) => void }) {
  const labels = usePanelLabels();
  const [open, setOpen] = useState(false);
  const id = useId();
  const { title, description, value, included, auto, kind, source, contextKind, tokens } = item;
  const when = included ? labels.sentWhen(auto) : labels.notSent;
  const facts = [
    contextKind && labels.kindName(contextKind),
    source && labels.fromSource(source),
    kind === "context" && when,
    tokens > 0 && labels.tokens(tokens),
  ].filter(Boolean);

  return (
    <li className="ps-seen" data-off={!included || undefined}>
      <div className="ps-seen-head">
        <button type="button" aria-expanded={open} aria-controls={open ? id : undefined} onClick={() => setOpen(!open)}>
          <ChevronIcon />
          <span className="ps-seen-text">
            <span className="ps-seen-title" dir="auto">
              {title}
            </span>
            {kind === "tool" && description && (
              <span className="ps-seen-facts ps-text-sm" dir="auto">
                {description}
              </span>
            )}
            <span className="ps-seen-facts ps-text-sm">{facts.join(" · ")}</span>
          </span>
        </button>
        <input
          type="checkbox"
          role="switch"
          className="ps-switch"
          aria-label={labels.include(title)}
          checked={included}
          onChange={(event) => onSwitch(event.target.checked)}
        />
      </div>
      {open && (
        <div id={id} className="ps-seen-value">
          {description && <p dir="auto">{description}</p>}
          {value === undefined ? (
            <p className="ps-muted">{labels.noValue}</p>
          ) : (
            <pre
              className="ps-json"
              dir={kind === "instructions" ? "auto" : "ltr"}
              tabIndex={0}
              role="group"
              aria-label={kind === "tool" ? labels.toolArguments : title}
            >
              {value.length > MOST_SHOWN ? `${value.slice(0, MOST_SHOWN)}…` : value}
            </pre>
          )}
        </div>
      )}
    </li>
  );
}
