import { shortNumber } from "../lib/chart.ts";
import "./chart-card.css";

export interface ChartData {
  type?: "bar" | "line" | "donut";
  title?: string;
  data?: { label: string; value: number }[];
  unit?: string;
}

type Points = NonNullable<ChartData["data"]>;

/** A chart in the conversation. Its numbers also stand in a list for those who do not see it. */
export function ChartCard({ data: { type = "bar", title = "Chart", data = [], unit = "" } }: { data: ChartData }) {
  if (data.length === 0) return null;
  return (
    <figure className="chart-card" aria-label={`${title}${unit && `, ${unit}`}`}>
      {type === "line" ? <Line points={data} /> : type === "donut" ? <Donut points={data} /> : <Bars points={data} />}
      {type === "line" && <Values points={data} unit={unit} />}
    </figure>
  );
}

/** What only screen readers get. */
function Values({ points, unit }: { points: Points; unit: string }) {
  return (
    <ul className="sr-only">
      {points.map(({ label, value }) => (
        <li key={label}>
          {label}: {value.toLocaleString("en")} {unit}
        </li>
      ))}
    </ul>
  );
}

function Bars({ points }: { points: Points }) {
  const most = Math.max(...points.map(({ value }) => value), 0);
  return (
    <dl className="chart-bars">
      {points.map(({ label, value }) => (
        <div key={label}>
          <dt title={label}>{label}</dt>
          <dd>
            <span className="chart-bar" style={{ width: `${most > 0 ? (100 * Math.max(value, 0)) / most : 0}%` }} />
            <span className="chart-value">{value.toLocaleString("en", { maximumFractionDigits: 2 })}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

const wide = 320;
const tall = 120;

function Line({ points }: { points: Points }) {
  const most = Math.max(...points.map(({ value }) => value), 1);
  const step = points.length > 1 ? wide / (points.length - 1) : 0;
  const place = points.map(
    ({ value }, index) => `${(index * step).toFixed(1)},${(tall - (tall * value) / most).toFixed(1)}`,
  );
  return (
    <div className="chart-line" aria-hidden="true">
      <span className="chart-most">{shortNumber(most)}</span>
      <svg viewBox={`0 -4 ${wide} ${tall + 8}`} preserveAspectRatio="none">
        <polygon className="chart-area" points={`0,${tall} ${place.join(" ")} ${wide},${tall}`} />
        <polyline className="chart-stroke" points={place.join(" ")} vectorEffect="non-scaling-stroke" />
      </svg>
      <div className="chart-ends">
        <span>{points[0]!.label}</span>
        <span>{points.at(-1)!.label}</span>
      </div>
    </div>
  );
}

const round = 2 * Math.PI * 40;

function Donut({ points }: { points: Points }) {
  const total = points.reduce((sum, { value }) => sum + Math.max(value, 0), 0) || 1;
  const starts = points.map((_, index) =>
    points.slice(0, index).reduce((sum, { value }) => sum + Math.max(value, 0), 0),
  );
  return (
    <div className="chart-donut">
      <svg viewBox="0 0 100 100" aria-hidden="true">
        {points.map(({ label, value }, index) => (
          <circle
            key={label}
            className="chart-slice"
            data-slice={index % 8}
            cx="50"
            cy="50"
            r="40"
            strokeDasharray={`${(round * Math.max(value, 0)) / total} ${round}`}
            strokeDashoffset={-(round * starts[index]!) / total}
          />
        ))}
      </svg>
      <ul>
        {points.map(({ label, value }, index) => (
          <li key={label}>
            <span className="chart-key" data-slice={index % 8} aria-hidden="true" />
            <span className="chart-label">{label}</span>
            <span className="chart-value">{((100 * value) / total).toFixed(1)}%</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
