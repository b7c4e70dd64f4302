package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/pageside/pageside/agui"
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
	{"the store keeps no reference", func(t *testing.T, s Store) {
		content := []byte(`"mine"`)
		messages := []agui.Message{{ID: "m", Role: agui.RoleUser, Content: agui.RawContent(content)}}
		r := run("r1", "t1")
		r.Input, r.State = []byte(`{ "a": 1.0 }`), []byte(`{ "b": 2.0 }`)
		must.Do(t, s.BeginRun(ctx, ada, r, messages, noEvents))
		copy(content, `"your"`)
		messages[0].ID, r.Input[2], r.State[2] = "x", 'x', 'x'
		got := must.Get(s.Transcript(ctx, ada, "t1", ""))(t)
		got[0].ID, got[0].Content = "y", agui.TextContent("ours")
		wantTranscript(t, s, "t1", "m=mine")
		want(t, "input", `{ "a": 1.0 }`)(string(must.Get(s.Run(ctx, ada, "r1"))(t).Input), nil)

		ended := with(finished("r1"), func(r *store.Run) {
			r.Pending, r.Usage, r.Interrupts, r.State = []string{"c"}, []byte(`[1]`), []byte(`[2]`), []byte(`[3]`)
		})
		must.Do(t, s.EndRun(ctx, ada, ended, nil, noEvents))
		spoil := func(r store.Run) { r.Pending[0], r.Usage[1], r.Interrupts[1], r.State[1] = "x", 'x', 'x', 'x' }
		spoil(ended)
		spoil(must.Get(s.Run(ctx, ada, "r1"))(t))
		kept := must.Get(s.Run(ctx, ada, "r1"))(t)
		want(t, "what the run has", []string{"c", `[1]`, `[2]`, `{ "b": 2.0 }`, `[3]`})([]string{
			kept.Pending[0], string(kept.Usage), string(kept.Interrupts), string(kept.StartState), string(kept.State),
		}, nil)
	}},
}

// testRunFields: JSON and text come back byte for byte, times in UTC and to the millisecond.
func testRunFields(t *testing.T, s Store) {
	began := time.Date(2020, 1, 2, 3, 4, 5, 678_999_999, time.FixedZone("", 3600))
	for i, usage := range []string{
		"", `null`, `{}`, `[ {"a":1.0,"b":1e400,"c":null,"é":"\u0000\ud800"} ]`,
		"{\n\t\"x\": 12345678901234567890123 }",
	} {
		r := runFrom(store.RootRun, fmt.Sprint("r", i), "t")
		r.Agent, r.Fingerprint, r.CreatedAt = "ag'ent\n", "😀\u2028", began
		must.Do(t, s.BeginRun(ctx, ada, r, nil, noEvents))
		r.Status, r.Error, r.Pending = store.RunFailed, "<&>\\\"", []string{"", "c<&>", "é\u2028"}
		r.EndedAt, r.LastSeq = began.Add(time.Hour), 7
		if usage != "" {
			r.Usage = []byte(usage)
		}
		must.Do(t, s.EndRun(ctx, ada, r, nil, noEvents))
		r.Epoch, r.CreatedAt = 1, began.Truncate(time.Millisecond).UTC()
		r.EndedAt = r.CreatedAt.Add(time.Hour)
		want(t, "run", r)(s.Run(ctx, ada, r.ID))
	}
	before := store.FromMillis(time.Now().UnixMilli())
	begin(t, s, ada, "none", "t")
	must.Do(t, s.EndRun(ctx, ada, with(finished("none"), func(r *store.Run) { r.Pending = []string{} }), nil, noEvents))
	got := must.Get(s.Run(ctx, ada, "none"))(t)
	must.Be(t, got.Pending == nil, true, "whether no calls came back as none")
	must.Be(t, got.CreatedAt.Before(before) || got.EndedAt.Before(before), false, "whether its times are older than it")
}
