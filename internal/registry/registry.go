// Package registry keeps named items in order, each name once.
//
//	var r registry.Registry[*Tool]
//	if err := r.Add("search", t); err != nil {
//		return err // "search" is defined twice
//	}
//	t, ok := r.Get("search")
//
// What a name may look like, and what the items are, is up to the caller.
package registry

import (
	"fmt"
	"iter"
	"slices"
)

// Registry is an ordered set of named items. Its zero value is empty and ready. Many goroutines
// may read it once nothing more is added; a nil *Registry reads as empty.
type Registry[T any] struct {
	items map[string]T
	names []string // in the order they were added
}

// Add puts item under name. A name that is taken is an error and changes nothing.
func (r *Registry[T]) Add(name string, item T) error {
	if _, taken := r.items[name]; taken {
		return fmt.Errorf("%q is defined twice", name)
	}
	if r.items == nil {
		r.items = make(map[string]T)
	}
	r.items[name] = item
	r.names = append(r.names, name)
	return nil
}

// Get returns the item with that name.
func (r *Registry[T]) Get(name string) (item T, ok bool) {
	if r == nil {
		return item, false
	}
	item, ok = r.items[name]
	return item, ok
}

// Len returns how many items there are.
func (r *Registry[T]) Len() int {
	if r == nil {
		return 0
	}
	return len(r.names)
}

// Names returns the names in the order they were added.
func (r *Registry[T]) Names() []string {
	if r == nil {
		return nil
	}
	return slices.Clone(r.names)
}

// All yields name and item in the order they were added.
func (r *Registry[T]) All() iter.Seq2[string, T] {
	return func(yield func(string, T) bool) {
		if r == nil {
			return
		}
		for _, name := range r.names {
			if !yield(name, r.items[name]) {
				return
			}
		}
	}
}
