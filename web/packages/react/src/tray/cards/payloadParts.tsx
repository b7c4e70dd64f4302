import { lazyPart } from "../../ui/lazyPart.js";
import type { ChartProps } from "./chartData.js";
import type { PayloadChartProps } from "./Charts.js";
import type { PayloadDiffProps } from "./Diff.js";

// Parts for the `render` of a card. Each is loaded when first drawn.

const placeholder = <div className="ps-card-placeholder ps-shimmer" />;
const load = () => import("./Charts.js");

/**
 * A chart for a card: bars or a line, with the same data as a table. The data may still be
 * arriving.
 *
 * @example
 * usePayload("top_pages", {
 *   render: ({ data }) => <PayloadChart type="bar" data={data.rows} unit="hits" />,
 * });
 */
export const PayloadChart = /* @__PURE__ */ lazyPart<PayloadChartProps>(
  () => load().then((module) => module.PayloadChart),
  placeholder,
);
/** Horizontal bars, so that labels may be long. */
export const BarChart = /* @__PURE__ */ lazyPart<ChartProps>(
  () => load().then((module) => module.BarChart),
  placeholder,
);
/** A line, for values in an order: over time, for instance. */
export const LineChart = /* @__PURE__ */ lazyPart<ChartProps>(
  () => load().then((module) => module.LineChart),
  placeholder,
);

/**
 * What a proposal changes, field by field, for a card with Accept and Dismiss.
 *
 * @example
 * usePayload("stream_changes", {
 *   render: ({ data }) => <PayloadDiff before={stream} after={data} />,
 *   accept: save,
 * });
 */
export const PayloadDiff = /* @__PURE__ */ lazyPart<PayloadDiffProps>(
  () => import("./Diff.js").then((module) => module.PayloadDiff),
  placeholder,
);

export type { ChartProps, PayloadChartProps, PayloadDiffProps };
export type { ChartDatum } from "./chartData.js";
