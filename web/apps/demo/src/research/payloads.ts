import type { SchemaChanges } from "./stream-draft.ts";
import type { ArticleBrief, Column, Filters, ReportBrief, TrialForm } from "./types.ts";

/*
 * The data of Research's payloads. While one streams, any part may be missing: hence `Partial` when
 * drawing.
 */

/** pubmed_search_results */
export interface SearchResults {
  query: string;
  total: number;
  articles: ArticleBrief[];
}

/** schema_proposal */
export interface SchemaProposal {
  proposed_changes: SchemaChanges;
  confidence: "low" | "medium" | "high";
  reasoning: string;
}

/** The members of every proposed search. */
export interface Proposal {
  explanation?: string;
  /** What it finds, and what is found now. */
  total?: number;
  currentTotal?: number;
}

/** retrieval_proposal */
export interface RetrievalProposal extends Proposal {
  query: string;
  filters?: Filters;
  maxResults?: number;
  reasoning: string;
}

/** query_suggestion */
export interface QuerySuggestion extends Proposal {
  query: string;
}

/** filter_suggestion */
export interface FilterSuggestion extends Proposal {
  filters: Filters;
}

/** ai_column_suggestion */
export interface ColumnSuggestion extends Column {
  target: "articles" | "trials";
  filter?: boolean;
  explanation?: string;
}

/** trial_search_suggestion */
export interface TrialSearchSuggestion extends Proposal {
  form: TrialForm;
}

/** report_comparison */
export interface ReportComparison {
  left: Partial<ReportBrief>;
  right: Partial<ReportBrief>;
  kept: number;
  added: ArticleBrief[];
  removed: ArticleBrief[];
  addedTotal: number;
  removedTotal: number;
}
