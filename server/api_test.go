package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest/dialects"
	"github.com/pageside/pageside/llm/script"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/payload"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/suggest"
	"github.com/pageside/pageside/tool"
)

const pageRules = `
name: test
rules:
  - match: '^propose'
    steps: [{ text: "Here it is:\nPROPOSAL: {\"name\": \"x\"}\nDo you like it?" }]
  - match: '^hello'
    steps: [{ text: 'Hello, {{ .User }}' }]
  - fallback: true
    steps: [{ text: 'ok' }]
`

// newPageSite is a server with one page that has everything a page can have.
func newPageSite(t *testing.T, adjust func(*server.Config)) *site {
	t.Helper()
	model, err := script.Parse("test", []byte(pageRules))
	must(t, err)
	type export struct {
		Format string `json:"format"`
	}
	exporter := tool.New("export", "Exports.", func(_ context.Context, _ *tool.Call, in export) (tool.Result, error) {
		if in.Format == "paper" {
			return tool.Result{}, errors.New("there is no printer")
		}
		return tool.Result{Text: "exported as " + in.Format, Payload: map[string]string{"name": in.Format}}, nil
	})
	exporter.PayloadType, exporter.Effect = "exported", tool.Read
	tools, err := tool.NewRegistry(exporter)
	must(t, err)
	payloads, err := payload.NewRegistry(&payload.Type{Name: "exported"}, &payload.Type{
		Name: "proposal", Source: payload.FromLLM, Marker: "PROPOSAL:", Instructions: "Propose.",
		Schema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}}}`),
	})
	must(t, err)
	pages, err := page.NewRegistry(tools, payloads, page.Page{
		Name: "reports", Title: "Reports", Instructions: "The user reads reports.", Payloads: []string{"proposal"},
		Actions:     []page.Action{{Name: "open", Handler: page.HandlerClient}, {Name: "export", Handler: page.HandlerServer, Tool: "export"}},
		Suggestions: []page.Suggestion{{Label: "Compare", Value: "Compare the reports"}},
	}, page.Page{Name: "many", Suggestions: []page.Suggestion{{Label: "One", Value: "1"}, {Label: "Two", Value: "2"}}})
	must(t, err)
	return newSite(t, func(c *server.Config) {
		runs, err := run.NewManager(t.Context(), run.Config{Store: temp.Store(t), Agents: run.Loops(&agent.Agent{Authorizer: policy.Everything, Approvals: agent.Approvals{IgnoreTaint: true}, ID: "default", Instructions: "Be brief.", Model: model, Pages: pages}), Logger: c.Logger})
		must(t, err)
		t.Cleanup(func() { runs.Drain(t.Context()) })
		c.Runs = runs
		if adjust != nil {
			adjust(c)
		}
	})
}

// send makes a request with a JSON body and returns the answer's body, whose status must be the
// given one.
func (s *site) send(method, path, body string, status int) string {
	s.t.Helper()
	resp, err := s.sendIn(s.t.Context(), method, path, body)
	must(s.t, err)
	defer resp.Body.Close()
	return s.read(resp, status)
}

func (s *site) sendIn(ctx context.Context, method, path, body string) (*http.Response, error) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, s.URL+path, strings.NewReader(body))
	must(s.t, err)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	return http.DefaultClient.Do(req)
}

func (s *site) expect(method, path, body string, status int, want ...string) {
	s.t.Helper()
	got := s.send(method, path, body, status)
	for _, w := range want {
		if !strings.Contains(got, w) {
			s.t.Errorf("%s %s: %s lacks %s", method, path, got, w)
		}
	}
}

func (s *site) run(thread, runID, text string) string {
	s.t.Helper()
	return s.read(s.post(input(thread, runID, text)), http.StatusOK)
}

func TestThreadsAreSearchedRenamedArchivedAndDeletedWithUndo(t *testing.T) {
	s := newSite(t, nil)
	s.run("t1", "r1", "hello about elephants")
	s.run("t2", "r2", "hello about giraffes")
	s.expect("GET", "/v1/threads?q=eleph", "", 200, `"id":"t1"`, "elephants")
	if got := s.send("GET", "/v1/threads?q=eleph", "", 200); strings.Contains(got, `"t2"`) {
		t.Errorf("the search finds too much: %s", got)
	}
	s.expect("PATCH", "/v1/threads/t1", `{"title":"Grey animals"}`, 200, `"title":"Grey animals"`)
	s.expect("GET", "/v1/threads?q=grey", "", 200, `"id":"t1"`)
	s.expect("PATCH", "/v1/threads/t1", `{"archived":true}`, 200, `"archived":true`)
	if got := s.send("GET", "/v1/threads", "", 200); strings.Contains(got, `"t1"`) {
		t.Errorf("an archived thread is listed: %s", got)
	}
	s.expect("GET", "/v1/threads?archived=true", "", 200, `"id":"t1"`)
	s.send("DELETE", "/v1/threads/t2", "", 204)
	if got := s.send("GET", "/v1/threads", "", 200); strings.Contains(got, `"t2"`) {
		t.Errorf("a deleted thread is listed: %s", got)
	}
	s.expect("GET", "/v1/threads?deleted=true", "", 200, `"id":"t2"`, `"deletedAt"`)
	s.expect("PATCH", "/v1/threads/t2", `{"deleted":false}`, 200)
	s.expect("GET", "/v1/threads", "", 200, `"id":"t2"`)

	s.expect("PATCH", "/v1/threads/t1", `{"titel":"x"}`, 400, `"field":"titel"`)
	s.expect("PATCH", "/v1/threads/t1", `{"title":"`+strings.Repeat("x", 201)+`"}`, 400, `"field":"title"`)
	s.expect("PATCH", "/v1/threads/t1", `{"head":"nothing"}`, 409, `"field":"head"`)
	s.expect("PATCH", "/v1/threads/none", `{"title":"x"}`, 404)
	s.expect("DELETE", "/v1/threads/none", "", 404)
	s.expect("GET", "/v1/threads?archived=perhaps", "", 400, `"field":"archived"`)
	s.expect("GET", "/v1/threads?q="+strings.Repeat("x", 600), "", 400, `"field":"q"`)
}

func TestPinnedThreadsComeFirst(t *testing.T) {
	s := newSite(t, nil)
	for _, id := range []string{"1", "2", "3"} {
		s.run("t"+id, "r"+id, "hello about elephants")
	}
	s.expect("PATCH", "/v1/threads/t1", `{"pinned":true}`, 200, `"id":"t1"`, `"pinned":true`)
	s.expect("GET", "/v1/threads/t1", "", 200, `"pinned":true`)
	for _, query := range []string{"?limit=2", "?limit=2&q=eleph"} {
		var ids []string
		for cursor := ""; ; {
			var page struct {
				Threads []struct {
					ID     string
					Pinned bool
				}
				Next string
			}
			must(t, json.Unmarshal([]byte(s.send("GET", "/v1/threads"+query+cursor, "", 200)), &page))
			for _, thread := range page.Threads {
				ids = append(ids, thread.ID)
				if thread.Pinned != (thread.ID == "t1") {
					t.Errorf("%s: %s: pinned is %v", query, thread.ID, thread.Pinned)
				}
			}
			if page.Next == "" {
				break
			}
			cursor = "&cursor=" + page.Next
		}
		if want := []string{"t1", "t3", "t2"}; !slices.Equal(ids, want) {
			t.Errorf("%s lists %q, want %q", query, ids, want)
		}
	}
	s.expect("PATCH", "/v1/threads/t1", `{"pinned":false}`, 200, `"pinned":false`)
	if got := s.send("GET", "/v1/threads?limit=1", "", 200); !strings.Contains(got, `"t3"`) {
		t.Errorf("an unpinned thread is still first: %s", got)
	}
	s.expect("PATCH", "/v1/threads/t1", `{"pinned":"yes"}`, 400, `"field":"pinned"`)
	s.expect("PATCH", "/v1/threads/none", `{"pinned":true}`, 404)
}

func TestAnEditedMessageMakesABranchAndNothingIsOverwritten(t *testing.T) {
	s := newSite(t, nil)
	s.run("t1", "r1", "hello one")
	s.run("t1", "r2", "hello two")
	edit := strings.Replace(input("t1", "r3", "hello three"), `"forwardedProps":{}`, `"forwardedProps":{"pageside":{"replaces":"u-r2"}}`, 1)
	s.read(s.post(edit), 200)
	var runs struct {
		Head string
		Runs []struct {
			ID, ParentRunID string
			Current         bool
			UserMessage     struct{ ID, Preview string }
		}
	}
	list := func() string {
		must(t, json.Unmarshal([]byte(s.send("GET", "/v1/threads/t1/runs", "", 200)), &runs))
		var shown []string
		for _, r := range runs.Runs {
			if r.Current {
				shown = append(shown, r.UserMessage.Preview)
			}
		}
		return runs.Head + ": " + strings.Join(shown, ", ")
	}
	if got := list(); got != "r3: hello one, hello three" || runs.Runs[1].ParentRunID != runs.Runs[2].ParentRunID {
		t.Errorf("after the edit: %s (%+v)", got, runs)
	}
	if got := s.send("GET", "/v1/threads/t1/messages", "", 200); strings.Contains(got, "hello two") || !strings.Contains(got, "hello three") {
		t.Errorf("messages are %s", got)
	}
	s.expect("PATCH", "/v1/threads/t1", `{"head":"r2"}`, 200, `"head":"r2"`)
	if got := list(); got != "r2: hello one, hello two" {
		t.Errorf("after going back: %s", got)
	}
	if got := s.send("GET", "/v1/threads/t1/messages", "", 200); !strings.Contains(got, "hello two") || strings.Contains(got, "hello three") {
		t.Errorf("messages are %s", got)
	}
}

func TestARunIsFollowedFromWhereItWasLeft(t *testing.T) {
	s := newSite(t, nil)
	whole := s.run("t1", "r1", "hello")
	frames := strings.SplitAfter(whole, "\n\n")
	if got := s.send("GET", "/v1/runs/r1/events?protocolVersion=1.0", "", 200); got != whole {
		t.Errorf("the run is followed as %q, not %q", got, whole)
	}
	for i := range len(frames) - 1 {
		id := strings.TrimPrefix(strings.SplitN(frames[i], "\n", 2)[0], "id: ")
		want := strings.Join(frames[i+1:], "")
		if got := s.send("GET", "/v1/runs/r1/events?protocolVersion=1.0&lastEventId="+id, "", 200); got != want {
			t.Errorf("after %s: %q, want %q", id, got, want)
		}
	}
	s.expect("GET", "/v1/runs/none/events", "", 404)
	s.expect("GET", "/v1/runs/r1/events?lastEventId=x", "", 422, `"field":"Last-Event-ID"`)
	s.expect("GET", "/v1/threads/t1/events", "", 200, "RUN_STARTED", "MESSAGES_SNAPSHOT", "RUN_FINISHED", "Hello")
	s.expect("GET", "/v1/threads/none/events", "", 404)
	s.expect("GET", "/v1/threads/t1/events?stay=maybe", "", 400, `"field":"stay"`)
}

func TestFeedbackIsKeptWithItsMessage(t *testing.T) {
	s := newSite(t, nil)
	s.run("t1", "r1", "hello")
	s.send("PUT", "/v1/threads/t1/messages/u-r1/feedback", `{"rating":-1,"comment":"no"}`, 204)
	s.expect("GET", "/v1/threads/t1/messages", "", 200, `"feedback":{"rating":-1,"comment":"no"}`)
	s.send("PUT", "/v1/threads/t1/messages/u-r1/feedback", `{"rating":-1,"reason":"too_long"}`, 204)
	s.expect("GET", "/v1/threads/t1/messages", "", 200, `"feedback":{"rating":-1,"reason":"too_long","comment":""}`)
	s.expect("PUT", "/v1/threads/t1/messages/u-r1/feedback", `{"rating":-1,"reason":"ugly"}`, 400, `"field":"reason"`, "incorrect, incomplete")
	s.expect("PUT", "/v1/threads/t1/messages/u-r1/feedback", `{"rating":1,"reason":"too_long"}`, 400, `"field":"reason"`)
	s.send("PUT", "/v1/threads/t1/messages/u-r1/feedback", `{"rating":0}`, 204)
	if got := s.send("GET", "/v1/threads/t1/messages", "", 200); strings.Contains(got, "feedback") {
		t.Errorf("feedback that was taken back is kept: %s", got)
	}
	s.expect("PUT", "/v1/threads/t1/messages/u-r1/feedback", `{"rating":5}`, 400, `"field":"rating"`)
	s.expect("PUT", "/v1/threads/t1/messages/none/feedback", `{"rating":1}`, 404)
}

func TestARatingIsOnItsMessageWhereTheThreadIsLoaded(t *testing.T) {
	s := newSite(t, nil)
	s.run("t1", "r1", "hello")
	s.send("PUT", "/v1/threads/t1/messages/u-r1/feedback", `{"rating":-1,"comment":"no"}`, 204)
	s.send("PUT", "/v1/threads/t1/messages/u-r1/feedback", `{"rating":1,"comment":"between us"}`, 204)
	loaded := s.send("GET", "/v1/threads/t1/events", "", 200)
	if !strings.Contains(loaded, `"metadata":{"pageside":{"feedback":{"rating":1}}}`) || strings.Contains(loaded, "between us") {
		t.Errorf("the snapshot is %s", loaded)
	}
	s.send("PUT", "/v1/threads/t1/messages/u-r1/feedback", `{"rating":0}`, 204)
	if loaded := s.send("GET", "/v1/threads/t1/events", "", 200); strings.Contains(loaded, "metadata") {
		t.Errorf("a rating that was taken back is told: %s", loaded)
	}
}

func TestACardIsAcceptedAndTheModelIsToldOnce(t *testing.T) {
	s := newPageSite(t, nil)
	at := func(body string) string {
		return strings.Replace(body, `"forwardedProps":{}`, `"forwardedProps":{"pageside":{"page":"reports"}}`, 1)
	}
	stream := s.read(s.post(at(input("t1", "r1", "propose"))), 200)
	_, rest, ok := strings.Cut(stream, `"type":"ACTIVITY_SNAPSHOT","messageId":"`)
	if !ok {
		_, rest, ok = strings.Cut(stream, `ACTIVITY_SNAPSHOT`)
		_, rest, _ = strings.Cut(rest, `"messageId":"`)
	}
	card, _, _ := strings.Cut(rest, `"`)
	if !ok || strings.Contains(stream, "PROPOSAL:") {
		t.Fatalf("no card in %s", stream)
	}
	s.send("PUT", "/v1/threads/t1/payloads/"+card, `{"status":"accepted"}`, 204)
	s.expect("GET", "/v1/threads/t1/messages", "", 200, `"status":"accepted"`)
	s.expect("PUT", "/v1/threads/t1/payloads/"+card, `{"status":"eaten"}`, 422, `"field":"status"`)
	s.expect("PUT", "/v1/threads/t1/payloads/u-r1", `{"status":"accepted"}`, 422, `"field":"messageId"`)
	s.expect("PUT", "/v1/threads/t1/payloads/none", `{"status":"accepted"}`, 404)
	for _, id := range []string{"r2", "r3"} {
		s.read(s.post(at(input("t1", id, "hello"))), 200)
	}
	if got := s.send("GET", "/v1/threads/t1/messages", "", 200); strings.Count(got, `"kind":"payload"`) != 1 {
		t.Errorf("the model is told %d times: %s", strings.Count(got, `"kind":"payload"`), got)
	}
}

