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
	must.Same(t, slices.Collect(r.All()), []int{0, 1, 2}, "the items of b, a and c")
}

func TestNilReadsAsEmpty(t *testing.T) {
	var r *registry.Registry[int]
	if _, ok := r.Get("a"); ok {
		t.Error("a nil registry is not empty")
	}
	for range r.All() {
		t.Error("a nil registry yielded an item")
	}
}
