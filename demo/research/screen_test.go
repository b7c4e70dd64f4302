package research_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/calls"
	"github.com/pageside/pageside/demo"
	"github.com/pageside/pageside/demo/demotest"
	"github.com/pageside/pageside/demo/research"
	"github.com/pageside/pageside/demo/research/library"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

const (
	realArticles = "../../../shared/data/aml_articles.jsonl.gz"
	realTrials   = "../../../shared/data/aml_trials.csv.gz"
)

// openDemo returns a demo with the generated library, for tests that only read.
func openDemo(t *testing.T) *demo.Demo {
	t.Helper()
	return must.Get(generatedDemo())(t)
}

// newDemo returns a demo with the generated library, for a test that changes streams or reports.
func newDemo(t *testing.T) *demo.Demo {
	t.Helper()
	d := must.Get(demo.New(t.Context(), demo.Config{QueryTimeout: time.Minute}))(t)
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func openReal(t *testing.T) *demo.Demo {
	t.Helper()
	for _, file := range []string{realArticles, realTrials} {
		if _, err := os.Stat(file); err != nil {
			t.Skip("no real data beside the repository")
		}
	}
	return must.Get(realDemo())(t)
}

// These are loaded once: it takes a while. Of the real one, nobody here minds a field that another
// test has saved; the generated one is only read.
var (
	realDemo = sync.OnceValues(func() (*demo.Demo, error) {
		return load(demo.Config{Config: research.Config{ArticleFile: realArticles, TrialFile: realTrials}})
	})
	generatedDemo = sync.OnceValues(func() (*demo.Demo, error) { return load(demo.Config{}) })
)

var demos []*demo.Demo // by load

func load(c demo.Config) (*demo.Demo, error) {
	c.QueryTimeout = time.Minute // the race detector on a busy machine is slow
	d, err := demo.New(context.Background(), c)
	if err == nil {
		demos = append(demos, d)
		useScript(d)
	}
	return d, err
}

// useScript has the scripted model judge columns.
func useScript(d *demo.Demo) {
	m, err := demo.NewScripted()
	if err != nil {
		panic(err)
	}
	judge := &agent.Agent{ID: "default", Model: research.Scripted(m)}
	d.Research().UseModel(research.Asker{Model: judge.Model.Info, Query: func(ctx context.Context, q agent.Query) (json.RawMessage, error) {
		output, _, err := judge.Query(ctx, q)
		return output, err
	}})
}

func TestMain(m *testing.M) {
	code := m.Run()
	for _, d := range demos {
		_ = d.Close()
	}
	os.Exit(code)
}

type object = map[string]any

// call asks the API.
func call(t *testing.T, d *demo.Demo, method, path string, body any) (int, object) {
	t.Helper()
	text := ""
	if body != nil {
		text = compact(body)
	}
	return demotest.Call(t, d.Handler(), method, "/demo/research/"+path, text)
}

func get(t *testing.T, d *demo.Demo, path string) object {
	t.Helper()
	status, out := call(t, d, http.MethodGet, path, nil)
	if status != http.StatusOK {
		t.Fatalf("%s: %d %v", path, status, out)
	}
	return out
}

func post(t *testing.T, d *demo.Demo, path string, body any) object {
	t.Helper()
	status, out := call(t, d, http.MethodPost, path, body)
	if status != http.StatusOK && status != http.StatusCreated {
		t.Fatalf("%s: %d %v", path, status, out)
	}
	return out
}

// screen stands for the page in the browser: it sends what is on it as context, and answers
// retrieve_items as the SDK does.
type screen struct {
	t       *testing.T
	demo    *demo.Demo
	agent   *agent.Agent
	place   page.Place
	context []agui.ContextItem
	items   map[string][]any // the full items behind what is sent in brief
	approve bool             // what the user says to an approval
	answers []string         // what the user says to questions, in order

	demotest.Answer // of the last question
}

// scripted is the demo's model: reading its rules takes a while.
var scripted = sync.OnceValues(demo.NewScripted)

func newScreen(t *testing.T, d *demo.Demo, s scene) *screen {
	t.Helper()
	model := must.Get(scripted())(t)
	a := demotest.NewAgent(t, d, model.WithPace(0), demo.Connectable(d.Pages()))
	a.Limits.ContextTokens = 4000
	sc := &screen{t: t, demo: d, agent: a, place: page.ParsePlace(s.Place), items: map[string][]any{}, approve: true}
	sc.place.Scope = s.Scope
	sc.show(s)
	return sc
}

func (s *screen) add(description string, value any) {
	text := must.Get(json.Marshal(value))(s.t)
	s.context = append(s.context, agui.ContextItem{Description: description, Value: string(text)})
}

// show fills the page as the browser does: it asks the API and sends what it got in brief.
func (s *screen) show(sc scene) {
	info := get(s.t, s.demo, "info")
	lib, trials := info["library"].(object), info["trials"].(object)
	s.add("Research: library", object{"articles": lib["articles"], "generated": lib["generated"], "label": lib["label"], "trials": trials["count"], "trialsLabel": trials["label"]})
	set := sc.State
	if set == nil {
		set = &state{}
	}
	switch s.place.Page {
	case "streams":
		newest := []object{}
		for _, a := range post(s.t, s.demo, "articles/search", object{"pageSize": 10})["articles"].([]any) {
			newest = append(newest, pick(a.(object), "pmid", "title", "date"))
		}
		s.add("Research: streams", object{"streams": get(s.t, s.demo, "streams")["streams"], "newestArticles": newest})
	case "edit_research_stream":
		stream := get(s.t, s.demo, "streams/"+s.place.Scope["stream"])
		stream["dirty"] = false
		s.add("Research: stream", stream)
		if s.place.Tab == "execute" {
			s.showArticles(set)
		}
	case "trials":
		s.showTrials(set)
	case "reports":
		s.add("Research: reports", object{"reports": get(s.t, s.demo, "reports")["reports"], "selected": nonNil(set.Selected)})
	}
}

func nonNil(list []string) []string { return append([]string{}, list...) }

func (s *screen) showArticles(set *state) {
	in := object{"query": *set.Query, "filters": set.Filters, "pageSize": set.PageSize}
	found := post(s.t, s.demo, "articles/search", in)
	articles := found["articles"].([]any)
	brief := []object{}
	for _, a := range articles {
		brief = append(brief, pick(a.(object), "pmid", "title", "journal", "date", "types"))
	}
	s.items["Research: article search"] = articles
	s.add("Research: article search", object{"query": *set.Query, "filters": set.Filters, "sort": "date", "dir": "desc", "page": 1, "pageSize": set.PageSize,
		"total": found["total"], "shown": len(articles), "articles": brief})
}

func (s *screen) showTrials(set *state) {
	in := object{"pageSize": set.PageSize}
	form, _ := json.Marshal(set.Form)
	_ = json.Unmarshal(form, &in)
	found := post(s.t, s.demo, "trials/search", in)
	trials := found["trials"].([]any)
	brief := []object{}
	for _, tr := range trials {
		brief = append(brief, pick(tr.(object), "nct", "title", "phase", "status", "start"))
	}
	s.items["Research: trial search"] = trials
	s.add("Research: trial search", object{"form": set.Form, "sort": "start", "dir": "desc", "page": 1, "pageSize": set.PageSize, "total": found["total"], "loaded": len(trials), "trials": brief})
}

func pick(o object, names ...string) object {
	out := object{}
	for _, n := range names {
		if v, ok := o[n]; ok {
			out[n] = v
		}
	}
	return out
}

// ask plays a question and returns the text of its answer.
func (s *screen) ask(question string) string {
	s.t.Helper()
	s.Answer = demotest.Ask(s.t, s.agent, s, question)
	return s.Text
}

func (s *screen) Input() agent.Input {
	in := agent.Input{Place: s.place, Context: s.context}
	if len(s.items) > 0 {
		in.Frontend = []agui.Tool{{Name: "retrieve_items", Description: "Returns items of the page in full.", Parameters: json.RawMessage(`{"type":"object"}`)}}
	}
	return in
}

// Decide is what the user says to an approval or a question.
func (s *screen) Decide(i calls.Interrupt) agui.ResumeEntry {
	e := agui.ResumeEntry{InterruptID: i.ID, Status: agui.ResumeResolved}
	if i.Reason == calls.ReasonInput {
		if len(s.answers) == 0 {
			e.Status = agui.ResumeCancelled
			return e
		}
		e.Payload, _ = json.Marshal(object{"answer": s.answers[0]})
		s.answers = s.answers[1:]
		return e
	}
	e.Payload, _ = json.Marshal(object{"approved": s.approve})
	return e
}

// RunTool is retrieve_items.
func (s *screen) RunTool(_, args string) any {
	in := must.JSON[struct {
		Source   string
		From, To int
		Fields   []string
	}](s.t, args)
	all := s.items[in.Source]
	items := []object{}
	for i := in.From; i < min(in.To, len(all)); i++ {
		items = append(items, object{"position": i, "item": pick(all[i].(object), in.Fields...)})
	}
	return object{"results": []object{{"source": in.Source, "total": len(all), "items": items}}}
}

// scene is something to try, as scenarios.json has it.
type scene struct {
	ID, Text, Place string
	Scope           map[string]string
	State           *state
	Payload         string `json:"card"`
}

type state struct {
	Query    *string
	Filters  *library.Filters
	Form     *library.TrialForm
	PageSize int
	Selected []string
}

func scenes(t *testing.T) (list []scene) {
	t.Helper()
	must.Do(t, json.Unmarshal(research.Scenarios(), &list))
	return list
}

// scenario is a scene by its id, or any on a page, with nothing set there.
func scenario(t *testing.T, id string) scene {
	t.Helper()
	for _, sc := range scenes(t) {
		if sc.ID == id {
			return sc
		}
		if sc.Place == id {
			sc.State = &state{Query: new(string), PageSize: 100}
			return sc
		}
	}
	t.Fatal("there is no scenario ", id)
	return scene{}
}

// TestScenariosPlay plays every scenario, on the generated library and on the real one: each has an
// answer and the payload that it promises, which is what its type declares.
func TestScenariosPlay(t *testing.T) {
	play := func(t *testing.T, d *demo.Demo) {
		schemas, seen := map[string]*tool.Schema{}, map[string]bool{}
		for _, p := range d.Payloads() {
			compiled, err := tool.CompileSchema(p.Schema)
			if err != nil {
				t.Fatalf("%s: %v", p.Name, err)
			}
			schemas[p.Name] = compiled
		}
		for _, sc := range scenes(t) {
			s := newScreen(t, d, sc)
			s.answers = []string{s.reportName(1), s.reportName(0)}
			answer := s.ask(sc.Text)
			if sc.Payload != "" && s.Payloads[sc.Payload] == nil {
				t.Errorf("%s: no payload %s: %s\ncalls %s", sc.ID, sc.Payload, answer, strings.Join(s.Calls, "\n"))
			}
			if strings.Contains(answer, "could not") || refused(answer) {
				t.Errorf("%s: %s", sc.ID, answer)
			}
			for name, data := range s.Payloads {
				if schemas[name] == nil {
					continue // the product's own
				}
				seen[name] = true
				if err := schemas[name].Validate([]byte(compact(data))); err != nil {
					t.Errorf("%s: %s: %v\n%s", sc.ID, name, err, compact(data))
				}
			}
		}
		must.Be(t, len(seen), len(schemas), "the scenarios show only %v", seen)
	}
	t.Run("generated", func(t *testing.T) { play(t, newDemo(t)) })
	t.Run("real", func(t *testing.T) { play(t, openReal(t)) })
}

// reportName is the name of the i-th report of the list.
func (s *screen) reportName(i int) string {
	return get(s.t, s.demo, "reports")["reports"].([]any)[i].(object)["name"].(string)
}

var compact = demotest.Compact
