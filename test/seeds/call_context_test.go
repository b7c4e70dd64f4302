package seeds

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/config"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
	"github.com/pageside/pageside/tool/httptool/signed"
)

// seen keeps the calls of a tool.
type seen struct {
	mu    sync.Mutex
	calls []tool.Call
}

func (s *seen) add(c *tool.Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, *c)
}

func (s *seen) last(t *testing.T) tool.Call {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.calls) == 0 {
		t.Fatal("the tool was not called")
	}
	return s.calls[len(s.calls)-1]
}

type renameInput struct {
	StreamID int    `json:"stream_id"`
	Name     string `json:"name"`
}

// renames is a tool whose stream is that of the page.
func (s *seen) renames(effect tool.Effect) *tool.Tool {
	t := tool.New("rename", "Renames the stream.", func(_ context.Context, call *tool.Call, in renameInput) (tool.Result, error) {
		s.add(call)
		return tool.Result{Text: fmt.Sprintf("stream %d is called %s", in.StreamID, in.Name)}, nil
	})
	t.Global, t.Effect, t.Bind = true, effect, map[string]tool.Source{"stream_id": "scope.stream"}
	return t
}

func withTools(tools ...*tool.Tool) func(*config.Options) {
	return func(o *config.Options) { o.Tools = tools }
}

const onStream42 = `{"page":"streams","tab":"edit","scope":{"stream":"42"},"context":[{"id":"rows","label":"Selected rows","kind":"dynamic","source":"table"}]}`

// TestToolKnowsWhoAsksAndWhere: execute(params, db, user_id, context).
func TestToolKnowsWhoAsksAndWhere(t *testing.T) {
	s := &seen{}
	w := start(t, oneAgent, withTools(s.renames(tool.Read)))
	rows := strings.Repeat("a row of the table, ", 2000) // more than the model is shown
	w.model.will(calls("c1", "rename", `{"name":"Trials"}`))
	w.ask("t1", "r1", "Rename it.", at(onStream42), fmt.Sprintf(`"context":[{"description":"the rows","value":%q}]`, rows))
	call := s.last(t)
	ada := auth.Principal{Tenant: "acme", Subject: "ada", Roles: []string{"user"}}
	must.Same(t, call.Principal, ada, "the tool is called for")
	want := tool.Origin{Place: tool.Place{Page: "streams", Tab: "edit"}, Scope: map[string]string{"stream": "42"},
		Context: []tool.ContextItem{{ID: "rows", Label: "Selected rows", Source: "table", Description: "the rows", Value: rows}}}
	must.Same(t, call.Origin, want, "the tool is called from")
	must.Lack(t, prompt(w.model.asked()[0]), rows, "the model is shown less, or the test shows nothing: its prompt")
}

// TestIDsThatTheScopeFixesAreNotTheModels: the model neither sees nor chooses a bound argument.
func TestIDsThatTheScopeFixesAreNotTheModels(t *testing.T) {
	s := &seen{}
	w := start(t, oneAgent, withTools(s.renames(tool.Read)))
	w.model.will(calls("c1", "rename", `{"name":"mine","stream_id":43}`), calls("c2", "rename", `{"name":"mine"}`), calls("c3", "rename", `{"name":"mine","stream_id":42}`))
	all := w.ask("t1", "r1", "Rename stream 43.", at(onStream42))
	if d := declared(w.model.asked()[0], "rename"); d == nil || strings.Contains(string(d.Parameters), "stream_id") || !strings.Contains(string(d.Parameters), "name") {
		t.Errorf("the model is offered %+v", d)
	}
	results := named(all, "TOOL_CALL_RESULT")
	if len(results) != 3 || !strings.Contains(string(results[0].Raw), "leave it out") || !strings.Contains(string(results[1].Raw), "stream 42 is called mine") {
		t.Errorf("the results are %s", results)
	}
	must.Be(t, len(s.calls), 2, "times that the tool ran")
	must.Be(t, string(s.calls[0].Args), `{"name":"mine","stream_id":42}`, "the tool ran with")
}

// TestToolNeedsWhatItsArgumentsAreBoundTo: where the scope has no stream, or none that fits, the
// tool is not offered, and an operator can see why.
func TestToolNeedsWhatItsArgumentsAreBoundTo(t *testing.T) {
	w := start(t, oneAgent+"permissions: [{admin: [resolve], agents: ['*'], pages: ['*'], then: allow}]\n", withTools((&seen{}).renames(tool.Read)))
	for i, where := range []string{`{"page":"streams"}`, `{"page":"streams","scope":{"stream":"all of them"}}`} {
		w.model.will(calls("c1", "rename", `{"name":"mine","stream_id":42}`))
		all := w.ask(fmt.Sprint("t", i), fmt.Sprint("r", i), "Rename it.", at(where))
		if declared(w.model.last(), "rename") != nil {
			t.Errorf("at %s the tool is offered", where)
		}
		if results := named(all, "TOOL_CALL_RESULT"); len(results) != 1 || !strings.Contains(string(results[0].Raw), "cannot be used here") {
			t.Errorf("at %s the call is answered with %s", where, results)
		}
	}
	_, body := w.do(http.MethodPost, "/v1/resolve", `{"page":"streams"}`)
	must.Have(t, body, `"withheld":[{"name":"rename","rule":"","reason":"scope.stream has no value here"}]`, "it says")
	_, body = w.do(http.MethodPost, "/v1/resolve", `{"page":"streams","scope":{"stream":"42"}}`)
	must.Lack(t, body, `"withheld":[{`, "of a place with a stream it says")
}

