package demo

import (
	"testing"

	"github.com/pageside/pageside/demo/demotest"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

// execute runs a tool as the loop does. It returns what a model would be told.
func execute(t *testing.T, d *Demo, name, args string) (map[string]any, bool) {
	t.Helper()
	must.Be(t, demotest.Tool(t, d, name).Effect, tool.Read, "%s has effect", name)
	result := demotest.RunTool(t, d, name, args)
	answer := must.JSON[map[string]any](t, result.Text)
	return answer, !result.IsError
}

// TestTools: what tools of the page answer.
func TestTools(t *testing.T) {
	d := openSample(t)
	for _, row := range demotest.Rows(t, "testdata/tools.txt") {
		if got, ok := execute(t, d, row[0], row[1]); !ok || compact(got) != row[2] {
			t.Errorf("%s %s:\n got %s\nwant %s", row[0], row[1], compact(got), row[2])
		}
	}
}

func TestDescribeFields(t *testing.T) {
	d := openSample(t)
	all, ok := execute(t, d, "describe_fields", `{}`)
	if !ok || len(all["fields"].([]any)) != 12 || all["total"] != 13448.0 {
		t.Errorf("%s", compact(all))
	}
}
