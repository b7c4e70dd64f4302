package demo

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/calls"
	"github.com/pageside/pageside/demo/demotest"
	"github.com/pageside/pageside/demo/refuse"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/test/must"
)

// screen stands for the page in the browser: it holds what is on it, tells it as context, and runs
// the frontend tools. Its numbers come from the same API.
type screen struct {
	t       *testing.T
	demo    *Demo
	agent   *agent.Agent
	request queryRequest
	open    int64 // the row whose detail is open; 0 is none
	bare    bool  // a client that declares no tools and sends no context

	// what the user answers to calls that wait for a person, by tool; JSON
	answers map[string]string
	extra   map[string]any // further context items, by description

	demotest.Answer // of the last question
}

// scripted is read once: that takes longer than most questions.
var scripted = sync.OnceValues(NewScripted)

func newScreen(t *testing.T, d *Demo) *screen {
	t.Helper()
	model := must.Get(scripted())(t)
	a := demotest.NewAgent(t, d, model.WithPace(0), Connectable(d.Pages()))
	return &screen{t: t, demo: d, agent: a, request: queryRequest{Query: "source=access_log"}}
}

// ask plays a question and returns the text of the last step of its answer.
func (s *screen) ask(question string) string {
	s.t.Helper()
	s.Answer = demotest.Ask(s.t, s.agent, s, question)
	if s.Last == "" {
		s.t.Errorf("%s: the last step says nothing", question)
	}
	return s.Last
}

func (s *screen) Decide(i calls.Interrupt) agui.ResumeEntry {
	answer, ok := s.answers[i.Tool]
	if !ok {
		return agui.ResumeEntry{InterruptID: i.ID, Status: agui.ResumeCancelled}
	}
	return agui.ResumeEntry{InterruptID: i.ID, Status: agui.ResumeResolved, Payload: json.RawMessage(answer)}
}

func (s *screen) Input() agent.Input {
	in := agent.Input{Place: page.Place{Page: "discover"}}
	if s.bare {
		return in
	}
	for _, name := range []string{"execute_ppl_query", "set_time_range", "add_filter", "remove_filter", "select_data_source", "undo_change", "export_results"} {
		in.Frontend = append(in.Frontend, agui.Tool{Name: name, Description: name, Parameters: json.RawMessage(`{"type":"object"}`)})
	}
	add := func(description string, value any) {
		in.Context = append(in.Context, agui.ContextItem{Description: description, Value: compact(value)})
	}
	add("Discover: query and results", s.context())
	if s.open != 0 {
		_, row := call(s.t, s.demo, "GET", fmt.Sprint("/demo/discover/rows/", s.open), "")
		row["id"] = s.open
		add("Discover: open row", row)
	}
	_, info := call(s.t, s.demo, "GET", "/demo/discover/info", "")
	source := info["source"].(map[string]any)
	for _, name := range []string{"total", "time", "sources"} {
		source[name] = info[name]
	}
	delete(source, "file")
	add("Data source", source)
	for description, value := range s.extra {
		add(description, value)
	}
	return in
}

// contexts keeps what was computed: most questions are asked on the same page.
var contexts = map[string]map[string]any{}

func (s *screen) context() map[string]any {
	key := fmt.Sprintf("%p %s", s.demo, compact(s.request))
	if contexts[key] == nil {
		contexts[key] = s.newContext()
	}
	return contexts[key]
}

var results = map[string]*queryResponse{}

// results are what the page shows. Like the page, it asks once.
func (s *screen) results() (*queryResponse, error) {
	key := fmt.Sprintf("%p %s", s.demo, compact(s.request))
	if results[key] != nil {
		return results[key], nil
	}
	r, err := s.demo.run(s.t.Context(), &s.request)
	if err == nil {
		results[key] = r
	}
	return r, err
}

