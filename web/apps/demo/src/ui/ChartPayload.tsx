import { usePayload } from "@pageside/react";
import { PayloadChart, type PayloadChartProps } from "@pageside/react/charts";

interface ChartData extends Pick<PayloadChartProps, "type" | "data" | "unit"> {
  title?: string;
  /** What is not shown. */
  note?: string;
}

/** Draws the charts that the assistant makes. */
export function useChartPayload(): void {
  usePayload<ChartData>("chart", {
    title: ({ title }) => title ?? "Chart",
    render: ({ data: { type = "bar", data = [], unit, note } }) => (
      <>
        <PayloadChart type={type} data={data} unit={unit} />
        {note && <p className="muted">{note}</p>}
      </>
    ),
  });
}