func TestAServerActionRunsItsToolWhereThePageDeclaresIt(t *testing.T) {
	s := newPageSite(t, nil)
	s.expect("POST", "/v1/actions/export", `{"page":"reports","args":{"format":"csv"}}`, 200, `"text":"exported as csv"`, `"payloadType":"exported"`, `"payload":{"name":"csv"}`)
	s.expect("POST", "/v1/actions/export", `{"page":"reports","args":{"format":"paper"}}`, 200, `"isError":true`, "there is no printer")
	s.expect("POST", "/v1/actions/export", `{"page":"reports","args":{"format":7}}`, 422, `"field":"args"`)
	s.expect("POST", "/v1/actions/export", `{"args":{"format":"csv"}}`, 404, "unknown_action")
	s.expect("POST", "/v1/actions/open", `{"page":"reports"}`, 404, "unknown_action")
	s.expect("POST", "/v1/actions/export", `{"page":"reports","agent":"nobody"}`, 404, "unknown_agent")
	s.expect("POST", "/v1/actions/export", `{"tab":"x"}`, 400, `"field":"tab"`)
}

func TestInstructionsOfAScopeReachTheNextRunAndTheResolvedPrompt(t *testing.T) {
	s := newPageSite(t, nil)
	s.expect("GET", "/v1/instructions/stream/42", "", 404)
	s.send("PUT", "/v1/instructions/stream/42", `{"text":"Focus on trials."}`, 204)
	s.expect("GET", "/v1/instructions/stream/42", "", 200, `"text":"Focus on trials."`, `"updatedBy":"local"`)
	s.expect("POST", "/v1/resolve", `{"page":"reports","scope":{"stream":"42"}}`, 200,
		`"name":"proposal"`, `"name":"export"`, `"handler":"server"`, "Focus on trials.", "The user reads reports.", "Be brief.", `"tokens":`, `"label":"Compare"`)
	if got := s.send("POST", "/v1/resolve", `{"page":"reports"}`, 200); strings.Contains(got, "Focus") {
		t.Errorf("instructions without their scope: %s", got)
	}
	s.send("DELETE", "/v1/instructions/stream/42", "", 204)
	s.expect("GET", "/v1/instructions/stream/42", "", 404)
	s.expect("PUT", "/v1/instructions/stream/42", `{"text":""}`, 400, `"field":"text"`)
	s.expect("PUT", "/v1/instructions/stream/42", `{"text":"`+strings.Repeat("x", 17<<10)+`"}`, 400, `"field":"text"`)
}

