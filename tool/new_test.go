package tool_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

type unusualInput struct {
	Count int        `json:"count,omitempty"`
	Since time.Time  `json:"since,omitzero"`
	Until *time.Time `json:"until,omitempty"`
	Mark  [3]byte    `json:"mark,omitzero"`
}

// TestNewUnusualInput has values that a schema cannot refuse: what the model is told names the
// place and nothing of Go.
func TestNewUnusualInput(t *testing.T) {
	registered, _ := register(t, tool.New("unusual", "Takes anything.", func(_ context.Context, _ *tool.Call, in unusualInput) (tool.Result, error) {
		return tool.Result{Text: fmt.Sprint(in.Count, in.Since.Unix(), in.Mark)}, nil
	})).Get("unusual")
	must.Be(t, strings.Count(string(registered.InputSchema), `"format":"date-time"`), 2, "times that are declared")
	for _, test := range []struct{ args, want string }{
		{`{"count":2,"since":"1970-01-01T00:00:07Z","mark":[1,2,3]}`, "2 7 [1 2 3]"},
		{`{"count":1e30}`, "$.count: must be a whole number"},
		{`{"since":"soon"}`, "$.since: must be a time such as"},
		{`{"until":"soon"}`, "$.until: must be a time such as"},
	} {
		args := must.Get(tool.ParseArgs(test.args, registered.Schema()))(t)
		got := tool.Execute(t.Context(), registered, tool.Call{Args: args}, nil).Text
		if !strings.Contains(got, test.want) || strings.Contains(got, "Go ") || strings.Contains(got, "2006-01-02") {
			t.Errorf("%s: %s", test.args, got)
		}
	}
}
