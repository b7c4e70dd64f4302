package tool_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/internal/leaktest"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

type rangeInput struct {
	From   time.Time        `json:"from" jsonschema:"start of the range"`
	Limit  int              `json:"limit,omitempty"`
	Tags   []string         `json:"tags,omitempty"`
	Blob   []byte           `json:"blob,omitempty"`
	Opts   *struct{ A int } `json:"opts,omitempty"`
	Wait   time.Duration    `json:"wait,omitempty"`
	hidden int
}

func register(t *testing.T, tools ...*tool.Tool) *tool.Registry {
	t.Helper()
	return must.Get(tool.NewRegistry(tools...))(t)
}

func run(t *testing.T, tl *tool.Tool, args string) tool.Result {
	t.Helper()
	registered, _ := register(t, tl).Get(tl.Name)
	parsed, err := tool.ParseArgs(args, registered.Schema())
	if err != nil {
		return err.(*tool.Error).Result()
	}
	return tool.Execute(t.Context(), registered, tool.Call{ID: "c1", Args: parsed}, nil)
}

// The schema comes from the struct, arguments are checked against it and decoded before the handler
// runs.
func TestTypedTool(t *testing.T) {
	var got rangeInput
	tl := tool.New("range", "…", func(_ context.Context, call *tool.Call, in rangeInput) (tool.Result, error) {
		must.Be(t, call.ID, "c1", "the call")
		must.Be(t, call.Tool, "range", "the tool of the call")
		got = in
		return tool.Result{Text: "ok"}, nil
	})
	const want = `{"type":"object","properties":{"from":{"type":"string","description":"start of the range","format":"date-time"},"limit":{"type":"integer"},` +
		`"tags":{"type":"array","items":{"type":"string"}},"blob":{"type":"string","contentEncoding":"base64"},` +
		`"opts":{"type":["null","object"],"required":["A"],"properties":{"A":{"type":"integer"}},"additionalProperties":false},` +
		`"wait":{"type":"integer"}},"required":["from"],"additionalProperties":false}`
	must.Same(t, must.JSON[any](t, tl.InputSchema), must.JSON[any](t, want), "the schema %s", tl.InputSchema)
	res := run(t, tl, `{"from":"2024-05-01T10:00:00Z","limit":3,"tags":["a"],"blob":"aGk=","opts":{"A":1},"wait":1000}`)
	if res.IsError || res.Text != "ok" || got.Limit != 3 || string(got.Blob) != "hi" || got.Opts.A != 1 || got.Wait != 1000 || got.From.Hour() != 10 || got.hidden != 0 {
		t.Errorf("got %+v, result %+v", got, res)
	}
	for args, want := range map[string]string{
		`{}`:                                    `missing required \"from\"`,
		`{"FROM":"2024-05-01T10:00:00Z"}`:       `unknown \"FROM\"`,
		`{"from":"2024-05-01T10:00:00Z","x":1}`: `unknown \"x\"`,
		`{"from":"yesterday"}`:                  `the arguments could not be read`,
	} {
		if res := run(t, tl, args); !res.IsError || !strings.Contains(res.Text, want) || !strings.Contains(res.Text, tool.CodeInvalidArgs) {
			t.Errorf("%s: %+v", args, res)
		}
	}
}

func handler[In any](context.Context, *tool.Call, In) (tool.Result, error) { return tool.Result{}, nil }

type cyclic struct{ Next *cyclic }

// What cannot work is reported when the tools are registered, in a sentence that names the tool.
func TestRegistryRefuses(t *testing.T) {
	ok := func(name string) *tool.Tool { return tool.New(name, "", handler[struct{}]) }
	with := func(change func(*tool.Tool)) *tool.Tool { tl := ok("a"); change(tl); return tl }
	tests := []struct {
		name  string
		tools []*tool.Tool
		want  string
	}{
		{"nil", []*tool.Tool{nil}, "tool 0 is nil"},
		{"no name", []*tool.Tool{ok("")}, `tool ""`},
		{"bad name", []*tool.Tool{ok("search logs")}, `tool "search logs": a name is`},
		{"long name", []*tool.Tool{ok(strings.Repeat("x", 65))}, "a name is"},
		{"twice", []*tool.Tool{ok("a"), ok("b"), ok("a")}, `tool "a" is defined twice`},
		{"no handler", []*tool.Tool{{Name: "a"}}, `tool "a": it has no handler`},
		{"nil handler", []*tool.Tool{tool.New[struct{}]("a", "", nil)}, `tool "a": it has no handler`},
		{"cycle", []*tool.Tool{tool.New("a", "", handler[cyclic])}, `tool "a": no schema can be inferred from tool_test.cyclic`},
		{"channel", []*tool.Tool{tool.New("a", "", handler[struct{ C chan int }])}, `tool "a": no schema can be inferred`},
		{"not an object", []*tool.Tool{tool.New("a", "", handler[[]string])}, "must be a struct or a map"},
		{"bad schema", []*tool.Tool{with(func(tl *tool.Tool) { tl.InputSchema = json.RawMessage(`{"$ref":"#"}`) })}, `tool "a": its input schema: `},
		{"bad effect", []*tool.Tool{with(func(tl *tool.Tool) { tl.Effect = "maybe" })}, `"maybe" is no effect class`},
		{"bad timeout", []*tool.Tool{with(func(tl *tool.Tool) { tl.Policy.Timeout = -1 })}, "timeout"},
	}
	for _, tt := range tests {
		must.Fail(t, must.Err(tool.NewRegistry(tt.tools...)), tt.want, "%s", tt.name)
	}
}

func TestRegistry(t *testing.T) {
	b := tool.New("b", "", handler[map[string]int])
	r := register(t, b, tool.New("a", "", handler[struct{}]))
	b.Description = "changed later"
	var names []string
	for tl := range r.All() {
		names = append(names, tl.Name)
		if tl.Schema() == nil || tl.Effect != tool.Write {
			t.Errorf("%s: schema %v, effect %q", tl.Name, tl.Schema(), tl.Effect)
		}
	}
	must.Be(t, strings.Join(names, " "), "b a", "order %v", names)
	if got, ok := r.Get("b"); !ok || got.Description != "" {
		t.Error("a registered tool changed")
	}
	var none *tool.Registry
	if _, ok := none.Get("a"); ok {
		t.Error("a nil registry has a tool")
	}
	for range none.All() {
		t.Error("a nil registry yields a tool")
	}
}

// An error is told as JSON, whatever is in it, and is recognised again, also as the JSON string it
// is stored as.
func TestErrorJSON(t *testing.T) {
	e := &tool.Error{Code: "x", Message: "a \"quote\"\n and \xff", Retryable: true, Hint: "h"}
	var got struct {
		Error struct {
			Code, Message, Hint string
			Retryable           bool
		}
	}
	if err := json.Unmarshal([]byte(e.JSON()), &got); err != nil || got.Error.Code != "x" || !got.Error.Retryable || got.Error.Hint != "h" ||
		got.Error.Message != "a \"quote\"\n and \uFFFD" {
		t.Errorf("%s: %+v, %v", e.JSON(), got, err)
	}
	quoted, err := json.Marshal(e.JSON())
	if err != nil || !tool.IsErrorText(e.JSON()) || !tool.IsErrorJSON(quoted) {
		t.Error("an error is not recognised")
	}
	for _, text := range []string{"", "{}", `{"error":"x"}`, "error"} {
		quoted, _ := json.Marshal(text)
		if tool.IsErrorText(text) || tool.IsErrorJSON(quoted) || tool.IsErrorJSON(nil) {
			t.Errorf("%q is taken for an error", text)
		}
	}
}
