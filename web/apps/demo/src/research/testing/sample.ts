import type { Stream } from "../types.ts";

export const sampleStream: Stream = {
  id: "1",
  name: "Venetoclax",
  purpose: "What it is combined with",
  schema: {
    fields: [
      { key: "population", label: "Population", type: "text", description: "Who" },
      { key: "design", label: "Design", type: "category", description: "How", options: ["trial", "review"] },
    ],
  },
  retrieval: { query: "venetoclax[tiab]", filters: { from: "2020" }, maxResults: 200 },
  columns: [{ name: "Trial", criteria: "Is it one?", type: "yes_no" }],
  version: 3,
};
