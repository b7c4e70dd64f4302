import { useId, useState, type CSSProperties, type ReactNode } from "react";
import { useMessageLabels } from "../../labels/messages.js";
import { Button } from "../../ui/Button.js";
import { axisTicks, formatValue, readData, type ChartDatum, type ChartProps } from "./chartData.js";

// Styles are here, not in the style sheet, so that they load with the charts.
const column: CSSProperties = { display: "flex", flexDirection: "column", gap: 6 };
const ACCENT = "var(--ps-accent)";
const block: CSSProperties = { display: "block", inlineSize: "100%" };
const muted: CSSProperties = { color: "var(--ps-muted)" };
const cut: CSSProperties = { minInlineSize: 0, overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap" };
const number: CSSProperties = { ...muted, fontVariantNumeric: "tabular-nums", whiteSpace: "nowrap" };
const cell: CSSProperties = {
  padding: "3px 0",
  border: 0,
  borderBlockEnd: "1px solid var(--ps-border)",
  textAlign: "start",
  fontWeight: 400,
};
const last: CSSProperties = { ...cell, textAlign: "end", fontVariantNumeric: "tabular-nums" };

/** The props of `<PayloadChart>`. */
export interface PayloadChartProps extends ChartProps {
  /**
   * How the data are drawn. A model may name another shape, such as a pie: its data are bars.
   * @defaultValue `"bar"`
   */
  type?: "bar" | "line";
}

/**
 * A chart for a card: bars or a line, with the same data as a table. The data may still be
 * arriving.
 *
 * @example
 * usePayload("top_pages", {
 *   render: ({ data }) => <PayloadChart type="bar" data={data.rows} unit="hits" />,
 * });
 */
export function PayloadChart({ type, ...props }: PayloadChartProps) {
  return type === "line" ? <LineChart {...props} /> : <BarChart {...props} />;
}

/** Horizontal bars, so that labels may be long: pages, queries, names. */
export function BarChart(props: ChartProps) {
  return (
    <Frame {...props}>
      {(data) => {
        const largest = Math.max(...data.map(({ value }) => Math.abs(value)), Number.MIN_VALUE);
        return (
          <div style={column} aria-hidden="true">
            {data.map(({ label, value }, index) => (
              <div key={index} style={{ display: "grid", gridTemplateColumns: "1fr auto", gap: "2px 12px" }}>
                <span style={cut} dir="auto" title={label}>
                  {label}
                </span>
                <span style={number}>{formatValue(value, props.unit)}</span>
                <svg
                  height="6"
                  style={{ ...block, gridColumn: "1 / -1", color: value < 0 ? "var(--ps-danger)" : ACCENT }}
                >
                  <rect width="100%" height="6" rx="3" fill="currentColor" opacity="0.12" />
                  <rect width={`${(Math.abs(value) / largest) * 100}%`} height="6" rx="3" fill="currentColor" />
                </svg>
              </div>
            ))}
          </div>
        );
      }}
    </Frame>
  );
}

const WIDTH = 300;
const HEIGHT = 96;

/** Values in order, such as over time. */
export function LineChart(props: ChartProps) {
  const { unit = "" } = props;
  const isShort = unit.length <= SHORT_UNIT;
  return (
    <Frame {...props}>
      {(data) => {
        const values = data.map(({ value }) => value);
        const ticks = axisTicks(Math.min(...values), Math.max(...values));
        const y = (value: number) => 2 + ((ticks.at(-1)! - value) / (ticks.at(-1)! - ticks[0]!)) * (HEIGHT - 4);
        return (
          <div dir="ltr" aria-hidden="true">
            {!isShort && <span style={muted}>{unit}</span>}
            <div style={{ display: "grid", gridTemplateColumns: "auto 1fr", gap: "4px 8px", paddingBlock: "6px 0" }}>
              <div style={{ display: "grid", alignContent: "start", justifyItems: "end" }}>
                {ticks.map((tick) => (
                  <span key={tick} style={{ ...number, gridArea: "1 / 1", transform: `translateY(${y(tick) - 8}px)` }}>
                    {formatValue(tick, isShort ? unit : "")}
                  </span>
                ))}
              </div>
              <Line values={values} ticks={ticks} y={y} />
              <span style={{ ...muted, gridColumn: 2, display: "flex", justifyContent: "space-between", gap: 12 }}>
                <span>{data[0]?.label}</span>
                <span>{data.length > 4 && data[Math.floor(data.length / 2)]?.label}</span>
                <span>{data.length > 1 && data.at(-1)?.label}</span>
              </span>
            </div>
          </div>
        );
      }}
    </Frame>
  );
}

/** A unit of so many characters stands behind each number of an axis, a longer one above them. */
const SHORT_UNIT = 3;

/** The line, the area below it, and a line for each tick. */
function Line({ values, ticks, y }: { values: number[]; ticks: number[]; y: (value: number) => number }) {
  const x = (index: number) => (values.length < 2 ? WIDTH / 2 : (index / (values.length - 1)) * WIDTH);
  const points = values.map((value, index) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`);
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      height={HEIGHT}
      preserveAspectRatio="none"
      style={{ ...block, color: ACCENT }}
    >
      <path
        d={ticks.map((tick) => `M0,${y(tick)} H${WIDTH}`).join(" ")}
        fill="none"
        style={{ stroke: "var(--ps-border)" }}
        vectorEffect="non-scaling-stroke"
      />
      <path
        d={`M${x(0)},${y(0)} L${points.join(" L")} L${x(values.length - 1)},${y(0)} Z`}
        fill="currentColor"
        opacity="0.12"
      />
      <path
        d={`M${points.join(" L")}`}
        fill="none"
        stroke="currentColor"
        strokeWidth="2"
        strokeLinejoin="round"
        strokeLinecap="round"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}

interface FrameProps extends ChartProps {
  children: (data: ChartDatum[]) => ReactNode;
}

/** Title, drawing and table. Screen readers always have the table, others on demand. */
function Frame({ title, data: given, unit, children }: FrameProps) {
  const labels = useMessageLabels();
  const [table, setTable] = useState(false);
  const titleId = useId();
  const data = readData(given);
  if (data.length === 0) return <p className="ps-muted">{labels.chartEmpty}</p>;
  return (
    <figure
      style={{ ...column, gap: 8, margin: 0, fontSize: 12, lineHeight: "16px" }}
      aria-labelledby={title ? titleId : undefined}
    >
      {title && (
        <figcaption id={titleId} dir="auto" style={{ fontWeight: 600 }}>
          {title}
        </figcaption>
      )}
      {!table && children(data)}
      <Table data={data} unit={unit} isShown={table} />
      <Button
        look="ghost"
        style={{
          ...muted,
          alignSelf: "flex-start",
          blockSize: 24,
          marginInlineStart: -8,
          paddingInline: 8,
          fontFamily: "inherit",
          fontSize: 12,
        }}
        aria-pressed={table}
        onClick={() => setTable(!table)}
      >
        {labels.showTable}
      </Button>
    </figure>
  );
}

interface TableProps extends Pick<FrameProps, "unit"> {
  data: readonly ChartDatum[];
  /** Also for those who see the drawing? */
  isShown: boolean;
}

function Table({ data, unit, isShown }: TableProps) {
  const labels = useMessageLabels();
  return (
    <table
      className={isShown ? undefined : "ps-sr-only"}
      style={isShown ? { inlineSize: "100%", borderCollapse: "collapse" } : undefined}
    >
      <thead>
        <tr>
          <th scope="col" style={cell}>
            {labels.chartLabel}
          </th>
          <th scope="col" style={last}>
            {labels.chartValue}
          </th>
        </tr>
      </thead>
      <tbody>
        {data.map(({ label, value }, index) => (
          <tr key={index}>
            <th scope="row" dir="auto" style={cell}>
              {label}
            </th>
            <td style={last}>{formatValue(value, unit)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
