import { useState, type FormEvent } from "react";
import { useDiscover } from "../app/discover-context.ts";
import { iso, rangeLabel, spanLabel, timePresets } from "../state/time.ts";
import type { TimeRange } from "../state/view.ts";
import { Icon } from "./Icon.tsx";
import { Popover } from "./Popover.tsx";
import { useFlash } from "./useFlash.ts";
import "./time-picker.css";

/** The time range: presets that count back from the log's end, or two times. */
export function TimePicker() {
  const { snapshot, dispatch } = useDiscover();
  const { time } = snapshot.view;
  const set = (range: TimeRange | null) => dispatch({ type: "set-time", time: range });
  return (
    <div className="time" data-narrow={time ? "" : undefined} {...useFlash("time")}>
      <Popover
        label="Time range"
        align="end"
        button={(props) => (
          <button
            type="button"
            className="time-button"
            aria-label={`Time range: ${rangeLabel(time)}`}
            title={time ? spanLabel(time) : undefined}
            {...props}
          >
            <Icon name="clock" />
            <span className="time-label">{rangeLabel(time)}</span>
            {!time && <Icon name="chevronDown" size={14} />}
          </button>
        )}
      >
        {(close) => (
          <TimePanel
            onPick={(range) => {
              set(range);
              close();
            }}
          />
        )}
      </Popover>
      {time && (
        <button
          type="button"
          className="time-clear"
          aria-label="Show the whole log"
          title="Show the whole log"
          onClick={() => set(null)}
        >
          <Icon name="cross" size={14} />
        </button>
      )}
    </div>
  );
}

function TimePanel({ onPick }: { onPick(range: TimeRange | null): void }) {
  const { info, view } = useDiscover().snapshot;
  const log = info?.time;
  const presets = log ? timePresets(log) : [];
  return (
    <div className="time-panel">
      <ul className="menu">
        {presets.map(({ label, range }) => {
          const current = range?.from === view.time?.from && range?.to === view.time?.to;
          return (
            <li key={label}>
              <button
                type="button"
                className="menu-item"
                aria-current={current || undefined}
                onClick={() => onPick(range)}
              >
                {label}
                {current && <Icon name="check" size={14} />}
              </button>
            </li>
          );
        })}
      </ul>
      {log && <CustomRange start={view.time ?? { from: log.min, to: log.max }} onPick={onPick} />}
    </div>
  );
}

/**
 * Two inputs in UTC: the browser's own pickers know no zone, so the values are shown and read as
 * they stand.
 */
function CustomRange({ start, onPick }: { start: TimeRange; onPick(range: TimeRange): void }) {
  const [from, setFrom] = useState(inputValue(start.from));
  const [to, setTo] = useState(inputValue(start.to));
  const range = { from: Date.parse(`${from}Z`), to: Date.parse(`${to}Z`) };
  const valid = range.from < range.to;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (valid) onPick({ from: iso(range.from), to: iso(range.to) });
  };
  return (
    <form className="time-custom" onSubmit={submit}>
      <label>
        From <span className="muted">UTC</span>
        <input
          className="input"
          type="datetime-local"
          step="1"
          value={from}
          onChange={(event) => setFrom(event.target.value)}
        />
      </label>
      <label>
        To <span className="muted">UTC</span>
        <input
          className="input"
          type="datetime-local"
          step="1"
          value={to}
          onChange={(event) => setTo(event.target.value)}
        />
      </label>
      <p className="time-problem" role="status">
        {!valid && "The start must be before the end."}
      </p>
      <button type="submit" className="button button-primary" disabled={!valid}>
        Apply
      </button>
    </form>
  );
}

function inputValue(time: string): string {
  return iso(Date.parse(time)).slice(0, 19);
}
