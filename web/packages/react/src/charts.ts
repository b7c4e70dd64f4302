/** The charts for the `render` of a card. */
export { BarChart, LineChart, PayloadChart } from "./tray/cards/Charts.js";
export type { PayloadChartProps } from "./tray/cards/Charts.js";
export type { ChartDatum, ChartProps } from "./tray/cards/chartData.js";
