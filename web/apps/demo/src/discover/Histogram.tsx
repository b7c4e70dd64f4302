import { num } from "../ui/text.ts";
import { histogramSpan, useBrush, valueTicks } from "./histogram.ts";
import { peak } from "./results.ts";
import { intervalLabel, intervalMs, iso, spanLabel, timeTicks } from "./time.ts";
import type { Bucket, HistogramData, TimeSpan } from "./types.ts";
import { useDiscover } from "./use-discover.ts";

/** How many requests matched, and when. */
export function HistogramPanel() {
  const { snapshot, dispatch } = useDiscover();
  const { results, view, info } = snapshot;
  const data = results.status === "error" ? null : results.data;
  const loading = results.status === "loading";
  return (
    <section className="panel histogram-panel" aria-label="Requests over time" aria-busy={loading}>
      <header className="histogram-head">
        <p className="stats" aria-live="polite">
          <strong>{data ? num(data.matched) : "–"}</strong>
          <span className="muted"> of {info ? num(info.total) : "–"} requests</span>
        </p>
        {data && (
          <small>
            per {intervalLabel(data.histogram.interval)} · {data.tookMs < 1 ? "under 1" : Math.round(data.tookMs)} ms
          </small>
        )}
        <span className="spring" />
        <ul className="legend" aria-label="Colours">
          <li data-kind="ok">OK</li>
          <li data-kind="error">Errors (4xx, 5xx)</li>
        </ul>
      </header>
      <Histogram
        data={data?.histogram ?? { interval: "1h", buckets: [] }}
        onSelect={(range) => dispatch({ type: "set", time: within(range, view.time) })}
      />
    </section>
  );
}

/** The edge buckets may exceed the chosen range, which must not become wider. */
function within(range: TimeSpan, limits: TimeSpan | null): TimeSpan {
  if (!limits) return range;
  const from = Math.max(Date.parse(range.from), Date.parse(limits.from));
  const to = Math.min(Date.parse(range.to), Date.parse(limits.to));
  return from < to ? { from: iso(from), to: iso(to) } : range;
}

/**
 * Requests over time, with the errors at the foot of each bar. Dragging, or Shift with the arrow
 * keys and Enter, narrows the time range.
 */
function Histogram({ data, onSelect }: { data: HistogramData; onSelect(range: TimeSpan): void }) {
  const { buckets, interval } = data;
  // The next bucket's first moment is not in it.
  const span = (first: Bucket, last = first): TimeSpan => ({
    from: first.from,
    to: iso(Date.parse(last.from) + intervalMs(interval) - 1),
  });
  const text = (bucket: Bucket) => `${spanLabel(span(bucket))}: ${bucket.count} requests, ${bucket.errors} errors`;
  const { active, selection, handlers } = useBrush(buckets.length, (first, last) =>
    onSelect(span(buckets[first]!, buckets[last])),
  );
  const top = peak(data);
  const bucket = buckets[active ?? -1];
  const ticks = valueTicks(top?.count ?? 0, 3);
  const height = (value: number) => `${(100 * value) / (ticks.at(-1)! || 1)}%`;
  const x = (index: number) => `${(100 * index) / buckets.length}%`;
  return (
    <div className="histogram" dir="ltr">
      {ticks.map((value) => (
        <div key={value} className="histogram-line" style={{ bottom: height(value) }} aria-hidden="true">
          {shortNumber.format(value)}
        </div>
      ))}
      <div
        className="histogram-plot"
        role="slider"
        tabIndex={0}
        aria-label="Requests over time. Arrow keys move, Shift with arrow keys selects, Enter narrows the time range"
        aria-valuemin={0}
        aria-valuemax={Math.max(0, buckets.length - 1)}
        aria-valuenow={active ?? 0}
        aria-valuetext={bucket ? text(bucket) : top ? `Peak ${text(top)}` : "No requests"}
        {...handlers}
      >
        {buckets.map((bucket, index) => (
          <span
            key={bucket.from}
            className="histogram-bar"
            style={{ height: height(bucket.count) }}
            data-active={index === active || undefined}
            title={text(bucket)}
          >
            {bucket.errors > 0 && <span style={{ height: `${(100 * bucket.errors) / bucket.count}%` }} />}
          </span>
        ))}
        {selection && (
          <span
            className="histogram-selection"
            style={{ left: x(selection[0]!), width: x(selection[1]! + 1 - selection[0]!) }}
          />
        )}
      </div>
      <Times span={histogramSpan(data)} />
    </div>
  );
}

const shortNumber = new Intl.NumberFormat("en", { notation: "compact" });

function Times({ span }: { span: TimeSpan | null }) {
  if (!span) return null;
  const [from, to] = [Date.parse(span.from), Date.parse(span.to)];
  return timeTicks(from, to, 10).map(({ at, label }) => (
    <span
      key={at}
      className="histogram-time"
      style={{ left: `${(100 * (at - from)) / (to - from)}%` }}
      aria-hidden="true"
    >
      {label}
    </span>
  ));
}
