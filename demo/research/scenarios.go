package research

import "github.com/pageside/pageside/demo/research/library"

// Scenario is something to try with the assistant: where to be, what is set there, and what to say.
type Scenario struct {
	ID string `json:"id"`
	// guide: a card or steps; enhance: an answer from what is loaded
	Mode  string            `json:"mode"`
	Title string            `json:"title"`
	Text  string            `json:"text"`            // what the user says
	Place string            `json:"place"`           // page, page/tab or page/tab/subtab
	Scope map[string]string `json:"scope,omitempty"` // {"stream": "1"}
	State *State            `json:"state,omitempty"` // what is set on the page before
	Does  string            `json:"does"`            // what to expect
	Card  string            `json:"card,omitempty"`  // the payload type that is shown
}

// State is what is set on a page: the article search of the workbench, the trial form, or which
// reports are selected.
type State struct {
	Query    *string          `json:"query,omitempty"`
	Filters  *library.Filters `json:"filters,omitempty"`
	Form     *trialForm       `json:"form,omitempty"`
	PageSize int              `json:"pageSize,omitempty"`
	Selected []string         `json:"selected,omitempty"`
}

const workbench = "edit_research_stream/execute/workbench"

// Scenarios are the rows of the table "guide or enhance", and more. They work with any library on
// the subject, the generated one included.
func Scenarios() []Scenario {
	first, second := map[string]string{"stream": "1"}, map[string]string{"stream": "2"}
	search := func(query string, f library.Filters) *State { return &State{Query: &query, Filters: &f, PageSize: 50} }
	trials := &State{Form: &trialForm{Condition: "acute myeloid leukemia"}, PageSize: 100}
	return []Scenario{
		{"find-articles", "guide", "Find articles", "Find FLT3 resistance articles", workbench, second, search("", library.Filters{}),
			"Builds a query from your words, tries it, and offers it for the search field.", "query_suggestion"},
		{"better-query", "guide", "Write a better query", "Help me write a better query", workbench, second, search("flt3 inhibitors relapsed patients", library.Filters{}),
			"Names fields and headings, and says what the query finds now and then.", "query_suggestion"},
		{"only-phase-3", "guide", "Only Phase 3", "I want to filter to only Phase 3", "trials", nil, trials,
			"Sets up a column that judges each trial by its phase.", "ai_column_suggestion"},
		{"primary-endpoint", "enhance", "OS as endpoint", "Which trials have OS as primary endpoint?", "trials", nil, trials,
			"Looks at the primary outcomes of the trials that are loaded.", ""},
		{"patterns", "enhance", "Patterns", "What patterns do you see?", "trials", nil, trials,
			"Counts phases, statuses, years and sponsors over the trials that are loaded.", ""},
		{"missing-articles", "guide", "What am I missing?", "Am I missing relevant articles?", workbench, first, search("venetoclax[ti]", library.Filters{}),
			"Tries a broader query, says how many more it finds, and walks you through it.", "query_suggestion"},
		{"compare-searches", "guide", "Compare searches", "How do I compare searches?", "streams", nil, nil,
			"Explains the two ways, with buttons that lead there.", ""},
		{"ai-column", "guide", "A column that judges", "Add a column that says whether azacitidine is used", workbench, first, search("venetoclax[tiab]", library.Filters{}),
			"Proposes a column over the articles on the page.", "ai_column_suggestion"},
		{"trial-form", "guide", "Fill the trial form", "Find recruiting trials with venetoclax since 2018", "trials", nil, trials,
			"Turns a sentence into the form's fields and counts what they find.", "trial_search_suggestion"},
		{"compare-reports", "enhance", "Compare two reports", "Compare the last two reports", "reports", nil, nil,
			"Says which articles are new and which are gone.", "report_comparison"},
		{"few-results", "guide", "Why so few?", "Why did I get so few results?", workbench, first, search("venetoclax[tiab]", library.Filters{From: "2024-06", Types: []string{"Randomized Controlled Trial"}}),
			"Counts again without each restriction, names the one that cuts most, and offers to drop it.", "filter_suggestion"},
		{"common-phase", "enhance", "Most common phase", "What's the most common phase among these?", "trials", nil, trials,
			"Counts the trials that are loaded, whatever they are.", ""},
		{"schema-fields", "guide", "Missing fields", "Which fields is the schema missing?", "edit_research_stream/semantic", first, nil,
			"Proposes fields that the stream does not have.", "schema_proposal"},
		{"narrow-stream", "guide", "Only newer articles", "Make the stream find only articles since 2020", "edit_research_stream/retrieval", first, nil,
			"Proposes a search with a date and says what that leaves.", "retrieval_proposal"},
		{"check-stream", "enhance", "Check the stream", "Check this stream", "edit_research_stream/semantic", first, nil,
			"Runs the checks of the stream against the library.", "validation_results"},
		{"save-field", "guide", "Save a field, with approval", "Add a field for follow-up and save it", "edit_research_stream/semantic", first, nil,
			"Asks for your approval, then changes the saved stream.", ""},
		{"ask-reports", "enhance", "A question back", "Compare reports", "reports", nil, nil,
			"Compares them; where the page has too little to choose by, it asks you.", "report_comparison"},
		{"analysis", "enhance", "Analysis with progress", "Analyse this report by MeSH heading", "reports/analysis", nil, nil,
			"Works through the articles in stages and draws a chart.", "chart"},
	}
}
