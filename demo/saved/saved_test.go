package saved

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/test/must"
)

type thing struct {
	ID   string `json:"id"`
	Name string
}

func open(t *testing.T, file string) *Store {
	t.Helper()
	s := must.Get(Open(t.Context(), file))(t)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func load(t *testing.T, s *Store, about, kind string, first ...thing) *List[thing] {
	t.Helper()
	l, err := Load(s, about, kind, func(v *thing) *string { return &v.ID }, func() ([]thing, error) { return first, nil })
	must.Do(t, err)
	return l
}

func names(l *List[thing]) (list []string) {
	for _, v := range l.All() {
		list = append(list, v.ID+" "+v.Name)
	}
	return list
}

// save adds a thing, or changes the one of its id, and removes others.
func save(t *testing.T, l *List[thing], v thing, gone ...string) {
	t.Helper()
	must.Get(l.Update(func(_ []thing, next string) (thing, []string, error) {
		if v.ID == "" {
			v.ID = next
		}
		return v, gone, nil
	}))(t)
}

// TestThingsAreApartAndInOrder: also after a restart, and no id is given twice.
func TestThingsAreApartAndInOrder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "saved ?#%.db")
	s := open(t, file)
	a := load(t, s, "one.log", "alert", thing{"", "first"})
	for _, name := range []string{"second", "third"} {
		save(t, a, thing{"", name})
	}
	save(t, a, thing{"1", "changed"}, "3")
	save(t, a, thing{"", "fourth"}, "2")
	save(t, load(t, s, "two.log", "alert"), thing{"", "elsewhere"})
	must.Do(t, s.Close())
	want := []string{"1 changed", "4 fourth"}
	s = open(t, file)
	if got := names(load(t, s, "one.log", "alert", thing{"", "another first"})); !slices.Equal(names(a), want) || !slices.Equal(got, want) {
		t.Errorf("%q, then %q", names(a), got)
	}
	if got := names(load(t, s, "one.log", "stream")); got != nil {
		t.Errorf("%q", got)
	}
	must.Do(t, s.Clear(t.Context()))
	if got := names(load(t, s, "two.log", "alert")); got != nil {
		t.Errorf("%q are left", got)
	}
}

func TestWhatCannotBeWrittenChangesNothing(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "saved.db"))
	l := load(t, s, "x", "y", thing{"", "one"})
	must.Do(t, s.db.Close())
	_, err := l.Update(func(_ []thing, next string) (thing, []string, error) { return thing{next, "two"}, []string{"1"}, nil })
	if got := names(l); err == nil || !slices.Equal(got, []string{"1 one"}) {
		t.Errorf("%q %v", got, err)
	}
}

// TestAFirstStartThatBreaksOffLeavesNoPart of what a list begins with: the next start would take it
// for all there is.
func TestAFirstStartThatBreaksOffLeavesNoPart(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "saved.db"))
	const trigger = "CREATE TRIGGER full BEFORE INSERT ON items WHEN new.id = '2' BEGIN SELECT RAISE(ABORT, 'the disk is full'); END"
	must.Get(s.db.ExecContext(t.Context(), trigger))(t)
	begin := func() ([]thing, error) { return []thing{{"", "one"}, {"", "two"}}, nil }
	_, err := Load(s, "x", "y", func(v *thing) *string { return &v.ID }, begin)
	must.Fail(t, err, "the disk is full", "a list that begins")
	must.Get(s.db.ExecContext(t.Context(), "DROP TRIGGER full"))(t)
	must.Be(t, len(names(load(t, s, "x", "y", thing{"", "one"}, thing{"", "two"}))), 2, "things after another start")
}

func TestNoStoreSavesNothing(t *testing.T) {
	var s *Store
	l := load(t, s, "x", "y", thing{"", "one"})
	if save(t, l, thing{"", "two"}); len(names(l)) != 2 || s.Clear(t.Context()) != nil || s.Close() != nil {
		t.Errorf("%q", names(l))
	}
}

// Two demos with one file would give the same ids to different things, and --reset of one would
// empty the other's. A file that was deleted would lose what is saved.
func TestTheFileIsOurs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "saved.db")
	first := open(t, file)
	if s, err := Open(t.Context(), file); err == nil {
		t.Errorf("%v is open twice", s)
	}
	l := load(t, first, "x", "y", thing{"", "one"})
	if err := os.Remove(file); err != nil {
		t.Skip(err)
	}
	_, err := l.Update(func(_ []thing, next string) (thing, []string, error) { return thing{next, "two"}, nil, nil })
	if err == nil || first.Clear(t.Context()) == nil || len(names(l)) != 1 {
		t.Errorf("%v, %q", err, names(l))
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "saved.db")
	must.Do(t, os.WriteFile(file, []byte(strings.Repeat("no database ", 500)), 0o600))
	newer := filepath.Join(folder, "newer.db")
	s := open(t, newer)
	must.Get(s.db.ExecContext(t.Context(), "PRAGMA user_version = 99"))(t)
	must.Do(t, s.Close())
	for file, want := range map[string]string{file: "not a database", newer: "newer Pageside", filepath.Join(folder, "no", "saved.db"): "no such file"} {
		if s, err := Open(t.Context(), file); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), file) {
			t.Errorf("%v: %v", s, err)
		}
	}
}
