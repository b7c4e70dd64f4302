/** Parts for the `render` of a card: charts, and what a proposal changes. */
export { BarChart, LineChart, PayloadChart } from "./tray/cards/Charts.js";
export type { PayloadChartProps } from "./tray/cards/Charts.js";
export type { ChartDatum, ChartProps } from "./tray/cards/chartData.js";
export { PayloadDiff } from "./tray/cards/Diff.js";
export type { PayloadDiffProps } from "./tray/cards/Diff.js";
