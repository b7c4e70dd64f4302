package tool_test

import (
	"context"
	"slices"
	"strconv"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/tool"
)

// What a handler names is kept and shown: no more of it than a thread may have.
func TestExecuteCleansSources(t *testing.T) {
	given := []tool.CitableSource{{Title: "A\nB", URL: "javascript:alert(1)"}, {}}
	for i := range 2 * agui.MaxSources {
		given = append(given, tool.CitableSource{Title: strconv.Itoa(i)})
	}
	tl := plain(t, 0, func(context.Context, *tool.Call) (tool.Result, error) {
		return tool.Result{Text: "ok", Sources: slices.Clone(given)}, nil
	})
	got := tool.Execute(t.Context(), tl, tool.Call{ID: "c1"}, nil).Sources
	if len(got) != agui.MaxSources || got[0] != (tool.CitableSource{Title: "A B"}) || got[1].Title != "0" {
		t.Errorf("%d sources, first %+v", len(got), got[:2])
	}
}
