import { IconButton, Button } from "../ui/Button.tsx";
import { Icon } from "../ui/Icon.tsx";
import { Popover } from "../ui/Popover.tsx";
import { QueryInput } from "../ui/QueryInput.tsx";
import { num } from "../ui/text.ts";
import { rangeLabel, spanLabel, timePresets } from "./time.ts";
import { useDiscover } from "./use-discover.ts";
import { sourceName, type TimeRange } from "./view.ts";

/** The data source, the query, its time range, and the button that runs it. */
export function QueryBar() {
  const { snapshot, dispatch, model, flash } = useDiscover();
  const { draft, view, results } = snapshot;
  const failed = results.status === "error" && draft === view.query && results.error.code === "ppl_error";
  const run = () => {
    const before = model.getSnapshot().view;
    dispatch({ type: "run", query: draft });
    if (model.getSnapshot().view === before) model.refresh();
  };
  return (
    <div className="query-row">
      <SourceMenu />
      <div className="query-box" {...flash("query")}>
        <QueryInput
          label="PPL query"
          value={draft}
          error={failed ? results.error : undefined}
          onChange={(text) => dispatch({ type: "edit-draft", draft: text })}
          onRun={run}
        />
      </div>
      <div className="query-actions">
        <TimePicker />
        <Button kind="primary" icon="play" className="run" title="Run (Enter)" onClick={run}>
          Run
        </Button>
      </div>
    </div>
  );
}

function SourceMenu() {
  const { snapshot, dispatch } = useDiscover();
  const sources = snapshot.info?.sources ?? [];
  const current = sourceName(snapshot.view.query);
  const label = sources.find(({ name }) => name === current)?.label ?? current;
  return (
    <Popover
      label="Data source"
      className="button run source-button"
      aria-label={`Data source: ${label}`}
      icon="database"
      menu
      text={<span className="wide-only">{label}</span>}
    >
      <ul className="source-list">
        {sources.map(({ name, label, description, total }) => (
          <li key={name}>
            <button
              type="button"
              data-close
              aria-current={name === current}
              onClick={() => dispatch({ type: "set-source", source: name })}
            >
              <strong>{label}</strong>
              <span className="muted">{num(total)} rows</span>
              <small>{description}</small>
            </button>
          </li>
        ))}
      </ul>
    </Popover>
  );
}

/** The time range, by presets that count back from the log's end; the histogram narrows it too. */
function TimePicker() {
  const { snapshot, dispatch, flash } = useDiscover();
  const { time } = snapshot.view;
  const presets = snapshot.info?.time ? timePresets(snapshot.info.time) : [];
  const isCurrent = (range: TimeRange | null) => range?.from === time?.from && range?.to === time?.to;
  return (
    <div className="time" data-narrow={Boolean(time) || undefined} {...flash("time")}>
      <Popover
        label="Time range"
        align="end"
        className="time-button"
        aria-label={`Time range: ${rangeLabel(time)}`}
        title={time ? spanLabel(time) : undefined}
        icon="clock"
        text={
          <>
            <span className="ellipsis">{rangeLabel(time)}</span>
            {!time && <Icon name="chevronDown" size={14} />}
          </>
        }
      >
        {presets.map(({ label, range }) => (
          <button
            key={label}
            type="button"
            data-close
            className="menu-item"
            aria-current={isCurrent(range) || undefined}
            onClick={() => dispatch({ type: "set", time: range })}
          >
            {label}
            {isCurrent(range) && <Icon name="check" size={14} />}
          </button>
        ))}
      </Popover>
      {time && (
        <IconButton
          icon="cross"
          label="Show the whole log"
          size={14}
          onClick={() => dispatch({ type: "set", time: null })}
        />
      )}
    </div>
  );
}
