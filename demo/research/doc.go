// Package research is the Go side of the demo application Research: a library of articles and
// clinical trials, research streams that are kept up to date with searches, and reports of what a
// stream found, with an assistant beside all of it.
//
//	app, err := research.New(ctx, research.Config{ArticleFile: "articles.jsonl.gz", TrialFile: "trials.csv.gz", Model: model.Info()})
//	defer app.Close()
//	mux.Handle("/demo/research/", app.Handler())
//
// It holds the application's data and API, its backend tools, payload types and pages, and the
// rules that the scripted model plays. The query language is package pubmed's business, loading and
// searching package library's. The page itself lives in web/apps/demo. Streams and reports that are
// changed or made are gone when the demo ends.
//
// # HTTP API
//
// JSON in and out, below /demo/research/. A refused request has {"error": {"code", "message",
// "details"}}; details.field names the field that is wrong. Dates are "2024", "2024-05" or
// "2024-05-17", as precise as the library knows them. Ids are strings. Lists are never null.
//
//	GET info      {"library": {"articles": 1362, "generated": false, "label": "aml_articles.jsonl.gz", "from": "1982", "to": "2025-04-08", "bad": 0},
//	               "trials": {"count": 245, "generated": false, "label": "aml_trials.csv.gz", "bad": 0},
//	               "model": {"name": "script/demo", "scripted": true}, "network": false,
//	               "mesh": [{"value": "Humans", "count": 1270}, …40], "journals": [{"value", "count"}, …20], "types": [{"value", "count"}, …30]}
//	GET streams   {"streams": [{"id", "name", "purpose", "articles": 60, "updatedAt": "2026-01-02T15:04:05Z"}]}
//	GET streams/{id}, PUT streams/{id}, POST streams (201; id and version are the server's)
//	              {"id": "1", "name", "purpose",
//	               "schema": {"fields": [{"key": "population", "label", "type": "text|number|yes_no|category", "description", "options": ["…"]}]},
//	               "retrieval": {"query", "filters": FILTERS, "maxResults": 200},
//	               "columns": [{"name", "criteria", "type": "text|number|yes_no|category", "match": MATCH}],
//	               "version": 3, "updatedAt"}
//	              PUT needs the version that was read: 409 version_conflict otherwise, with details.version
//	POST streams/{id}/validate    the data of a validation_results payload, for the stored stream, or for the stream in the body
//	POST articles/search          {"query", "filters"?: FILTERS, "sort"?: "date"|"relevance", "dir"?: "desc"|"asc", "page"?: 1, "pageSize"?: 20 (to 200)}
//	              → {"total", "interpreted", "notes", "articles": [BRIEF], "tookMs"}. An empty query means everything.
//	              422 pubmed_error: details {"position", "length", "expected": []}, in code points from 0
//	GET articles/{pmid}           BRIEF and {"mesh": [], "abstract"?, "trial"?: {"nct", "title"}}
//	GET reports                   {"reports": [{"id", "streamId", "name", "date", "query", "total"}]}, newest first
//	GET reports/{id}              that and {"from", "articles": [BRIEF]}
//	POST reports                  {"streamId", "name"?} → 201, the report
//	POST trials/search            {"condition"?, "intervention"?, "phases"?: [], "statuses"?: [], "sponsor"?, "text"?, "startFrom"?, "startTo"?,
//	               "sort"?: "start"|"title"|"status"|"phase"|"relevance", "dir"?, "page"?: 1, "pageSize"?: 20 (to 250)}
//	              → {"total", "facets": {"phases": [{"value": "PHASE3", "label": "Phase 3", "count"}], "statuses": […]}, "trials": [TRIAL], "tookMs"}
//	              A facet counts what there is without its own filter.
//	GET trials/{nct}              TRIAL and {"summary", "secondaryOutcomes": [], "collaborators": [], "age", "design", "url", "results": false, "articles": [BRIEF]}
//	POST columns/preview          {"match": MATCH, "type"?: "yes_no", "pmids"?: [], "ncts"?: []} → {"values": {"40122885": true}}
//	GET scenarios                 {"scenarios": [{"id", "mode": "guide"|"enhance", "title", "text", "place", "scope"?, "state"?, "does", "card"?}]}: where to be and what is set
//	              there (state: {"query"?, "filters"?, "form"?, "pageSize"?, "selected"?}), what to say, and the payload type that is shown then
//
//	BRIEF    {"pmid", "title", "authors": [], "journal", "date", "types": [], "nct"?}
//	TRIAL    {"nct", "title", "status", "statusLabel", "phase": "Phase 1/Phase 2", "phases": ["PHASE1", "PHASE2"], "conditions": [], "interventions": [],
//	          "sponsor", "start", "completion", "primaryOutcomes": [], "studyType"}
//	FILTERS  {"from"?, "to"?, "types"?: [], "mesh"?: [], "journals"?: []}; values of one list are alternatives
//	MATCH    {"field": "title|abstract|mesh|types|journal|authors|date|any", "any": ["phase 3", "phase iii"]}; of trials: title, summary, phases,
//	          status, conditions, interventions, outcomes, sponsor or any. A value of type yes_no is whether one of any is there, of category the first
//	          that is, of number how often they are there, of text the sentence it is in; null where there is none.
//
// # What the pages tell the assistant
//
// The rules of the scripted model and the pages' context builders read these context items, by
// description. All members but the first few are optional; lists of records are sent in brief, with
// the full records (BRIEF, TRIAL) behind retrieve_items, in the order of the page.
//
//	Research: library          everywhere: {"articles", "generated", "label", "trials", "trialsLabel"}
//	Research: streams          streams: {"streams": [{"id", "name", "articles"}]}
//	Research: stream           edit_research_stream: {"id", "name", "purpose", "version", "dirty", "schema": {"fields"}, "retrieval": {"query", "filters",
//	                           "maxResults"}, "columns": [{"name", "type", "criteria"}]}
//	Research: article search   edit_research_stream/execute/…: {"query", "filters", "sort", "dir", "page", "pageSize", "total", "shown", "error"?: {"message"},
//	                           "articles": [{"pmid", "title", "journal", "date", "types"}]}
//	Research: trial search     trials: {"form": {"condition", "intervention", "phases", "statuses", "sponsor", "text", "startFrom", "startTo"}, "sort", "dir",
//	                           "page", "pageSize", "total", "loaded", "columns": [{"name"}], "trials": [{"nct", "title", "phase", "status", "start"}]}
//	Research: reports          reports: {"reports": [{"id", "streamId", "name", "date", "total"}], as the API lists them, "selected": ["id", "id"],
//	                           "open"?: {"id", "name", "total"}}
//	Research: article          article: {"pmid", "title", "journal", "date", "types", "mesh", "nct"?, "abstract"?}
//	Research: open trial       trials, with a detail open: the TRIAL
//
// The scope is {"stream": id} on edit_research_stream and {"report": id} where a report is open.
//
// # Cards
//
// The types are in payloads.go, each with its schema and what accepting it does; run_analysis shows
// the demo's chart. Totals on a card are what the search on it finds, currentTotal what the page's
// finds now. The pages and their actions (open_page, open_article, open_trial, open_report in the
// browser; check_stream and analyse on the server) are in pages.go, the scenarios in scenarios.go.
//
// # Trying it
//
// The scripted model's rules are in script.yaml, script-articles.yaml and script-streams.yaml, and
// stand before Discover's. They read the context items above and ask the same tools as a real
// model: no number is written there.
package research
