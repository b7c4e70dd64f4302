import type { ArticleBrief, Column, Filters, ReportBrief, TrialForm, Validation } from "../types.ts";
import type { SchemaChanges } from "../state/stream-draft.ts";

/**
 * The data of Research's payloads. While one is written, any part of it may be missing: hence
 * `Partial` where it is drawn.
 */

export interface SearchResults {
  query: string;
  interpreted?: string;
  /** What of the search could not be carried out as it stands. */
  notes?: string[];
  source: "library" | "pubmed";
  total: number;
  articles: ArticleBrief[];
}

export interface SchemaProposal {
  proposed_changes: SchemaChanges;
  confidence: "low" | "medium" | "high";
  reasoning: string;
}

interface Counted {
  /** What the proposal finds, and what there is now. */
  total?: number;
  currentTotal?: number;
}

export interface RetrievalProposal extends Counted {
  query: string;
  filters?: Filters;
  maxResults?: number;
  reasoning: string;
}

export interface QuerySuggestion extends Counted {
  query: string;
  explanation: string;
}

export interface FilterSuggestion extends Counted {
  filters: Filters;
  explanation: string;
}

export interface ColumnSuggestion extends Column {
  target: "articles" | "trials";
  filter?: boolean;
  explanation?: string;
}

export interface TrialSearchSuggestion extends Counted {
  form: TrialForm;
  explanation: string;
}

export interface ReportComparison {
  left: Partial<ReportBrief>;
  right: Partial<ReportBrief>;
  kept: number;
  added: ArticleBrief[];
  removed: ArticleBrief[];
  addedTotal: number;
  removedTotal: number;
  types?: { value: string; left: number; right: number }[];
}

export interface ChartData {
  type: "bar" | "line" | "donut";
  title: string;
  data: { label: string; value: number }[];
  unit?: string;
  /** What is not shown. */
  note?: string;
}

export type { Validation };
