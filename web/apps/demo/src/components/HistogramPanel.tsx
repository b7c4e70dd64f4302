import { useDiscover } from "../app/discover-context.ts";
import type { LogTime, TimeSpan } from "../api/types.ts";
import { intervalLabel, iso } from "../state/time.ts";
import { Histogram } from "./Histogram.tsx";
import { histogramSpan } from "./histogram-geometry.ts";

/** How much matched, and when. */
export function HistogramPanel() {
  const { snapshot, dispatch } = useDiscover();
  const { results, view, info } = snapshot;
  const data = results.status === "error" ? null : results.data;
  const shown = histogramSpan(data?.histogram ?? null) ?? view.time ?? logSpan(info?.time);
  return (
    <section className="panel histogram-panel" aria-label="Requests over time" aria-busy={results.status === "loading"}>
      <header className="histogram-head">
        <p className="stats" aria-live="polite">
          <strong>{data ? data.matched.toLocaleString("en") : "–"}</strong>
          <span className="muted"> of {info ? info.total.toLocaleString("en") : "–"} requests</span>
        </p>
        {data && (
          <p className="stats-more muted">
            per {intervalLabel(data.histogram.interval)} · {data.tookMs < 1 ? "under 1" : Math.round(data.tookMs)} ms
          </p>
        )}
        <span className="spring" />
        <ul className="legend" aria-label="Colours">
          <li>
            <span className="legend-dot" data-kind="ok" />
            OK
          </li>
          <li>
            <span className="legend-dot" data-kind="error" />
            Errors (4xx, 5xx)
          </li>
        </ul>
      </header>
      {shown ? (
        <Histogram
          data={data?.histogram ?? null}
          shown={shown}
          onSelect={(range) => dispatch({ type: "set-time", time: within(range, view.time) })}
        />
      ) : (
        <div className="histogram-placeholder" />
      )}
      <div className="progress" data-on={results.status === "loading" ? "" : undefined} />
    </section>
  );
}

function logSpan(log: LogTime | null | undefined): TimeSpan | null {
  return log ? { from: log.min, to: log.max } : null;
}

/** The edge buckets may reach over the chosen range; narrowing never widens. */
function within(range: TimeSpan, limits: TimeSpan | null): TimeSpan {
  if (!limits) return range;
  const from = Math.max(Date.parse(range.from), Date.parse(limits.from));
  const to = Math.min(Date.parse(range.to), Date.parse(limits.to));
  return from < to ? { from: iso(from), to: iso(to) } : range;
}
