import { useMemo } from "react";
import type { HistogramData, TimeSpan } from "../api/types.ts";
import { shortNumber } from "../lib/chart.ts";
import { iso, spanLabel } from "../state/time.ts";
import { layOut, plot, type Bar, type Geometry } from "./histogram-geometry.ts";
import { useBrush } from "./useBrush.ts";
import { useWidth } from "./useWidth.ts";
import "./histogram.css";

interface HistogramProps {
  data: HistogramData | null;
  /** The time the axis covers. */
  shown: TimeSpan;
  onSelect(range: TimeSpan): void;
}

/**
 * Requests over time, errors at the foot of each bar. Dragging, or Shift with the arrow keys and
 * Enter, narrows the time range.
 */
export function Histogram({ data, shown, onSelect }: HistogramProps) {
  const [ref, width] = useWidth<HTMLDivElement>();
  const geometry = useMemo(() => layOut(data, shown, width), [data, shown, width]);
  const { active, selection, dragging, handlers } = useBrush(geometry, (chosen) => onSelect(range(chosen)));
  const { bars } = geometry;

  return (
    <div className="histogram" ref={ref}>
      <div
        className="histogram-plot"
        role="slider"
        tabIndex={0}
        aria-label="Requests over time. Arrow keys move, Shift with arrow keys selects, Enter narrows the time range"
        aria-valuemin={0}
        aria-valuemax={Math.max(0, bars.length - 1)}
        aria-valuenow={active ? bars.indexOf(active) : 0}
        aria-valuetext={active ? barText(active) : summary(bars)}
        {...handlers}
      >
        {width > 0 && <Plot geometry={geometry} width={width} active={active} selection={selection} />}
      </div>
      {active && !dragging && <Tooltip bar={active} width={width} />}
    </div>
  );
}

interface PlotProps {
  geometry: Geometry;
  width: number;
  active: Bar | undefined;
  selection: { from: number; to: number } | null;
}

function Plot({ geometry, width, active, selection }: PlotProps) {
  const bottom = plot.height - plot.bottom;
  return (
    <svg width={width} height={plot.height} aria-hidden="true" focusable="false">
      {geometry.valueTicks.map(({ value, y }) => (
        <g key={value}>
          <line
            className={value === 0 ? "histogram-axis" : "histogram-grid"}
            x1={plot.left}
            x2={width - plot.right}
            y1={y}
            y2={y}
          />
          <text className="histogram-label" x={plot.left - 8} y={y + 4} textAnchor="end">
            {shortNumber(value)}
          </text>
        </g>
      ))}
      {geometry.timeTicks.map(({ at, label, x }) => (
        <g key={at}>
          <line className="histogram-axis" x1={x} x2={x} y1={bottom} y2={bottom + 4} />
          <text className="histogram-label" x={x} y={plot.height - 4} textAnchor={anchor(x, width)}>
            {label}
          </text>
        </g>
      ))}
      {geometry.bars.map((bar) => (
        <g key={bar.bucket.from} className="histogram-bar" data-active={bar === active ? "" : undefined}>
          <rect className="histogram-ok" x={bar.x} y={bar.okY} width={bar.width} height={bar.okHeight} />
          <rect className="histogram-error" x={bar.x} y={bar.errorY} width={bar.width} height={bar.errorHeight} />
        </g>
      ))}
      {selection && (
        <rect
          className="histogram-selection"
          x={geometry.x(selection.from)}
          y={plot.top}
          width={geometry.x(selection.to) - geometry.x(selection.from)}
          height={bottom - plot.top}
        />
      )}
    </svg>
  );
}

/** Labels at the edges stay inside. */
function anchor(x: number, width: number): "start" | "middle" | "end" {
  if (x < plot.left + 20) return "start";
  return x > width - plot.right - 20 ? "end" : "middle";
}

function Tooltip({ bar, width }: { bar: Bar; width: number }) {
  const middle = bar.x + bar.width / 2;
  const side = middle > width / 2 ? { right: width - middle + 12 } : { left: middle + 12 };
  const { count, errors } = bar.bucket;
  return (
    <div className="histogram-tooltip" style={side} aria-hidden="true">
      <div className="histogram-tooltip-time">{barSpan(bar)}</div>
      <dl>
        <dt>Requests</dt>
        <dd>{count.toLocaleString("en")}</dd>
        <dt>
          <span className="legend-dot" data-kind="error" />
          Errors
        </dt>
        <dd>
          {errors.toLocaleString("en")}
          <span className="muted">{count > 0 && ` · ${((100 * errors) / count).toFixed(1)} %`}</span>
        </dd>
      </dl>
    </div>
  );
}

/** The next bucket's first moment is not in it. */
function range({ from, to }: { from: number; to: number }): TimeSpan {
  return { from: iso(from), to: iso(to - 1) };
}

function barSpan(bar: Bar): string {
  return spanLabel(range(bar));
}

function barText(bar: Bar): string {
  return `${barSpan(bar)}: ${bar.bucket.count} requests, ${bar.bucket.errors} errors`;
}

function summary(bars: Bar[]): string {
  const top = bars.reduce<Bar | undefined>(
    (best, bar) => (bar.bucket.count > (best?.bucket.count ?? 0) ? bar : best),
    undefined,
  );
  return top ? `Peak ${barText(top)}` : "No requests";
}
