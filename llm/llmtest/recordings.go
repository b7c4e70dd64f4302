package llmtest

import (
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/test/streams"
)

// Raced is set under the race detector, which makes parsing twenty times slower.
var Raced bool

// Recording is one recorded stream.
type Recording struct{ Name, Body string }

// Recordings returns the streams in testdata/folder, then those that recorded finds in the folder
// of real servers' recordings, if there is one next to the repository.
func Recordings(t *testing.T, folder string, recorded func(root string) []Recording) (all []Recording) {
	t.Helper()
	for _, own := range streams.Read(t, "testdata", folder) {
		all = append(all, Recording{own.Name, own.Body})
	}
	if root, ok := streams.Recorded(t); ok {
		all = append(all, recorded(root)...)
	}
	return all
}

// Glob returns the files that match a pattern; there must be at least one.
func Glob(t *testing.T, pattern ...string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(pattern...))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings at %s: %v", filepath.Join(pattern...), err)
	}
	return files
}

// Chunks returns the documents of the files that match a pattern, one per line, by name.
func Chunks(t *testing.T, pattern ...string) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, f := range Glob(t, pattern...) {
		raw := must.Get(os.ReadFile(f))(t)
		all[strings.TrimSuffix(filepath.Base(f), ".chunks.txt")] = strings.Split(strings.TrimSpace(string(raw)), "\n")
	}
	return all
}

// Cassettes returns the distinct streams in the cassettes that match a pattern.
func Cassettes(t *testing.T, pattern ...string) (found []Recording) {
	t.Helper()
	for _, file := range Glob(t, pattern...) {
		raw := must.Get(os.ReadFile(file))(t)
		var c struct {
			Interactions []struct {
				Response struct{ Body string }
			}
		}
		must.Do(t, yaml.Unmarshal(raw, &c))
		dir := filepath.Base(filepath.Dir(file)) + "/" + strings.TrimSuffix(filepath.Base(file), ".yaml")
		seen := map[string]bool{}
		for i, in := range c.Interactions {
			if body := in.Response.Body; strings.Contains(body, "data:") && !seen[body] {
				seen[body] = true
				found = append(found, Recording{fmt.Sprintf("%s/%d", dir, i), body})
			}
		}
	}
	return found
}

// Documents yields the JSON documents of an event stream, each decoded into a D.
func Documents[D any](t *testing.T, body string) iter.Seq[D] {
	return func(yield func(D) bool) {
		for line := range strings.Lines(body) {
			data, ok := strings.CutPrefix(strings.TrimSpace(line), "data:")
			if !ok || strings.TrimSpace(data) == "[DONE]" {
				continue
			}
			d := must.JSON[D](t, data)
			if !yield(d) {
				return
			}
		}
	}
}

// Plain is the content of a recording, read in the simplest way.
type Plain struct {
	Text, Reasoning string
	Opaques         []string // in order; nil if not checked
	// what is compared of an opaque value, where that is not all of it
	Bare     func(opaque string) string
	Calls    []Call
	Finish   llm.Finish
	Failed   bool
	Finished int  // offset at which the model has said why it stopped
	Mute     bool // it may be empty

	// prefix of generated ids, if the recording has no ids or splits arguments; arguments are then
	// compared by value
	MadeUp  string
	ByValue bool

	// token counts: -1 if there is none, Any if not checked
	Input, Output, Thought, CacheRead, CacheWrite int64
}

// Any matches any token count.
const Any = -2

// Unread returns a Plain before anything is read.
func Unread() Plain {
	return Plain{Input: -1, Output: -1, Thought: Any, CacheRead: -1, CacheWrite: Any}
}

// Compare fails the test if an answer differs.
func (p *Plain) Compare(t *testing.T, a Answer) {
	t.Helper()
	if p.Failed != (a.Err != nil) {
		t.Fatalf("error %v, want %v", a.Err, p.Failed)
	}
	if a.Text != p.Text || a.Reasoning != p.Reasoning {
		t.Errorf("text %q, reasoning %q; want %q, %q", a.Text, a.Reasoning, p.Text, p.Reasoning)
	}
	if got := p.opaques(a); p.Opaques != nil && strings.Join(got, "\n") != strings.Join(p.Opaques, "\n") {
		t.Errorf("opaque %q, want %q", got, p.Opaques)
	}
	p.compareCalls(t, a.Calls)
	if p.Failed {
		return
	}
	must.Be(t, a.Finish, p.Finish, "finish")
	got := Counts(a.Usage)
	want := [...]int64{p.Input, p.Output, Any, p.Thought, p.CacheRead, p.CacheWrite}
	for i := range got {
		if got[i] != want[i] && want[i] != Any {
			t.Errorf("usage %d, want %d", got, want)
		}
	}
}

func (p *Plain) opaques(a Answer) []string {
	all := a.Opaques()
	for i := range all {
		if p.Bare != nil {
			all[i] = p.Bare(all[i])
		}
	}
	return all
}

