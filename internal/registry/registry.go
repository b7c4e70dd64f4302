// Package registry stores uniquely named items in order.
//
//	var r registry.Registry[*Tool]
//	if err := r.Add("search", t); err != nil {
//		return err // "search" is defined twice
//	}
//	t, ok := r.Get("search")
//
// The caller decides which names are valid and what the items are.
package registry

import (
	"fmt"
	"iter"
	"slices"
)

// Registry is an ordered set of named items. The zero value is empty and ready to use. It may be
// read concurrently once nothing more is added; a nil *Registry reads as empty.
type Registry[T any] struct {
	items []T
	at    map[string]int // index in items, by name
}

// Add adds item under name. It returns an error and changes nothing if the name is taken.
func (r *Registry[T]) Add(name string, item T) error {
	if _, taken := r.at[name]; taken {
		return fmt.Errorf("%q is defined twice", name)
	}
	if r.at == nil {
		r.at = map[string]int{}
	}
	r.at[name] = len(r.items)
	r.items = append(r.items, item)
	return nil
}

// Get returns the item with a name.
func (r *Registry[T]) Get(name string) (item T, ok bool) {
	if r == nil {
		return item, false
	}
	i, ok := r.at[name]
	if ok {
		item = r.items[i]
	}
	return item, ok
}

// All yields the items in the order they were added.
func (r *Registry[T]) All() iter.Seq[T] {
	if r == nil {
		return slices.Values[[]T](nil)
	}
	return slices.Values(r.items)
}
