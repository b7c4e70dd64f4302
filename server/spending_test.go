package server_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/must"
)

// A row that cannot be read costs its thread nothing but that row's count.
func TestUsageThatCannotBeRead(t *testing.T) {
	st := temp.Store(t)
	owner := store.Owner{Subject: "local"}
	for i, row := range []struct{ thread, usage string }{
		{"t1", `{"usage":[{"provider":"p","model":"m","inputTokens":5}]}`},
		{"t1", `{"usage":[{"provider":"p","model":"m","inputTokens":7,"outputTokens":1}]}`},
		{"t1", `null`},
		{"t1", `{"usage":7}`},
		{"t2", `{"usage":[{"provider":"p","model":"m","inputTokens":5}],"cost":0.5}`},
		{"t2", `{"usage":7,"cost":0.5}`},
	} {
		begun := store.Run{ID: fmt.Sprint("r", i), ThreadID: row.thread, Agent: "default", Fingerprint: "f"}
		ended := store.Run{ID: begun.ID, Status: store.RunFinished, Usage: []byte(row.usage)}
		message := agui.Message{ID: "u" + begun.ID, Role: agui.RoleUser, Content: agui.TextContent("x")}
		must.Do(t, st.BeginRun(t.Context(), owner, begun, []agui.Message{message}, store.Batch{}))
		must.Do(t, st.EndRun(t.Context(), owner, ended, nil, store.Batch{}))
	}
	s := newSiteOn(t, st, nil)
	for thread, want := range map[string]string{
		"t1": "[map[inputTokens:12 model:m outputTokens:1 provider:p]]", "t2": "[map[inputTokens:5 model:m provider:p]]",
	} {
		got := must.JSON[struct {
			Usage []map[string]any
			Cost  *float64
		}](t, s.read(s.get("/v1/threads/"+thread), http.StatusOK))
		must.Be(t, fmt.Sprint(got.Usage), want, "usage of %s", thread)
		must.Be(t, got.Cost, nil, "cost of %s", thread)
	}
}
