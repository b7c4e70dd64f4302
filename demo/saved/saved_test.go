package saved

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

type thing struct{ Name string }

func open(t *testing.T, file string) *Store {
	t.Helper()
	s, err := Open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func names(t *testing.T, d *Collection) (list []string) {
	t.Helper()
	all, err := All[thing](d)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range all {
		list = append(list, v.Name)
	}
	return list
}

func TestThingsAreApartAndInOrder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "saved ?#%.db")
	s := open(t, file)
	a, other := s.Collection("one.log", "alert"), s.Collection("two.log", "alert")
	for _, err := range []error{
		a.Write([]Item{{"1", thing{"first"}}, {"2", thing{"second"}}, {"3", thing{"third"}}}),
		a.Write([]Item{{"1", thing{"changed"}}}, "2"),
		other.Write([]Item{{"1", thing{"elsewhere"}}}),
		s.Close(),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	s = open(t, file)
	if got := names(t, s.Collection("one.log", "alert")); !slices.Equal(got, []string{"changed", "third"}) {
		t.Errorf("%q", got)
	}
	if got := names(t, s.Collection("one.log", "stream")); got != nil {
		t.Errorf("%q", got)
	}
	if err := s.Clear(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := names(t, s.Collection("two.log", "alert")); got != nil {
		t.Errorf("%q are left", got)
	}
}

func TestWhatCannotBeWrittenChangesNothing(t *testing.T) {
	d := open(t, filepath.Join(t.TempDir(), "saved.db")).Collection("x", "y")
	if err := d.Write([]Item{{"1", thing{"one"}}}); err != nil {
		t.Fatal(err)
	}
	if err := d.Write([]Item{{"2", thing{"two"}}, {"3", func() {}}}, "1"); err == nil {
		t.Fatal("a function was saved")
	}
	if got := names(t, d); !slices.Equal(got, []string{"one"}) {
		t.Errorf("%q", got)
	}
}

func TestNoStoreSavesNothing(t *testing.T) {
	var s *Store
	d := s.Collection("x", "y")
	if err := d.Write([]Item{{"1", thing{}}}); err != nil || names(t, d) != nil || s.Clear(t.Context()) != nil || s.Close() != nil {
		t.Errorf("%v", err)
	}
}

// Two demos with one file would give the same ids to different things, and --reset of one would
// empty the other's.
func TestOneProcessAtATime(t *testing.T) {
	file := filepath.Join(t.TempDir(), "saved.db")
	first := open(t, file)
	if s, err := Open(t.Context(), file); err == nil || !strings.Contains(err.Error(), "is using saved.db") {
		t.Errorf("%v: %v", s, err)
	}
	if err := first.Collection("x", "y").Write([]Item{{"1", thing{"one"}}}); err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if got := names(t, open(t, file).Collection("x", "y")); !slices.Equal(got, []string{"one"}) {
		t.Errorf("%q", got)
	}
}

// By whatever name it is reached, it is one file.
func TestOneProcessByAnyName(t *testing.T) {
	folder := t.TempDir()
	file, link, twin := filepath.Join(folder, "saved.db"), filepath.Join(folder, "link.db"), filepath.Join(folder, "twin.db")
	first := open(t, file)
	if err := os.Symlink("saved.db", link); err != nil {
		t.Skip(err)
	}
	if s, err := Open(t.Context(), link); err == nil || !strings.Contains(err.Error(), "is using saved.db") {
		t.Errorf("by a link: %v, %v", s, err)
	}
	if err := errors.Join(first.Close(), os.Link(file, twin)); err != nil {
		t.Fatal(err)
	}
	if s, err := Open(t.Context(), twin); err == nil || !strings.Contains(err.Error(), "hard links") {
		t.Errorf("by a hard link: %v, %v", s, err)
	}
}

// What would be lost is refused.
func TestFileDeletedWhileOpen(t *testing.T) {
	file := filepath.Join(t.TempDir(), "saved.db")
	s := open(t, file)
	d := s.Collection("x", "y")
	if err := d.Write([]Item{{"1", thing{"one"}}}); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(file); err != nil {
		t.Skip(err)
	}
	for doing, err := range map[string]error{"write": d.Write([]Item{{"2", thing{"two"}}}), "clear": s.Clear(t.Context())} {
		if err == nil || !strings.Contains(err.Error(), file+" was deleted or replaced while the server was running; restart it") {
			t.Errorf("%s: %v", doing, err)
		}
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "saved.db")
	if err := os.WriteFile(file, []byte(strings.Repeat("no database ", 500)), 0o600); err != nil {
		t.Fatal(err)
	}
	newer := filepath.Join(folder, "newer.db")
	s := open(t, newer)
	if _, err := s.db.ExecContext(t.Context(), "PRAGMA user_version = 99"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{file: "not a database", newer: "newer Pageside", filepath.Join(folder, "no", "saved.db"): "no such file"} {
		if s, err := Open(t.Context(), file); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), file) {
			t.Errorf("%v: %v", s, err)
		}
	}
}
