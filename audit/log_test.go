package audit

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pageside/pageside/internal/upstream"
	"github.com/pageside/pageside/test/must"
)

// chainStore is a store of one tenant, in memory.
type chainStore struct {
	mu     sync.Mutex
	head   Head
	purges []time.Time
}

func (s *chainStore) AppendAudit(_ context.Context, chain *Chain, drafts []Draft, done func(error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range drafts {
		r := chain.Next(s.head, d, time.Now())
		s.head = s.head.Advance(&r)
	}
	done(nil)
}

func (s *chainStore) AuditHeads(context.Context) ([]Head, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return []Head{s.head}, nil
}

func (s *chainStore) PurgeAudit(_ context.Context, _ *Chain, before time.Time) (int, error) {
	s.purges = append(s.purges, before)
	return 0, nil
}

// TestAnchors: the head is anchored each minute if it has changed, at the end of the day, and at
// the end; old rows are purged every hour.
func TestAnchors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(23*time.Hour + 30*time.Second) // the bubble begins at midnight
		path := filepath.Join(t.TempDir(), "anchors")
		st, log := &chainStore{}, NewLog(Config{File: path, Keep: 48 * time.Hour})
		must.FailWith(t, log.Record(t.Context(), Entry{Kind: ToolCall}), errNotOpen, "before it is open")
		must.Do(t, log.Open(t.Context(), st))
		record := func() {
			must.Do(t, log.Record(t.Context(), Entry{Kind: ToolCall}))
		}
		record()
		time.Sleep(10 * time.Minute)
		time.Sleep(49*time.Minute + 20*time.Second) // ten seconds before midnight
		record()
		time.Sleep(11 * time.Second)
		record()
		log.Close()
		must.FailWith(t, log.Record(t.Context(), Entry{Kind: ToolCall}), errNotOpen, "after it is closed")
		file := must.Get(os.Open(path))(t)
		defer file.Close()
		anchors, unread, err := ReadAnchors(file)
		var at []string
		for _, a := range anchors {
			at = append(at, a.Time.Format("15:04:05"))
		}
		if got := strings.Join(at, " "); err != nil || unread > 0 || got != "23:01:30 00:00:00 00:00:01" || anchors[2].Hash != st.head.Hash {
			t.Errorf("anchors were written at %s, %v", got, err)
		}
		if len(st.purges) < 1 || len(st.purges) > 2 || time.Since(st.purges[0]) < 48*time.Hour {
			t.Errorf("purged were rows before %v", st.purges)
		}
	})
}

// TestHalfALine: a crash leaves half an anchor, and those after it are still read.
func TestHalfALine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "anchors")
	whole := Anchor{Day: "2026-11-22", Seq: 7}.Line()
	must.Do(t, os.WriteFile(path, append(bytes.Clone(whole), whole[:50]...), 0o600))
	must.Do(t, appendSynced(path, whole))
	raw := must.Get(os.ReadFile(path))(t)
	if anchors, unread, err := ReadAnchors(bytes.NewReader(raw)); err != nil || len(anchors) != 2 || unread != 1 {
		t.Errorf("%d anchors, %d unread, %v", len(anchors), unread, err)
	}
}

// TestScrubbedArguments: secrets go by value, by name and by form; the rest stays.
func TestScrubbedArguments(t *testing.T) {
	s := upstream.Scrubber(leastSecret, []string{"configured-secret", "short"})
	got := string(scrubArgs([]byte(`{"a":"x configured-secret y","apiKey":"k","n":9007199254740993,"list":["Bearer abcdefgh123","fine"],"deep":{"PASSWORD":{"x":1}},"short":"short"}`), s))
	want := `{"a":"x *** y","apiKey":"***","deep":{"PASSWORD":"***"},"list":["***","fine"],"n":9007199254740993,"short":"short"}`
	must.Be(t, got, want, "what is kept")
	if scrubArgs([]byte("not JSON"), s) != nil {
		t.Error("text that is no JSON is kept")
	}
}

// FuzzDraft: any entry becomes one line that is read back as the same entry.
func FuzzDraft(f *testing.F) {
	f.Add("ada", "wipe", "a\x00\xff\"\n")
	f.Add(strings.Repeat("\xde0", maxText/2), strings.Repeat("\x00é", maxText/2), strings.Repeat("\x80", maxDetail))
	f.Fuzz(func(t *testing.T, subject, name, detail string) {
		e := Entry{Time: time.UnixMilli(1).UTC(), Kind: ToolCall, Tool: name, Detail: detail}
		e.Principal.Subject = subject
		d := draft(&e)
		row := Row{Body: d.Body}
		back, err := row.Entry()
		if err != nil || bytes.IndexByte(d.Body, '\n') >= 0 || !bytes.Equal(draft(&back).Body, d.Body) {
			t.Errorf("%q is read back as %+v, %v", d.Body, back, err)
		}
	})
}

// FuzzAnchors: whatever a file of anchors holds is read or counted.
func FuzzAnchors(f *testing.F) {
	f.Add(Anchor{Day: "2026-11-22", Seq: 1}.Line())
	f.Fuzz(func(t *testing.T, raw []byte) {
		anchors, _, _ := ReadAnchors(bytes.NewReader(raw))
		for _, a := range anchors {
			if a.Seq < 1 {
				t.Errorf("an anchor of row %d", a.Seq)
			}
		}
	})
}
