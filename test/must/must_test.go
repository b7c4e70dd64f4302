package must_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/pageside/pageside/test/must"
)

// witness notes what a test is told.
type witness struct{ said string }

func (*witness) Helper()                             {}
func (w *witness) Fatal(args ...any)                 { w.said = "fatal: " + fmt.Sprint(args...) }
func (w *witness) Errorf(format string, args ...any) { w.said = fmt.Sprintf(format, args...) }

func TestWhatFailsATest(t *testing.T) {
	gone := fmt.Errorf("look: %w", fs.ErrNotExist)
	for want, check := range map[string]func(must.T){
		"":                                  func(t must.T) { must.Do(t, nil, nil) },
		"fatal: look: file does not exist":  func(t must.T) { must.Do(t, nil, gone) },
		"fatal: look: file does not exist ": func(t must.T) { must.Get(1, gone)(t) },
		"fatal: {: unexpected end":          func(t must.T) { must.JSON[int](t, "{") },
		"two of a: got 1, want 2":           func(t must.T) { must.Be(t, 1, 2, "two of %s", "a") },
		`text: got "b ", want "b"`:          func(t must.T) { must.Be(t, "b ", "b", "text") },
		"text: got \na\nb\n, want \"\"":     func(t must.T) { must.Be(t, "a\nb", "", "text") },
		"error: got look: file does":        func(t must.T) { must.Be(t, gone, nil, "error") },
		`text: got "ab", want in it "c"`:    func(t must.T) { must.Have(t, "ab", "c", "text") },
		`text: got "ab", want not in it "b`: func(t must.T) { must.Lack(t, "ab", "b", "text") },
		"list: got [1 2], want [2 1]":       func(t must.T) { must.Same(t, []int{1, 2}, []int{2, 1}, "list") },
		"a: the error is <nil>, want that":  func(t must.T) { must.Fail(t, nil, "", "%s", "a") },
		"b: the error is look: file does":   func(t must.T) { must.Fail(t, gone, "elsewhere", "b") },
		"c: the error is <nil>, want file":  func(t must.T) { must.FailWith(t, nil, fs.ErrNotExist, "c") },
		"d: the error is other, want file":  func(t must.T) { must.FailWith(t, errors.New("other"), fs.ErrNotExist, "d") },
	} {
		w := &witness{}
		if check(w); !strings.HasPrefix(w.said, strings.TrimSpace(want)) || want == "" && w.said != "" {
			t.Errorf("said is %q, want %q", w.said, want)
		}
	}
}

func TestWhatIsAsItMustBe(t *testing.T) {
	w := &witness{}
	gone := fmt.Errorf("look: %w", fs.ErrNotExist)
	must.Do(w)
	must.Be(w, must.Get(7, nil)(w), 7, "")
	must.Be(w, must.JSON[string](w, []byte(`"a"`)), "a", "")
	must.Have(w, "abc", "b", "")
	must.Lack(w, "abc", "d", "")
	must.Same(w, []int{1, 2}, []int{1, 2}, "")
	must.Be(w, must.Text(gone)+must.Text(nil), "look: file does not exist", "")
	must.Fail(w, must.Err(1, gone), "does not exist", "")
	must.FailWith(w, gone, fs.ErrNotExist, "")
	if w.said != "" {
		t.Error(w.said)
	}
}
