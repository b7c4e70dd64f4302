package a2a

import (
	"context"
	"sync"

	"github.com/pageside/pageside/store"
)

// turns bounds how many tasks of one owner are notified at a time, so that one owner's slow servers
// do not delay the notifications of others. The zero value is ready to use.
type turns struct {
	mu sync.Mutex
	of map[store.Owner]*turn
}

// turn is the semaphore of one owner, removed when nobody uses it.
type turn struct {
	room  chan struct{}
	users int
}

// take waits for a turn until done is called, and returns false if ctx has ended.
func (t *turns) take(ctx context.Context, o store.Owner) (done func(), ok bool) {
	mine := t.use(o)
	select {
	case mine.room <- struct{}{}:
		return func() { <-mine.room; t.leave(o, mine) }, true
	case <-ctx.Done():
		t.leave(o, mine)
		return nil, false
	}
}

func (t *turns) use(o store.Owner) *turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	mine := t.of[o]
	if mine == nil {
		mine = &turn{room: make(chan struct{}, notifyEach)}
		if t.of == nil {
			t.of = map[store.Owner]*turn{}
		}
		t.of[o] = mine
	}
	mine.users++
	return mine
}

func (t *turns) leave(o store.Owner, mine *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if mine.users--; mine.users == 0 {
		delete(t.of, o)
	}
}