func TestDefinitionsNameToolsPayloadsAndPages(t *testing.T) {
	s := newPageSite(t, nil)
	body := s.send("GET", "/v1/definitions", "", 200)
	for _, want := range []string{`"name":"export"`, `"inputSchema":{`, `"effect":"read"`, `"payloadType":"exported"`, `"source":"llm"`, `"title":"Reports"`, `"actions":[{"name":"open"`} {
		if !strings.Contains(body, want) {
			t.Errorf("%s lacks %s", body, want)
		}
	}
	if strings.Contains(body, "The user reads") || strings.Contains(body, "Propose.") {
		t.Errorf("instructions are shown: %s", body)
	}
}

// suggesting is a model that suggests one thing, or fails.
func suggesting(failure error) llm.Model {
	answer := func(context.Context, *llm.Request) ([]llm.Part, error) {
		if failure != nil {
			return nil, failure
		}
		return dialects.Says(`[{"label":"Why?","value":"Why is that?"}]`), nil
	}
	return dialects.Fake{Is: llm.Info{Provider: "test", Model: "m"}, Answer: answer}
}

func TestSuggestionsComeFromTheModelElseFromThePage(t *testing.T) {
	const question = `{"page":"reports","instructions":"About reports.","context":[{"description":"d","value":"v"}]}`
	plain := newPageSite(t, nil)
	plain.expect("POST", "/v1/suggestions", question, 200, `"label":"Compare"`, `"source":"static"`)
	s := newPageSite(t, func(c *server.Config) {
		c.Suggester = suggest.New(suggest.Config{Model: suggesting(nil), Burst: 1, Every: time.Hour})
	})
	s.expect("POST", "/v1/suggestions", question, 200, `"label":"Why?"`, `"source":"model"`)
	s.expect("POST", "/v1/suggestions", question, 200, `"label":"Why?"`, `"source":"cache"`)
	// too many
	s.expect("POST", "/v1/suggestions", `{"page":"reports","instructions":"Others."}`, 200, `"source":"static"`)
	s.expect("POST", "/v1/suggestions", `{"instructions":"Others."}`, 429, `"rate_limited"`)
	resp, err := s.sendIn(t.Context(), "POST", "/v1/suggestions", `{"instructions":"Others."}`)
	must(t, err)
	resp.Body.Close()
	if wait, err := strconv.Atoi(resp.Header.Get("Retry-After")); err != nil || wait < 3000 || wait > 3600 {
		t.Errorf("Retry-After is %q, want nearly the hour that suggestions are apart", resp.Header.Get("Retry-After"))
	}
	s.expect("POST", "/v1/suggestions", `{"max":9}`, 400, `"field":"max"`)
	busy := &llm.Error{Kind: llm.KindOverloaded, Model: "test/m", Message: "busy"}
	failing := newPageSite(t, func(c *server.Config) {
		c.Suggester = suggest.New(suggest.Config{Model: suggesting(busy)})
	})
	failing.expect("POST", "/v1/suggestions", question, 200, `"source":"static"`)
	failing.expect("POST", "/v1/suggestions", `{}`, 502, `"suggestions_failed"`)
}

