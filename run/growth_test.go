package run

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/test/must"
)

// TestABranchOfALongThreadCostsLinearly: a client that has missed what was said since, and sends
// all that it has, costs four times as much for four times as many messages, not sixteen.
func TestABranchOfALongThreadCostsLinearly(t *testing.T) {
	few, many := costOfAStaleList(t, 250), costOfAStaleList(t, 1000)
	if many > 6*few {
		t.Errorf("a list of 250 messages costs %d bytes of memory, one of 1,000 %d", few, many)
	}
}

// costOfAStaleList returns what a request allocates that sends the n messages a thread began with,
// and a new one, while the thread has gone on.
func costOfAStaleList(t *testing.T, n int) uint64 {
	t.Helper()
	st := must.Get(sqlstore.Open(t.Context(), filepath.Join(t.TempDir(), "test.db")))(t)
	defer st.Close()
	f := newFixture(t, st, nil)
	list := make([]agui.Message, n)
	for i := range list {
		list[i] = agui.Message{ID: fmt.Sprint("m", i), Role: []string{agui.RoleUser, agui.RoleAssistant}[i%2], Content: agui.TextContent(strings.Repeat("word ", 40))}
	}
	begin := f.input("t", "")
	begin.Messages = append(list, agui.Message{ID: "first", Role: agui.RoleUser, Content: agui.TextContent("hello")})
	readAll(t, f.start(begin).Read(false))
	readAll(t, f.start(f.input("t", "hello again")).Read(false))
	stale := f.input("t", "")
	stale.Messages = append(list, agui.Message{ID: "other", Role: agui.RoleUser, Content: agui.TextContent("hello from another tab")})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	readAll(t, f.start(stale).Read(false))
	runtime.ReadMemStats(&after)
	f.Drain(t.Context())
	return after.TotalAlloc - before.TotalAlloc
}