func (p *Plain) compareCalls(t *testing.T, got []Call) {
	t.Helper()
	if len(got) != len(p.Calls) {
		t.Fatalf("calls %+v, want %+v", got, p.Calls)
	}
	ids := map[string]bool{}
	for i, c := range got {
		w := p.Calls[i]
		if w.ID == "" && p.MadeUp != "" && strings.HasPrefix(c.ID, p.MadeUp) {
			w.ID = c.ID
		}
		if c.ID != w.ID || ids[c.ID] || c.Name != w.Name || !p.sameArgs(c.Args, w.Args) || c.Ended != w.Ended {
			t.Errorf("call %d: %+v, want %+v", i, c, w)
		}
		ids[c.ID] = true
	}
}

func (p *Plain) sameArgs(a, b string) bool { return a == b || p.ByValue && EqualJSON(a, b) }

// Recordings checks that a model reads recordings correctly, however they are split into reads, and
// that their secrets go back.
// Together, there must be some signatures and calls in them.
func (v *Vendor) Recordings(t *testing.T, signatures, calls int) {
	play := v.player()
	for _, rec := range v.Recorded(t) {
		t.Run(rec.Name, func(t *testing.T) {
			want := v.Read(t, rec.Body)
			signatures, calls = signatures-len(want.Opaques), calls-len(want.Calls)
			if want.Text == "" && len(want.Calls) == 0 && !want.Mute {
				t.Fatal("the recording says nothing")
			}
			for _, n := range []int{1, 2, 3, 64, 1000, len(rec.Body)} {
				want.Compare(t, play(t, &CutReader{Data: []byte(rec.Body), N: n}))
			}
			v.secretsGoBack(t, play(t, strings.NewReader(rec.Body)), &want)
			for _, n := range []int{97, 1500, len(rec.Body)} {
				server := flushing(rec.Body, n)
				want.Compare(t, Ask(t, t.Context(), v.New(Setup{URL: server.URL}), Hello))
				server.Close()
			}
		})
	}
	if signatures > 0 || calls > 0 {
		t.Errorf("%d signatures and %d calls too few in all recordings to prove anything", signatures, calls)
	}
}

// CutAnywhere checks that a recording cut off anywhere gives the parts before the cut, then an
// error unless the provider had finished; and that no incomplete call ends.
func (v *Vendor) CutAnywhere(t *testing.T) {
	play := v.player()
	for _, rec := range v.Recorded(t) {
		t.Run(rec.Name, func(t *testing.T) {
			want := v.Read(t, rec.Body)
			if want.Failed {
				return // covered by Faults
			}
			for _, at := range CutOffsets(len(rec.Body), want.Finished) {
				end := io.EOF
				if at%2 == 0 {
					end = io.ErrUnexpectedEOF // as net/http does for a chunked body that is cut off
				}
				want.checkCut(t, at, play(t, &CutReader{Data: []byte(rec.Body[:at]), N: at, End: end}))
			}
		})
	}
}

// CutOffsets returns every offset of a short body of n bytes; for a long one, some offsets and all
// around its finish. There are fewer under the race detector, and in the short tests.
func CutOffsets(n, finish int) (at []int) {
	budget := 16 << 20
	switch {
	case testing.Short():
		budget /= 16
	case Raced:
		budget /= 4
	}
	stride := 1 + n*n/budget
	for i := range n + 1 {
		if i%stride == 0 || (i > finish-60 && i < finish+300) {
			at = append(at, i)
		}
	}
	return at
}

func (p *Plain) checkCut(t *testing.T, at int, a Answer) {
	t.Helper()
	if !strings.HasPrefix(p.Text, a.Text) || !strings.HasPrefix(p.Reasoning, a.Reasoning) || len(a.Calls) > len(p.Calls) {
		t.Fatalf("cut at %d: %+v is no beginning of %+v", at, a, p)
	}
	for i, c := range a.Calls {
		w := p.Calls[i]
		if c.Name != w.Name || !strings.HasPrefix(w.Args, c.Args) && !p.sameArgs(c.Args, w.Args) || c.Ended && !p.sameArgs(c.Args, w.Args) {
			t.Fatalf("cut at %d: call %+v, want %+v", at, c, w)
		}
	}
	for i, opaque := range p.opaques(a) {
		if p.Opaques != nil && p.Opaques[i] != opaque {
			t.Fatalf("cut at %d: half a signature %q", at, opaque)
		}
	}
	switch {
	case at <= p.Finished && a.Kind() != llm.KindNetwork:
		t.Fatalf("cut at %d, before the finish at %d: %v", at, p.Finished, a.Err)
	case a.Err != nil && a.Kind() != llm.KindNetwork:
		t.Fatalf("cut at %d: %v", at, a.Err)
	case a.Err == nil && (a.Text != p.Text || len(a.Calls) != len(p.Calls)):
		t.Fatalf("cut at %d: finished with %+v", at, a)
	}
}
