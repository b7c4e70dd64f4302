package demo

import (
	"strings"
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

func TestTopValues(t *testing.T) {
	d := openSample(t)
	for _, test := range []struct{ args, want string }{
		{`{"field":"clientip","limit":1,"query":"source=access_log | where status = 404"}`,
			`{"distinct":91,"field":"clientip","matched":599,"other":105,"values":[{"count":494,"percent":82.5,"value":"203.0.113.66"}]}`},
		{`{"field":"status","limit":1,"from":"2026-03-12T14:12:00Z","to":"2026-03-12T14:52:00Z","filters":[{"field":"path","op":"is","value":"/api/checkout"},{"field":"status","op":"is","value":1,"disabled":true}]}`,
			`{"distinct":2,"field":"status","matched":60,"other":10,"values":[{"count":50,"percent":83.3,"value":502}]}`},
		{`{"field":"user","filters":[{"field":"user","op":"is not","value":null}]}`,
			`{"distinct":1,"field":"user","matched":2,"other":0,"values":[{"count":2,"percent":100,"value":"deploy"}]}`},
		{`{"field":"path","query":"source=access_log | where status = 418 | stats count() by path | head 1"}`,
			`{"distinct":0,"field":"path","matched":0,"other":0,"values":[]}`},
	} {
		if got, ok := execute(t, d, "top_values", test.args); !ok || compact(got) != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.args, compact(got), test.want)
		}
	}
}

func TestDescribeFields(t *testing.T) {
	d := openSample(t)
	all, ok := execute(t, d, "describe_fields", `{}`)
	if !ok || len(all["fields"].([]any)) != 12 || all["total"] != 13448.0 {
		t.Errorf("%s", compact(all))
	}
	one, ok := execute(t, d, "describe_fields", `{"field":"status"}`)
	want := `[{"description":"HTTP status of the response; 400 and above are errors","distinct":8,"examples":[200,304,404],"max":502,"min":200,"missing":0,"name":"status","type":"number"}]`
	if !ok || compact(one["fields"]) != want {
		t.Errorf("%s", compact(one["fields"]))
	}
	times, _ := execute(t, d, "describe_fields", `{"field":"timestamp"}`)
	if !strings.Contains(compact(times["fields"]), `"min":"2026-03-12T00:00:00Z"`) {
		t.Errorf("%s", compact(times["fields"]))
	}
}
