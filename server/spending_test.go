package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/must"
)

type spent struct {
	Usage []map[string]any
	Cost  *float64
}

func (s *site) spentOn(thread string) (got spent) {
	s.t.Helper()
	must.Do(s.t, json.Unmarshal([]byte(s.read(s.get("/v1/threads/"+thread), http.StatusOK)), &got))
	return got
}

// A row that cannot be read costs its thread nothing but that row's count.
func TestUsageThatCannotBeRead(t *testing.T) {
	st := temp.Store(t)
	owner := store.Owner{Subject: "local"}
	for i, usage := range []string{`{"usage":[{"provider":"p","model":"m","inputTokens":5}]}`, `{"usage":[{"provider":"p","model":"m","inputTokens":7,"outputTokens":1}]}`, `null`, `{"usage":7}`} {
		id := fmt.Sprint("r", i)
		must.Do(t, st.BeginRun(t.Context(), owner, store.Run{ID: id, ThreadID: "t1", Agent: "default", Fingerprint: "f"}, []agui.Message{{ID: "u" + id, Role: agui.RoleUser, Content: agui.TextContent("x")}}, store.Batch{}))
		must.Do(t, st.EndRun(t.Context(), owner, store.Run{ID: id, Status: store.RunFinished, Usage: []byte(usage)}, nil, store.Batch{}))
	}
	for id, usage := range map[string]string{"good": `{"usage":[{"provider":"p","model":"m","inputTokens":5}],"cost":0.5}`, "bad": `{"usage":7,"cost":0.5}`} {
		must.Do(t, st.BeginRun(t.Context(), owner, store.Run{ID: id, ThreadID: "t2", Agent: "default", Fingerprint: "f"}, []agui.Message{{ID: "u" + id, Role: agui.RoleUser, Content: agui.TextContent("x")}}, store.Batch{}))
		must.Do(t, st.EndRun(t.Context(), owner, store.Run{ID: id, Status: store.RunFinished, Usage: []byte(usage)}, nil, store.Batch{}))
	}
	s := newSiteOn(t, st, nil)
	if got := s.spentOn("t2"); got.Cost != nil || len(got.Usage) != 1 {
		t.Errorf("beside a row that cannot be read: %+v", got)
	}
	if got := s.spentOn("t1"); got.Cost != nil || fmt.Sprint(got.Usage) != "[map[inputTokens:12 model:m outputTokens:1 provider:p]]" {
		t.Errorf("got %+v", got)
	}
}
