package storetest

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/test/must"
)

var ofRuns = []promise{
	{"a run that has ended takes no more writes", func(t *testing.T, s Store) {
		fill(t, s, ada)
		end(t, s, ada, "r1")
		before := everything(t, s, ada)
		wantFail(t, calls(ctx, s, ada), store.ErrConflict, theRun)
		want(t, "what is stored", before)(everything(t, s, ada), nil)
	}},
	{"run fields come back as they were", testRunFields},
}

// testRunFields: JSON and text come back byte for byte, times in UTC and to the millisecond,
// whatever becomes of what the store was given and has returned.
func testRunFields(t *testing.T, s Store) {
	spoil := func(r store.Run) {
		clear(r.Pending)
		for _, doc := range []json.RawMessage{r.Input, r.StartState, r.State, r.Usage, r.Interrupts} {
			clear(doc)
		}
	}
	wantRun := func(r store.Run) {
		t.Helper()
		for range 2 {
			got := must.Get(s.Run(ctx, ada, r.ID))(t)
			want(t, "run", r)(got, nil)
			spoil(got)
		}
	}
	began := time.Date(2020, 1, 2, 3, 4, 5, 678_999_999, time.FixedZone("", 3600))
	for i, odd := range []string{
		"", `null`, `{}`, `[ {"a":1.0,"b":1e400,"c":null,"é":"\u0000\ud800"} ]`,
		"{\n\t\"x\": 12345678901234567890123 }",
	} {
		doc := func() json.RawMessage { return append(json.RawMessage(nil), odd...) }
		r := runFrom(store.RootRun, fmt.Sprint("r", i), "t")
		r.Agent, r.Fingerprint, r.CreatedAt, r.Input, r.State = "ag'ent\n", "😀\u2028", began, doc(), doc()
		must.Do(t, s.BeginRun(ctx, ada, r, nil, noEvents))
		spoil(r)
		r.Status, r.Epoch, r.CreatedAt = store.RunLive, 1, began.Truncate(time.Millisecond).UTC()
		r.Input, r.StartState, r.State = doc(), doc(), doc()
		wantRun(r)

		ended := store.Run{
			ID: r.ID, Status: store.RunFailed, Error: "<&>\\\"", Pending: []string{"", "c<&>", "é\u2028"}, LastSeq: 7,
			Usage: doc(), Interrupts: doc(), State: json.RawMessage(`[ 3 ]`), EndedAt: began.Add(time.Hour),
		}
		must.Do(t, s.EndRun(ctx, ada, ended, nil, noEvents))
		spoil(ended)
		r.Status, r.Error, r.Pending, r.LastSeq = store.RunFailed, "<&>\\\"", []string{"", "c<&>", "é\u2028"}, 7
		r.Usage, r.Interrupts, r.State, r.Input = doc(), doc(), json.RawMessage(`[ 3 ]`), nil
		r.EndedAt = r.CreatedAt.Add(time.Hour)
		wantRun(r)
	}
	before := store.FromMillis(time.Now().UnixMilli())
	begin(t, s, ada, "none", "t")
	must.Do(t, s.EndRun(ctx, ada, with(finished("none"), func(r *store.Run) { r.Pending = []string{} }), nil, noEvents))
	got := must.Get(s.Run(ctx, ada, "none"))(t)
	must.Be(t, got.Pending == nil, true, "whether no calls came back as none")
	must.Be(t, got.CreatedAt.Before(before) || got.EndedAt.Before(before), false, "whether its times are older than it")
}
