import { usePayload } from "@pageside/react";
import {
  ChartView,
  ColumnView,
  ComparisonView,
  FilterView,
  QueryView,
  RetrievalView,
  SchemaView,
  SearchResultsView,
  TrialSearchView,
  ValidationView,
} from "./CardViews.tsx";
import type {
  ChartData,
  ColumnSuggestion,
  FilterSuggestion,
  QuerySuggestion,
  ReportComparison,
  RetrievalProposal,
  SchemaProposal,
  SearchResults,
  TrialSearchSuggestion,
  Validation,
} from "./payloads.ts";

/**
 * How the cards look, on every page: a conversation keeps its look when the user navigates. What
 * accepting one does is registered by the page it can be applied to, later, so it stands before
 * these.
 */
export function CardLooks() {
  usePayload<SearchResults>("pubmed_search_results", {
    title: "Articles",
    render: ({ data }) => <SearchResultsView data={data} />,
  });
  usePayload<Validation>("validation_results", {
    title: "Check of the stream",
    render: ({ data }) => <ValidationView data={data} />,
  });
  usePayload<ReportComparison>("report_comparison", {
    title: "Two reports compared",
    render: ({ data }) => <ComparisonView data={data} />,
  });
  usePayload<ChartData>("chart", {
    title: ({ title }) => title ?? "Chart",
    render: ({ data }) => <ChartView data={data} />,
  });
  usePayload<SchemaProposal>("schema_proposal", looks.schema);
  usePayload<RetrievalProposal>("retrieval_proposal", looks.retrieval);
  usePayload<QuerySuggestion>("query_suggestion", looks.query);
  usePayload<FilterSuggestion>("filter_suggestion", looks.filter);
  usePayload<ColumnSuggestion>("ai_column_suggestion", looks.column);
  usePayload<TrialSearchSuggestion>("trial_search_suggestion", looks.trials);
  return null;
}

/** The looks of what can be accepted, for the pages that do so. */
export const looks = {
  schema: {
    title: "Proposed schema",
    acceptedLabel: "Schema changed",
    render: ({ data }: { data: Partial<SchemaProposal> }) => <SchemaView data={data} />,
  },
  retrieval: {
    title: "Proposed retrieval",
    acceptedLabel: "Retrieval changed",
    render: ({ data }: { data: Partial<RetrievalProposal> }) => <RetrievalView data={data} />,
  },
  query: {
    title: "Suggested query",
    acceptedLabel: "Query applied",
    render: ({ data }: { data: Partial<QuerySuggestion> }) => <QueryView data={data} />,
  },
  filter: {
    title: "Suggested filters",
    acceptedLabel: "Filters applied",
    render: ({ data }: { data: Partial<FilterSuggestion> }) => <FilterView data={data} />,
  },
  column: {
    title: "Suggested column",
    acceptedLabel: "Column added",
    render: ({ data }: { data: Partial<ColumnSuggestion> }) => <ColumnView data={data} />,
  },
  trials: {
    title: "Suggested trial search",
    acceptedLabel: "Search applied",
    render: ({ data }: { data: Partial<TrialSearchSuggestion> }) => <TrialSearchView data={data} />,
  },
};
