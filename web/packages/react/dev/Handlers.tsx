import { useSuggestedAction } from "../src/hooks/useSuggestedAction.js";
import { PayloadChart, PayloadDiff, type PayloadChartProps, type PayloadDiffProps } from "../src/charts.js";
import { usePayload } from "../src/hooks/usePayload.js";
import { useCodeAction } from "../src/markdown/index.js";

/** What a page registers: one type of card, with all that it may have. */
export function Handlers() {
  usePayload<{ query: string; why?: string }>("query_suggestion", {
    title: "Suggested query",
    acceptedLabel: "Query applied",
    acceptLabel: "Apply query",
    render: ({ data, streaming }) => (
      <>
        <pre className="ps-json" tabIndex={0} aria-label="Query">
          {data.query}
          {streaming && "…"}
        </pre>
        {data.why && <p style={{ marginBlockStart: 6 }}>{data.why}</p>}
      </>
    ),
    accept: () => {},
    undo: () => {},
  });
  usePayload<PayloadChartProps>("chart", { title: "Chart", render: ({ data }) => <PayloadChart {...data} /> });
  usePayload<PayloadDiffProps>("alert_changes", {
    title: "Changes to the alert",
    render: ({ data }) => <PayloadDiff {...data} />,
    accept: () => {},
    undo: () => {},
  });
  useCodeAction({ label: "Use as query", languages: ["ppl"], run: () => {} });
  useSuggestedAction("open_report", () => {});
  return null;
}
