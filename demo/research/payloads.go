package research

import (
	"embed"

	"github.com/pageside/pageside/payload"
)

//go:embed schemas
var schemas embed.FS

// PayloadTypes are the application's types: what tools return, and what a model proposes and the
// user accepts or dismisses. Their JSON Schemas are in the folder schemas, by their names.
func PayloadTypes() []*payload.Type {
	types := []*payload.Type{
		{
			Name: "pubmed_search_results", Description: "Articles that a search found.", Source: payload.FromTool, Global: true,
		},
		{
			Name: "validation_results", Description: "What checking a stream against the library found.", Source: payload.FromTool,
		},
		{
			Name: "report_comparison", Description: "What differs between two reports.", Source: payload.FromTool,
		},
		{
			Name: "schema_proposal", Description: "Changes to what a research stream extracts from its articles.", Source: payload.FromLLM,
			Instructions: `Use it when the user asks which fields the stream should have, or to add, change or remove some. Name only what changes. Accepting it changes the schema in the form; the user saves.
SCHEMA_PROPOSAL: {"proposed_changes":{"add":[{"key":"follow_up","label":"Follow-up","type":"number","description":"Median follow-up in months"}],"remove":["notes"]},"confidence":"high","reasoning":"Survival cannot be compared without it."}`,
		},
		{
			Name: "retrieval_proposal", Description: "A new search for a research stream, with its filters.", Source: payload.FromLLM,
			Instructions: `Use it when the user wants the stream to find more, less or something else. Try the query with search_pubmed first; total and currentTotal are what that said. Accepting it fills the stream's retrieval form.
RETRIEVAL_PROPOSAL: {"query":"venetoclax[tiab] AND \"Leukemia, Myeloid, Acute\"[mh]","filters":{"from":"2018"},"reasoning":"The heading leaves out other leukaemias.","total":41,"currentTotal":60}`,
		},
		{
			Name: "query_suggestion", Description: "A search in PubMed's syntax for the search field.", Source: payload.FromLLM,
			Instructions: `Use it when the user looks for articles or wants a better search. Try the query with search_pubmed first; total is what that said. Accepting it puts the query into the search field and runs it.
QUERY_SUGGESTION: {"query":"FLT3[tiab] AND (resistan*[tiab] OR \"Drug Resistance, Neoplasm\"[mh])","explanation":"Words of title and abstract, and the heading for resistance.","total":12}`,
		},
		{
			Name: "filter_suggestion", Description: "Filters for the results on the page.", Source: payload.FromLLM,
			Instructions: `Use it when the user wants to narrow or widen the articles on the page by date, publication type, MeSH heading or journal. filters are all that shall hold afterwards; {} removes them. Accepting it sets them.
FILTER_SUGGESTION: {"filters":{"from":"2020","types":["Randomized Controlled Trial"]},"explanation":"Randomized trials since 2020.","total":9,"currentTotal":60}`,
		},
		{
			Name: "ai_column_suggestion", Description: "A column that says for each row on the page whether, or how, it meets a criterion.", Source: payload.FromLLM,
			Instructions: `Use it when the user wants rows judged, marked or filtered by something that is no column yet. match names the field and the words that the demo looks for. Accepting it adds the column; filter true also shows only the rows that meet it.
AI_COLUMN_SUGGESTION: {"target":"trials","name":"Phase 3","criteria":"Is this a phase 3 trial?","type":"yes_no","match":{"field":"phases","any":["PHASE3"]},"filter":true}`,
		},
		{
			Name: "trial_search_suggestion", Description: "Values for the trial search form.", Source: payload.FromLLM,
			Instructions: `Use it when the user looks for trials in words. form is the whole form afterwards. Try it with search_trials first; total is what that said. Accepting it fills the form and searches.
TRIAL_SEARCH_SUGGESTION: {"form":{"condition":"acute myeloid leukemia","intervention":"venetoclax","statuses":["RECRUITING"]},"explanation":"Recruiting trials with venetoclax.","total":7}`,
		},
	}
	for _, t := range types {
		var err error
		if t.Schema, err = schemas.ReadFile("schemas/" + t.Name + ".json"); err != nil {
			panic(err) // it is built in
		}
	}
	return types
}
