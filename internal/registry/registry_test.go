package registry_test

import (
	"slices"
	"testing"

	"github.com/pageside/pageside/internal/registry"
	"github.com/pageside/pageside/test/must"
)

func TestOrderAndDuplicates(t *testing.T) {
	var r registry.Registry[int]
	for i, name := range []string{"b", "a", "c"} {
		must.Do(t, r.Add(name, i))
	}
	err := r.Add("a", 9)
	if err == nil || err.Error() != `"a" is defined twice` {
		t.Errorf("second a: %v", err)
	}
	if v, ok := r.Get("a"); !ok || v != 1 {
		t.Errorf("a = %d, %v: the first definition must stay", v, ok)
	}
	var names []string
	for name := range r.All() {
		names = append(names, name)
	}
	if want := []string{"b", "a", "c"}; !slices.Equal(names, want) || !slices.Equal(r.Names(), want) || r.Len() != 3 {
		t.Errorf("names %v, want %v", names, want)
	}
}

func TestNilReadsAsEmpty(t *testing.T) {
	var r *registry.Registry[int]
	if _, ok := r.Get("a"); ok || r.Len() != 0 || r.Names() != nil {
		t.Error("a nil registry is not empty")
	}
	for range r.All() {
		t.Error("a nil registry yielded an item")
	}
}