func TestAPageSuggestsAsManyAsAreAskedFor(t *testing.T) {
	s := newPageSite(t, nil)
	if got := s.send("POST", "/v1/suggestions", `{"page":"many","max":1}`, 200); strings.Count(got, `"label"`) != 1 {
		t.Errorf("one was asked for: %s", got)
	}
}

func TestAPlaceIsAboutSoMuchAndNoMore(t *testing.T) {
	s := newPageSite(t, nil)
	var kinds []string
	for i := range 17 {
		kinds = append(kinds, fmt.Sprintf(`"k%d":"1"`, i))
	}
	scope := `"scope":{` + strings.Join(kinds, ",") + `}`
	s.expect("POST", "/v1/resolve", `{"page":"reports",`+scope+`}`, 400, `"field":"scope"`)
	s.expect("POST", "/v1/resolve", `{"page":"reports","scope":{"k":"`+strings.Repeat("x", 300)+`"}}`, 400, `"field":"scope"`)
	s.expect("POST", "/v1/agents/default/run", strings.Replace(input("t1", "r1", "hello"), `"forwardedProps":{}`, `"forwardedProps":{"pageside":{`+scope+`}}`, 1), 422, "scope")
}

// Whoever asks for what is not there, in whatever way, is answered in the same form.
func TestEveryRefusalIsJSON(t *testing.T) {
	s := newPageSite(t, nil)
	s.expect("GET", "/nothing", "", 404, `"code":"not_found"`)
	s.expect("POST", "/healthz", `{}`, 405, `"code":"method_not_allowed"`, "takes GET")
	s.expect("POST", "/v1/resolve", `[]`, 400, `"message":"the body must be an object"`)
	s.expect("PUT", "/v1/threads/none/messages/none/feedback", `{"rating":1}`, 404, "no such message")
}

