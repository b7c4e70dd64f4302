package saved

import (
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/pageside/pageside/demo/refuse"
	"github.com/pageside/pageside/internal/visible"
)

// List is the items of one kind that users made for the same data. Nobody may change an item that
// is in it. Safe for concurrent use.
type List[T any] struct {
	store       *Store
	about, kind string
	id          func(*T) *string

	mu    sync.Mutex
	items []T
	last  int // the highest number that was an id
}

// Load returns a list as it was saved. id points to an item's id, which is a number, and "id" in
// its JSON. Where nothing was saved the list begins with what first returns, which may be nil: all
// of it is saved or none, as a part would be taken for what users left.
func Load[T any](s *Store, about, kind string, id func(*T) *string, first func() ([]T, error)) (*List[T], error) {
	l := &List[T]{store: s, about: about, kind: kind, id: id}
	if s != nil {
		if err := s.read(about, kind, &l.items); err != nil {
			return nil, fmt.Errorf("read saved %s: %w", kind, err)
		}
	}
	for i := range l.items {
		n, _ := strconv.Atoi(*id(&l.items[i]))
		l.last = max(l.last, n)
	}
	if len(l.items) > 0 || first == nil {
		return l, nil
	}
	list, err := first()
	if err != nil {
		return nil, err
	}
	for i := range list {
		l.last++
		*id(&list[i]) = strconv.Itoa(l.last)
	}
	l.items = list
	return l, l.write(list, nil)
}

func (l *List[T]) write(list []T, gone []string) error {
	if l.store == nil {
		return nil
	}
	if err := l.store.write(l.about, l.kind, list, gone); err != nil {
		return fmt.Errorf("save %s: %w", l.kind, err)
	}
	return nil
}

// All returns the items in the order they were made.
func (l *List[T]) All() []T {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.items)
}

// Get returns the item with an id. The error is a *refuse.Error.
func (l *List[T]) Get(id string) (found T, err error) {
	for _, v := range l.All() {
		if *l.id(&v) == id {
			return v, nil
		}
	}
	return found, refuse.NotFound("%s %q: not found", l.kind, visible.Clip(id, 40))
}

// Update has change decide, while nobody else changes the list, what to save: an item that replaces
// the one of its id, or a new one with the next id; and the ids of those that go. It returns the
// saved item. An error leaves the list as it was.
func (l *List[T]) Update(change func(list []T, next string) (T, []string, error)) (T, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	next := strconv.Itoa(l.last + 1)
	v, gone, err := change(l.items, next)
	if err == nil {
		err = l.write([]T{v}, gone)
	}
	if err != nil {
		return v, err
	}
	items := slices.DeleteFunc(slices.Clone(l.items), func(old T) bool { return slices.Contains(gone, *l.id(&old)) })
	id := *l.id(&v)
	if id == next {
		l.last++
	}
	if at := slices.IndexFunc(items, func(old T) bool { return *l.id(&old) == id }); at >= 0 {
		items[at] = v
	} else {
		items = append(items, v)
	}
	l.items = items
	return v, nil
}
