package store_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/store"
	_ "github.com/pageside/pageside/test/chance"
)

func TestCursor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := time.UnixMilli(rapid.Int64Range(-1e15, 1e15).Draw(t, "ms")).UTC()
		want := store.ThreadPosition{Pinned: rapid.Bool().Draw(t, "pinned"), UpdatedAt: at, ID: rapid.StringMatching(`[^\x00]{1,40}`).Draw(t, "id")}
		if got, err := store.ParseCursor(want.Cursor()); err != nil || got != want {
			t.Fatalf("%+v came back as %+v, %v", want, got, err)
		}
	})
}

// TestPositions: pinned threads come first, then the newest, then those with the greatest id.
func TestPositions(t *testing.T) {
	at := time.UnixMilli(5)
	list := []store.ThreadPosition{
		{Pinned: true, UpdatedAt: at, ID: "a"}, {UpdatedAt: at.Add(1), ID: "a"},
		{UpdatedAt: at, ID: "b"}, {UpdatedAt: at, ID: "a"},
	}
	for i, p := range list {
		for j, q := range list {
			if p.After(q) != (i > j) {
				t.Errorf("%+v comes after %+v: %t", p, q, p.After(q))
			}
		}
	}
}

func FuzzParseCursor(f *testing.F) {
	f.Add(store.ThreadPosition{UpdatedAt: time.UnixMilli(1), ID: "t/1"}.Cursor())
	f.Add(store.ThreadPosition{Pinned: true, UpdatedAt: time.UnixMilli(1), ID: "t"}.Cursor())
	f.Add("x")
	f.Fuzz(func(t *testing.T, cursor string) {
		p, err := store.ParseCursor(cursor)
		if err != nil {
			return
		}
		if again, err := store.ParseCursor(p.Cursor()); err != nil || again != p {
			t.Errorf("%q reads as %+v and then as %+v, %v", cursor, p, again, err)
		}
	})
}
