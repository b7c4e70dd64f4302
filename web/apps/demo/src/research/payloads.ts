import type { SchemaChanges } from "./stream-draft.ts";
import type { ArticleBrief, Column, Filters, ReportBrief, TrialForm } from "./types.ts";

/** The members of every proposed search. */
interface Proposal {
  explanation?: string;
  /** What it finds, and what is found now. */
  total?: number;
  currentTotal?: number;
}

/** The data of Research's payloads, by type. While one streams, any part may be missing. */
export interface Payloads {
  schema_proposal: {
    proposed_changes: SchemaChanges;
    confidence: "low" | "medium" | "high";
    reasoning: string;
  };
  retrieval_proposal: Proposal & { query: string; filters?: Filters; maxResults?: number; reasoning: string };
  query_suggestion: Proposal & { query: string };
  filter_suggestion: Proposal & { filters: Filters };
  ai_column_suggestion: Column & { target: "articles" | "trials"; filter?: boolean; explanation?: string };
  trial_search_suggestion: Proposal & { form: TrialForm };
  pubmed_search_results: { query: string; total: number; articles: ArticleBrief[] };
  validation_results: {
    valid: boolean;
    articles: number;
    checks: { id: string; status: "ok" | "warning" | "error"; label: string; message: string }[];
    coverage: { name: string; filled: number; total: number }[];
  };
  report_comparison: {
    left: Partial<ReportBrief>;
    right: Partial<ReportBrief>;
    kept: number;
    added: ArticleBrief[];
    removed: ArticleBrief[];
    addedTotal: number;
    removedTotal: number;
  };
}
