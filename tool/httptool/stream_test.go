package httptool_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
	"github.com/pageside/pageside/tool/httptool"
)

// told calls the tool and returns its result and the progress that it has reported.
func told(t *testing.T, c httptool.Config) (tool.Result, []string) {
	t.Helper()
	var reports []string
	result := tool.Execute(t.Context(), register(t, c), tool.Call{ID: "c1", Args: json.RawMessage(`{"id":"a"}`)}, func(p tool.Progress) {
		reports = append(reports, fmt.Sprintf("%s/%s/%v", p.Stage, p.Message, p.Fraction))
	})
	return result, reports
}

// TestProgress: an endpoint that answers in lines or events says how far it is. Reports are
// coalesced, but the last one arrives.
func TestProgress(t *testing.T) {
	half := `{"progress":{"stage":"reading","message":"5 of 10","progress":0.5}}`
	for name, c := range map[string]struct{ media, answer, pointer, text, report string }{
		"lines":              {"application/x-ndjson", half + "\n" + `{"items":[1]}` + "\n", "", `{"items":[1]}`, "reading/5 of 10/0.5"},
		"a part of the last": {"application/jsonl; charset=utf-8", half + "\n" + `{"items":[1]}`, "/items", `[1]`, "reading/5 of 10/0.5"},
		"events":             {"text/event-stream", "event: progress\ndata: " + half + "\n\n: alive\n\ndata: {\"items\":[1]}\n\n", "/items", `[1]`, "reading/5 of 10/0.5"},
		"how far is unknown": {"application/x-ndjson", `{"progress":{"stage":"queued"}}` + "\n{}", "", `{}`, "queued//-1"},
		"beyond its end":     {"application/x-ndjson", `{"progress":{"progress":7}}` + "\n{}", "", `{}`, "//1"},
		"a secret":           {"application/x-ndjson", `{"progress":{"stage":"s3cr3t"}}` + "\ns3cr3t", "", "***", "***//-1"},
		"rows":               {"application/x-ndjson", "{\"a\":1}\n{\"a\":2}\n", "", "{\"a\":1}\n{\"a\":2}", ""},
		"a row with more":    {"application/x-ndjson", `{"progress":{"stage":"x"},"id":1}`, "", `{"progress":{"stage":"x"},"id":1}`, ""},
		"a row's number":     {"application/x-ndjson", `{"progress":0.5}`, "", `{"progress":0.5}`, ""},
		"plain JSON":         {"application/json", half, "", half, ""},
	} {
		t.Run(name, func(t *testing.T) {
			e := serve(t)
			e.media, e.answer = c.media, c.answer
			config := e.config("/x")
			config.ResultPointer, config.Secrets = c.pointer, []string{"s3cr3t"}
			result, reports := told(t, config)
			if result.IsError || result.Text != c.text {
				t.Errorf("the result is %q", result.Text)
			}
			last := ""
			if n := len(reports); n > 0 {
				last = reports[n-1]
			}
			must.Be(t, last, c.report, "the last of the reports %q", reports)
		})
	}
	e := serve(t)
	e.media, e.answer = "application/x-ndjson", strings.Repeat(half+"\n", 100)
	config := e.config("/x")
	config.MaxBytes = 1000
	if result, _ := told(t, config); !result.IsError || !strings.Contains(result.Text, "too large") {
		t.Errorf("an answer beyond its bound is %q", result.Text)
	}
}

// host is a run whose state a tool may change.
type host struct {
	state   json.RawMessage
	patches []string
	refuse  error
}

func (h *host) State() json.RawMessage { return h.state }
func (h *host) Emit(tool.Event) error  { return nil }
func (h *host) PatchState(p json.RawMessage) error {
	h.patches = append(h.patches, string(p))
	return h.refuse
}

// TestState: what an answer says of the shared state changes it as a merge patch does.
func TestState(t *testing.T) {
	const state = `{"steps":[{"done":false}],"plan":{"title":"Old","note":"x"}}`
	root, at := "", "/state"
	for name, c := range map[string]struct {
		pointer             *string
		state, answer, want string
	}{
		"a member":       {&at, state, `{"ok":true,"state":{"steps":[{"done":true}]}}`, `[{"op":"add","path":"/steps","value":[{"done":true}]}]`},
		"an inner one":   {&at, state, `{"state":{"plan":{"title":"New","note":null,"gone":null}}}`, `[{"op":"remove","path":"/plan/note"},{"op":"add","path":"/plan/title","value":"New"}]`},
		"a new object":   {&at, state, `{"state":{"a/b":{"c":1,"d":null}}}`, `[{"op":"add","path":"/a~1b","value":{"c":1}}]`},
		"the whole body": {&root, state, `{"n":1}`, `[{"op":"add","path":"/n","value":1}]`},
		"no state yet":   {&at, ``, `{"state":{"n":1,"m":null}}`, `[{"op":"add","path":"","value":{"n":1}}]`},
		"nothing there":  {&at, state, `{"ok":true}`, ``},
		"null":           {&at, state, `{"state":null}`, ``},
		"an empty patch": {&at, state, `{"state":{}}`, ``},
		"no JSON":        {&at, state, `done`, ``},
		"not configured": {nil, state, `{"state":{"n":1}}`, ``},
	} {
		t.Run(name, func(t *testing.T) {
			e := serve(t)
			e.answer = c.answer
			config := e.config("/x")
			config.State = c.pointer
			h := &host{state: json.RawMessage(c.state)}
			result := tool.Execute(t.Context(), register(t, config), tool.Call{ID: "c1", Args: json.RawMessage(`{"id":"a"}`), Host: h}, nil)
			if got := strings.Join(h.patches, " "); got != c.want || result.IsError || result.Text != c.answer {
				t.Errorf("the patch is %s, want %s; the model is told %q", got, c.want, result.Text)
			}
		})
	}
	e := serve(t)
	config := e.config("/x")
	config.State = &at
	for answer, why := range map[string]string{`{"state":[1]}`: "must be an object", `{"state":{"n":1}}`: "does not fit"} {
		e.answer = answer
		h := &host{state: json.RawMessage(state), refuse: &tool.Error{Code: "x", Message: "it does not fit"}}
		result := tool.Execute(t.Context(), register(t, config), tool.Call{ID: "c1", Args: json.RawMessage(`{"id":"a"}`), Host: h}, nil)
		if result.IsError || !strings.HasPrefix(result.Text, answer) || !strings.Contains(result.Text, why) {
			t.Errorf("a change that is refused is told as %q", result.Text)
		}
	}
	bad := "state"
	config.State = &bad
	must.Fail(t, must.Err(httptool.New(config)), "state:", "a pointer that is none")
}
