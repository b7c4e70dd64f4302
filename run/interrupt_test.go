package run

import (
	"strings"
	"testing"

	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/must"
)

func (f *fixture) end(thread string) string {
	f.t.Helper()
	all := strings.Split(f.thread(thread), " | ")
	return all[len(all)-1]
}

// TestDamagedLogCostsOneRun: the server starts, the run is ended, and the thread goes on.
func TestDamagedLogCostsOneRun(t *testing.T) {
	st := temp.Store(t)
	row := store.Run{ID: "r1", ThreadID: "t1", Agent: "default", Fingerprint: "f"}
	nonsense := store.Batch{First: 1, Count: 1, Frames: []byte("id: r1:1.1\ndata: nonsense\n\n")}
	must.Do(t, st.BeginRun(t.Context(), ada, row, messages("u1 a1(c1)"), nonsense))
	f := newFixture(t, st, nil)
	row = must.Get(st.Run(t.Context(), ada, "r1"))(t)
	must.Be(t, showRow(row), "r1 failed interrupted after - epoch 2", "the run")
	must.Have(t, f.thread("t1"), "the server stopped", "thread")
	events(t, f.start(f.input("t1", "hello")), false)
}