func (s *screen) newContext() map[string]any {
	log := s.demo.sources[0]
	from, to, label := log.Time.Min, log.Time.Max, "Whole log"
	if r := s.request.Time; r != nil {
		from, to, label = *r.From, *r.To, "chosen range"
	}
	filters := []map[string]any{}
	for _, f := range s.request.Filters {
		filters = append(filters, map[string]any{"field": f.Field, "op": f.Op, "value": f.Value, "disabled": f.Disabled})
	}
	value := map[string]any{"source": strings.Fields(strings.TrimPrefix(s.request.Query, "source="))[0], "query": s.request.Query, "filters": filters, "page": 1, "pageSize": 50, "sort": nil,
		"timeRange": map[string]any{"from": from, "to": to, "label": label}}
	r, err := s.results()
	if err != nil {
		value["error"] = map[string]any{"message": err.Error()}
		return value
	}
	columns, rows := brief(r)
	value["total"], value["matched"], value["resultRows"], value["shown"] = log.Total, r.Matched, r.Total, len(r.Rows)
	value["columns"], value["rows"] = columns, rows
	value["histogram"] = map[string]any{"interval": r.Histogram.Interval, "peak": peak(r.Histogram)}
	return value
}

func peak(h histogram) any {
	if len(h.Buckets) == 0 {
		return nil
	}
	top := slices.MaxFunc(h.Buckets, func(a, b bucket) int { return int(a.Count - b.Count) })
	return map[string]any{"from": top.From, "count": top.Count}
}

func brief(r *queryResponse) (columns []string, rows []map[string]any) {
	for _, c := range r.Columns {
		columns = append(columns, c.Name)
	}
	rows = []map[string]any{}
	for _, cells := range r.Rows[:min(20, len(r.Rows))] {
		row := map[string]any{}
		for i, c := range columns {
			row[c] = cells[i]
		}
		rows = append(rows, row)
	}
	return columns, rows
}

// RunTool does what the page does with a call of its tool.
func (s *screen) RunTool(name, args string) any { return s.apply(name, args) }

func (s *screen) apply(name, raw string) map[string]any {
	args := must.JSON[struct {
		Query, Description, From, To, Label, Field, Op string
		Value                                          json.RawMessage
		Source                                         string
	}](s.t, raw)
	switch name {
	case "execute_ppl_query":
		s.request.Query = args.Query
	case "set_time_range":
		s.request.Time = &timeRange{&args.From, &args.To}
		if args.From == "all" {
			s.request.Time = nil
		}
	case "undo_change":
		return map[string]any{"success": false, "error": "There is nothing to undo"}
	case "export_results":
		r, err := s.results()
		if err != nil {
			return map[string]any{"success": false, "error": err.Error()}
		}
		return map[string]any{"success": true, "message": "Saved", "rows": len(r.Rows), "file": "access_log.csv"}
	case "select_data_source":
		from, ok := s.demo.source(args.Source)
		if !ok {
			return map[string]any{"success": false, "error": "there is no data source " + args.Source}
		}
		s.request = queryRequest{Query: "source=" + args.Source}
		return map[string]any{"success": true, "message": "The page shows " + from.Label, "fields": from.Names()}
	case "remove_filter":
		before := len(s.request.Filters)
		s.request.Filters = slices.DeleteFunc(slices.Clone(s.request.Filters), func(f filter) bool {
			return args.Field == "" || f.Field == args.Field && f.Op == args.Op && string(f.Value) == string(textOf(args.Value))
		})
		if len(s.request.Filters) == before {
			return map[string]any{"success": false, "error": "There is no such filter"}
		}
	case "add_filter":
		s.request.Filters = append(s.request.Filters, filter{Field: args.Field, Op: args.Op, Value: textOf(args.Value)})
	}
	r, err := s.results()
	if err != nil {
		failure := map[string]any{"success": false, "error": err.Error()}
		if e, ok := errors.AsType[*refuse.Error](err); ok {
			failure["error"], failure["line"], failure["column"] = e.Message, e.Details["line"], e.Details["column"]
		}
		return failure
	}
	done := map[string]any{"success": true, "message": fmt.Sprintf("Done: %d requests match", r.Matched), "total": r.Total, "matched": r.Matched}
	if name == "execute_ppl_query" {
		done["executed"], done["query"] = true, args.Query
		done["columns"], done["rows"] = brief(r)
	}
	return done
}

// textOf turns a number into text, as the page does with the values of filters.
func textOf(value json.RawMessage) json.RawMessage {
	if len(value) > 0 && value[0] != '"' {
		return json.RawMessage(fmt.Sprintf("%q", value))
	}
	return value
}