func TestMethodsThatAnAddressDoesNotTakeAreNamed(t *testing.T) {
	s := newSite(t, nil)
	req, err := http.NewRequestWithContext(t.Context(), "PUT", s.URL+"/v1/threads/t1", nil)
	must(t, err)
	resp, err := http.DefaultClient.Do(req)
	must(t, err)
	defer resp.Body.Close()
	if allow := resp.Header.Get("Allow"); resp.StatusCode != 405 || allow != "GET, PATCH, DELETE" {
		body, _ := io.ReadAll(resp.Body)
		t.Errorf("%d, Allow %q: %s", resp.StatusCode, allow, body)
	}
}

func TestAnotherOwnersThreadsDoNotExist(t *testing.T) {
	s := newSite(t, func(c *server.Config) {
		c.Authenticate = func(r *http.Request) (auth.Principal, error) {
			return auth.Principal{Subject: r.Header.Get("X-User")}, nil
		}
	})
	ask := func(user, method, path, body string) int {
		req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
		must(t, err)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("X-User", user)
		resp, err := http.DefaultClient.Do(req)
		must(t, err)
		defer resp.Body.Close()
		_, err = io.Copy(io.Discard, resp.Body)
		must(t, err)
		return resp.StatusCode
	}
	if got := ask("ann", "POST", "/v1/agents/default/run", input("t1", "r1", "hello")); got != 200 {
		t.Fatalf("the run: %d", got)
	}
	for _, c := range []struct{ method, path, body string }{
		{"GET", "/v1/threads/t1", ""}, {"PATCH", "/v1/threads/t1", `{"title":"x"}`}, {"DELETE", "/v1/threads/t1", ""}, {"GET", "/v1/threads/t1/messages", ""},
		{"GET", "/v1/threads/t1/runs", ""}, {"GET", "/v1/threads/t1/events", ""}, {"GET", "/v1/runs/r1/events", ""}, {"POST", "/v1/runs/r1/cancel", ""},
		{"PUT", "/v1/threads/t1/messages/u-r1/feedback", `{"rating":1}`}, {"PUT", "/v1/threads/t1/payloads/u-r1", `{"status":"accepted"}`},
	} {
		if got := ask("bob", c.method, c.path, c.body); got != 404 {
			t.Errorf("%s %s of another owner: %d, want 404", c.method, c.path, got)
		}
	}
}
