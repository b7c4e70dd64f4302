package research

import (
	"encoding/json"

	"github.com/pageside/pageside/payload"
)

// The parts that several schemas share.
const (
	filtersSchema = `{"type":"object","properties":{"from":{"type":"string"},"to":{"type":"string"},"types":{"type":"array","items":{"type":"string"}},` +
		`"mesh":{"type":"array","items":{"type":"string"}},"journals":{"type":"array","items":{"type":"string"}}},"additionalProperties":false}`
	fieldSchema = `{"type":"object","properties":{"key":{"type":"string","pattern":"^[a-z][a-z0-9_]{0,39}$"},"label":{"type":"string","minLength":1,"maxLength":80},` +
		`"type":{"enum":["text","number","yes_no","category"]},"description":{"type":"string","maxLength":500},"options":{"type":"array","items":{"type":"string"},"maxItems":20}},` +
		`"required":["key","label","type"],"additionalProperties":false}`
	trialFormSchema = `{"type":"object","properties":{"condition":{"type":"string"},"intervention":{"type":"string"},"sponsor":{"type":"string"},"text":{"type":"string"},` +
		`"phases":{"type":"array","items":{"enum":["EARLY_PHASE1","PHASE1","PHASE2","PHASE3","PHASE4","NA"]}},"statuses":{"type":"array","items":{"type":"string"}},` +
		`"startFrom":{"type":"string"},"startTo":{"type":"string"}},"additionalProperties":false}`
	matchSchema = `{"type":"object","properties":{"field":{"enum":["title","abstract","mesh","types","journal","authors","date","summary","phases","status","conditions","interventions","outcomes","sponsor","any"]},` +
		`"any":{"type":"array","items":{"type":"string","minLength":1},"minItems":1,"maxItems":20}},"required":["field","any"],"additionalProperties":false}`
	briefSchema = `{"type":"object","properties":{"pmid":{"type":"string"},"title":{"type":"string"},"authors":{"type":"array","items":{"type":"string"}},"journal":{"type":"string"},` +
		`"date":{"type":"string"},"types":{"type":"array","items":{"type":"string"}},"nct":{"type":"string"}},"required":["pmid","title"]}`
)