// TestApprovedCallRunsAsItWasShown: the approval shows the bound argument, and the answer may come
// from another place.
func TestApprovedCallRunsAsItWasShown(t *testing.T) {
	s := &seen{}
	renames := s.renames(tool.Write)
	renames.Policy.Approval = tool.ApprovalAlways
	w := start(t, oneAgent, withTools(renames))
	w.model.will(calls("c1", "rename", `{"name":"Trials"}`))
	all := w.ask("t1", "r1", "Rename it.", at(onStream42))
	end := named(all, "RUN_FINISHED")[0]
	finished := must.JSON[struct {
		Outcome struct {
			Interrupts []struct {
				ID       string
				Metadata struct {
					Pageside struct{ Args json.RawMessage }
				}
			}
		}
	}](t, end.Raw)
	asks := finished.Outcome.Interrupts
	if len(asks) != 1 || string(asks[0].Metadata.Pageside.Args) != `{"name":"Trials","stream_id":42}` {
		t.Fatalf("the user is asked %s", end.Raw)
	}
	w.restart()
	resume := fmt.Sprintf(`"resume":[{"interruptId":%q,"status":"resolved","payload":%%s}]`, asks[0].ID)
	elsewhere := at(`{"page":"reports","scope":{"stream":"7"}}`)
	w.run(`{"threadId":"t1","runId":"r2","messages":[],"tools":[],"context":[],` + elsewhere + `,` +
		fmt.Sprintf(resume, `{"approved":true,"args":{"name":"Trials","stream_id":7}}`) + `}`)
	if len(s.calls) != 0 {
		t.Fatalf("an edited answer chose the stream: %s", s.calls[0].Args)
	}
	w.run(`{"threadId":"t1","runId":"r3","messages":[],"tools":[],"context":[],` + elsewhere + `,` + fmt.Sprintf(resume, `{"approved":true}`) + `}`)
	call := s.last(t)
	if string(call.Args) != `{"name":"Trials","stream_id":42}` || call.Place.Page != "streams" || call.Scope["stream"] != "42" {
		t.Errorf("the call ran with %s at %+v %v", call.Args, call.Place, call.Scope)
	}
}

// TestCallAfterACrashKnowsWhoAsksAndWhere: a call that runs again in the next process.
func TestCallAfterACrashKnowsWhoAsksAndWhere(t *testing.T) {
	s, began := &seen{}, make(chan struct{}, 1)
	looks := tool.New("look", "Looks.", func(ctx context.Context, call *tool.Call, _ struct{}) (tool.Result, error) {
		s.add(call)
		s.mu.Lock()
		first := len(s.calls) == 1
		s.mu.Unlock()
		if first { // until the process ends
			began <- struct{}{}
			<-ctx.Done()
			return tool.Result{}, ctx.Err()
		}
		return tool.Result{Text: "seen"}, nil
	})
	looks.Global, looks.Effect = true, tool.Read
	w := start(t, oneAgent, withTools(looks))
	w.model.will(calls("c1", "look", `{}`))
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.do(http.MethodPost, "/v1/agents/default/run", `{"threadId":"t1","runId":"r1","messages":[{"id":"m1","role":"user","content":"Look."}],"tools":[],"context":[{"description":"rows","value":"one"}],`+at(onStream42)+`}`)
	}()
	<-began
	w.hurry = true
	w.restart()
	<-done
	w.do(http.MethodGet, "/v1/runs/r1/events", "")
	if len(s.calls) != 2 {
		t.Fatalf("the tool was called %d times", len(s.calls))
	}
	before, after := s.calls[0], s.calls[1]
	if !reflect.DeepEqual(before.Origin, after.Origin) || !reflect.DeepEqual(before.Principal, after.Principal) || before.Key != after.Key {
		t.Errorf("before: %+v %+v\nafter: %+v %+v", before.Principal, before.Origin, after.Principal, after.Origin)
	}
}

// TestHTTPToolCanTrustWhatItIsTold: URL, header and body carry who asks and where, and the endpoint
// can check the signature.
func TestHTTPToolCanTrustWhatItIsTold(t *testing.T) {
	const secret = "a secret that both sides know"
	verifier := signed.NewVerifier(secret)
	var got []string
	endpoint := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		caller, err := verifier.Request(r)
		got = append(got, fmt.Sprintf("%s %+v %v %s %v", r.RequestURI, caller.Principal, caller.Scope, r.Header.Get("X-Place"), err))
		fmt.Fprint(rw, `{"ok":true}`)
	}))
	defer endpoint.Close()
	yaml := oneAgent + `
egress: {private: [127.0.0.1]}
tools:
  - name: file
    description: Files a note.
    global: true
    effect: read
    method: POST
    url: "` + endpoint.URL + `/streams/{{ .scope.stream }}/notes?by={{ .principal.subject }}"
    headers: {X-Place: "{{ .place.path }}"}
    sign: {secret: env:SECRET, send: [principal, scope]}
    input: {type: object, properties: {text: {type: string}, tenant: {type: string}}, required: [text, tenant]}
    bind: {tenant: principal.tenant}
`
	w := start(t, yaml, func(o *config.Options) { o.Env = func(string) string { return secret } })
	w.model.will(calls("c1", "file", `{"text":"hello"}`))
	w.ask("t1", "r1", "File it.", at(onStream42))
	const want = "/streams/42/notes?by=ada {Subject:ada Tenant:acme Roles:[user]} map[stream:42] streams/edit <nil>"
	must.Be(t, strings.Join(got, "; "), want, "the endpoint sees")
	w.ask("t2", "r2", "File it.", at(`{"page":"streams"}`))
	if declared(w.model.last(), "file") != nil {
		t.Error("without a stream the tool is offered: its URL cannot be made")
	}
}
