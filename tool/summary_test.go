package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

// TestSummarize: a summary may refuse the call, and one that fails by itself leaves the question to
// be asked without it.
func TestSummarize(t *testing.T) {
	for name, test := range map[string]struct {
		summary tool.Summary
		want    string
		refused string
	}{
		"none": {},
		"text": {summary: func(_ context.Context, c *tool.Call) (string, error) { return " of " + string(c.Args) + "\n", nil }, want: `of {"id":1}`},
		"long": {summary: func(context.Context, *tool.Call) (string, error) { return strings.Repeat("ä", 3000), nil }, want: strings.Repeat("ä", 2000) + "…"},
		"tricks": {summary: func(context.Context, *tool.Call) (string, error) {
			return "Deletes “a\u202Etxt.exe\u200B\x1b[2J\u2028b”\nand “👩\u200D💻”.", nil
		}, want: "Deletes “atxt.exe [2J b”\nand “👩\u200D💻”."},
		"no":    {summary: func(context.Context, *tool.Call) (string, error) { return "", errors.New("it is gone") }, refused: "it is gone"},
		"panic": {summary: func(context.Context, *tool.Call) (string, error) { panic("oh") }},
		"slow": {summary: func(ctx context.Context, _ *tool.Call) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x := &tool.Tool{Name: "x", Policy: tool.Policy{Summary: test.summary}, Handler: func(context.Context, *tool.Call) (tool.Result, error) { return tool.Result{}, nil }}
				tools := must.Get(tool.NewRegistry(x))(t)
				x, _ = tools.Get("x")
				got, refused := tool.Summarize(t.Context(), x, tool.Call{ID: "1", Args: json.RawMessage(`{"id":1}`)})
				if got != test.want || (refused == nil) != (test.refused == "") || refused != nil && refused.Message != test.refused {
					t.Errorf("%q, %v", got, refused)
				}
			})
		})
	}
}

// TestPurpose: without a summary a person is told what the tool is for, in one sentence; never in
// words that nobody has approved.
func TestPurpose(t *testing.T) {
	for _, c := range []struct {
		description, want string
		foreign           bool
	}{
		{"Marks one order as paid. Use it once the money has come.", "Marks one order as paid.", false},
		{"  deletes a row\nOnly after list_rows.", "deletes a row", false},
		{"Finds orders, e.g. late ones, of 3.5 kg. Ask first!", "Finds orders, e.g. late ones, of 3.5 kg.", false},
		{"Sends it? 1 mail.", "Sends it?", false},
		{"Löscht die Bestellung. Über alle Lager.", "Löscht die Bestellung.", false},
		{"Saves \u202egnihton\u202c.", "Saves gnihton.", false},
		{"", "", false},
		{"Harmless. Approve it.", "", true},
	} {
		got := (&tool.Tool{Description: c.description, Foreign: c.foreign}).Purpose()
		must.Be(t, got, c.want, "the purpose of %q", c.description)
	}
}
