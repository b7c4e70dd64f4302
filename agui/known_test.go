package agui

import (
	"fmt"
	"testing"

	"github.com/pageside/pageside/test/must"
)

// TestKnownLists: what one request does with its lists of tools and context does not reach the next
// one's, though they are read once, and each request gets its own.
func TestKnownLists(t *testing.T) {
	read := func(tool, value string) *RunAgentInput {
		t.Helper()
		body := fmt.Sprintf(`{"threadId":"t","runId":"r","messages":[],"state":{},"forwardedProps":{},
			"tools":[{"name":%q,"description":"d","parameters":{"type":"object"}}],
			"context":[{"description":"page","value":%q}]}`, tool, value)
		return must.Get(UnmarshalRunAgentInput([]byte(body)))(t)
	}
	for _, c := range [][2]string{{"find", "one"}, {"find", "one"}, {"find", "two"}, {"list", "two"}} {
		in := read(c[0], c[1])
		if len(in.Tools) != 1 || in.Tools[0].Name != c[0] || string(in.Tools[0].Parameters) != `{"type":"object"}` ||
			len(in.Context) != 1 || in.Context[0].Value != c[1] {
			t.Errorf("%v is read as %+v and %+v", c, in.Tools, in.Context)
		}
		in.Tools[0].Name, in.Tools[0].Parameters, in.Context[0].Value = "x", nil, "x"
		in.Tools, in.Context = append(in.Tools, Tool{}), append(in.Context, ContextItem{})
	}
	for range 2 {
		body := `{"threadId":"t","runId":"r","messages":[],"tools":[{"name":"find"}],"context":[]}`
		_, err := UnmarshalRunAgentInput([]byte(body))
		must.Fail(t, err, "tools[0].description", "a tool without a description")
	}
}
