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
	items map[string]T
	names []string // in the order they were added
}

// Add adds item under name. It returns an error and changes nothing if the name is taken.
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

// Get returns the item with a name.
func (r *Registry[T]) Get(name string) (item T, ok bool) {
	if r == nil {
		return item, false
	}
	item, ok = r.items[name]
	return item, ok
}

// Len returns the number of items.
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