// PayloadTypes are the application's cards: what tools return, and what a model proposes and the
// user accepts or dismisses.
func PayloadTypes() []*payload.Type {
	return []*payload.Type{
		{
			Name: "pubmed_search_results", Description: "Articles that a search found.", Source: payload.FromTool, Global: true,
			Schema: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string"},"interpreted":{"type":"string"},"notes":{"type":"array","items":{"type":"string"}},"source":{"enum":["library","pubmed"]},` +
				`"total":{"type":"integer"},"articles":{"type":"array","items":` + briefSchema + `}},"required":["query","source","total","articles"]}`),
		},
		{
			Name: "validation_results", Description: "What checking a stream against the library found.", Source: payload.FromTool,
			Schema: json.RawMessage(`{"type":"object","properties":{"streamId":{"type":"string"},"name":{"type":"string"},"version":{"type":"integer"},"valid":{"type":"boolean"},` +
				`"articles":{"type":"integer"},"checks":{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"},"status":{"enum":["ok","warning","error"]},` +
				`"label":{"type":"string"},"message":{"type":"string"}},"required":["id","status","label","message"]}},` +
				`"coverage":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"filled":{"type":"integer"},"total":{"type":"integer"}},"required":["name","filled","total"]}}},` +
				`"required":["streamId","valid","articles","checks","coverage"]}`),
		},
		{
			Name: "report_comparison", Description: "What differs between two reports.", Source: payload.FromTool,
			Schema: json.RawMessage(`{"type":"object","properties":{"left":{"type":"object"},"right":{"type":"object"},"kept":{"type":"integer"},` +
				`"added":{"type":"array","items":` + briefSchema + `},"removed":{"type":"array","items":` + briefSchema + `},"addedTotal":{"type":"integer"},"removedTotal":{"type":"integer"},` +
				`"types":{"type":"array","items":{"type":"object","properties":{"value":{"type":"string"},"left":{"type":"integer"},"right":{"type":"integer"}}}}},` +
				`"required":["left","right","kept","added","removed","addedTotal","removedTotal"]}`),
		},
		{
			Name: "schema_proposal", Description: "Changes to what a research stream extracts from its articles.", Source: payload.FromLLM,
			Schema: json.RawMessage(`{"type":"object","properties":{"proposed_changes":{"type":"object","properties":{"add":{"type":"array","items":` + fieldSchema + `},` +
				`"change":{"type":"array","items":` + fieldSchema + `},"remove":{"type":"array","items":{"type":"string"}}},"additionalProperties":false},` +
				`"confidence":{"enum":["low","medium","high"]},"reasoning":{"type":"string"}},"required":["proposed_changes","confidence","reasoning"],"additionalProperties":false}`),
			Instructions: `Use it when the user asks which fields the stream should have, or to add, change or remove some. Name only what changes. Accepting it changes the schema in the form; the user saves.
SCHEMA_PROPOSAL: {"proposed_changes":{"add":[{"key":"follow_up","label":"Follow-up","type":"number","description":"Median follow-up in months"}],"remove":["notes"]},"confidence":"high","reasoning":"Survival cannot be compared without it."}`,
		},
		{
			Name: "retrieval_proposal", Description: "A new search for a research stream, with its filters.", Source: payload.FromLLM,
			Schema: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string","minLength":1},"filters":` + filtersSchema + `,"maxResults":{"type":"integer","minimum":1,"maximum":1000},` +
				`"reasoning":{"type":"string"},"total":{"type":"integer"},"currentTotal":{"type":"integer"}},"required":["query","reasoning"],"additionalProperties":false}`),
			Instructions: `Use it when the user wants the stream to find more, less or something else. Try the query with search_pubmed first; total and currentTotal are what that said. Accepting it fills the stream's retrieval form.
RETRIEVAL_PROPOSAL: {"query":"venetoclax[tiab] AND \"Leukemia, Myeloid, Acute\"[mh]","filters":{"from":"2018"},"reasoning":"The heading leaves out other leukaemias.","total":41,"currentTotal":60}`,
		},
		{
			Name: "query_suggestion", Description: "A search in PubMed's syntax for the search field.", Source: payload.FromLLM,
			Schema: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string","minLength":1},"explanation":{"type":"string"},"total":{"type":"integer"},"currentTotal":{"type":"integer"}},` +
				`"required":["query","explanation"],"additionalProperties":false}`),
			Instructions: `Use it when the user looks for articles or wants a better search. Try the query with search_pubmed first; total is what that said. Accepting it puts the query into the search field and runs it.
QUERY_SUGGESTION: {"query":"FLT3[tiab] AND (resistan*[tiab] OR \"Drug Resistance, Neoplasm\"[mh])","explanation":"Words of title and abstract, and the heading for resistance.","total":12}`,
		},
		{
			Name: "filter_suggestion", Description: "Filters for the results on the page.", Source: payload.FromLLM,
			Schema: json.RawMessage(`{"type":"object","properties":{"filters":` + filtersSchema + `,"explanation":{"type":"string"},"total":{"type":"integer"},"currentTotal":{"type":"integer"}},` +
				`"required":["filters","explanation"],"additionalProperties":false}`),
			Instructions: `Use it when the user wants to narrow or widen the articles on the page by date, publication type, MeSH heading or journal. filters are all that shall hold afterwards; {} removes them. Accepting it sets them.
FILTER_SUGGESTION: {"filters":{"from":"2020","types":["Randomized Controlled Trial"]},"explanation":"Randomized trials since 2020.","total":9,"currentTotal":60}`,
		},
		{
			Name: "ai_column_suggestion", Description: "A column that says for each row on the page whether, or how, it meets a criterion.", Source: payload.FromLLM,
			Schema: json.RawMessage(`{"type":"object","properties":{"target":{"enum":["articles","trials"]},"name":{"type":"string","minLength":1,"maxLength":60},"criteria":{"type":"string","minLength":1},` +
				`"type":{"enum":["text","number","yes_no","category"]},"match":` + matchSchema + `,"filter":{"type":"boolean","description":"show only the rows that meet it"},"explanation":{"type":"string"}},` +
				`"required":["target","name","criteria","type","match"],"additionalProperties":false}`),
			Instructions: `Use it when the user wants rows judged, marked or filtered by something that is no column yet. match names the field and the words that the demo looks for. Accepting it adds the column; filter true also shows only the rows that meet it.
AI_COLUMN_SUGGESTION: {"target":"trials","name":"Phase 3","criteria":"Is this a phase 3 trial?","type":"yes_no","match":{"field":"phases","any":["PHASE3"]},"filter":true}`,
		},
		{
			Name: "trial_search_suggestion", Description: "Values for the trial search form.", Source: payload.FromLLM,
			Schema: json.RawMessage(`{"type":"object","properties":{"form":` + trialFormSchema + `,"explanation":{"type":"string"},"total":{"type":"integer"},"currentTotal":{"type":"integer"}},` +
				`"required":["form","explanation"],"additionalProperties":false}`),
			Instructions: `Use it when the user looks for trials in words. form is the whole form afterwards. Try it with search_trials first; total is what that said. Accepting it fills the form and searches.
TRIAL_SEARCH_SUGGESTION: {"form":{"condition":"acute myeloid leukemia","intervention":"venetoclax","statuses":["RECRUITING"]},"explanation":"Recruiting trials with venetoclax.","total":7}`,
		},
	}
}
