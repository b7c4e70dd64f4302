package faulty

import (
	"errors"
	"slices"
	"sync"

	"github.com/pageside/pageside/store"
)

// ErrDead is what a dead process is told by its store.
var ErrDead = errors.New("the process is dead")

// Mortal is a store as a process has it that dies: at one of the operations that write, before or
// after it is carried out. From then on nothing the process does has an effect, and it learns
// nothing any more. All methods may be called at the same time.
type Mortal struct {
	Store
	mu    sync.Mutex
	left  int    // operations until the end; never, if there are none
	last  string // the name of one that is the end
	after bool
	dead  bool
	ops   []string
	busy  sync.WaitGroup // counts what is under way; up only under mu, while not dead
}

// NewMortal returns a process's store that is st until it dies.
func NewMortal(st store.Store) *Mortal {
	m := &Mortal{Store: Store{Store: st}}
	m.Do = m.do
	return m
}

// NewDying is NewMortal for a process that dies at its nth operation, as DieAt has it.
func NewDying(st store.Store, n int, after bool) *Mortal {
	m := NewMortal(st)
	m.DieAt(n, after)
	return m
}

// DieAt has the process die at its nth operation from now on, before or after that is carried out.
// If n is 0 or less it does not.
func (m *Mortal) DieAt(n int, after bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.left, m.last, m.after, m.ops = max(n, 0), "", after, nil
}

// DieAtNext is DieAt for the next operation of a name.
func (m *Mortal) DieAtNext(op string, after bool) {
	m.DieAt(0, after)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.last = op
}

// Die ends the process. When it returns, nothing the process does has an effect any more: what was
// under way has had its own.
func (m *Mortal) Die() {
	m.mu.Lock()
	m.dead = true
	m.mu.Unlock()
	m.busy.Wait()
}

// Dead reports whether the process has died.
func (m *Mortal) Dead() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.dead
}

// Ops returns the operations that wrote, or tried to, since the start or the last DieAt.
func (m *Mortal) Ops() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.ops)
}

// Alive has an effect outside the store, unless the process is dead.
func (m *Mortal) Alive(effect func()) {
	m.mu.Lock()
	dead := m.dead
	if !dead {
		m.busy.Add(1)
	}
	m.mu.Unlock()
	if !dead {
		defer m.busy.Done()
		effect()
	}
}

// step counts an operation. does says whether it is carried out: then busy is to be told when it
// has been. told says whether the process learns of it.
func (m *Mortal) step(op string) (does, told bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dead {
		return false, false
	}
	m.ops = append(m.ops, op)
	does, told = true, true
	m.left--
	if m.left == 0 || op == m.last {
		m.dead = true
		does, told = m.after, false
	}
	if does {
		m.busy.Add(1)
	}
	return does, told
}

func (m *Mortal) do(op string, carryOut func() error) (err error) {
	if !Writes(op) { // a dead process may look
		return carryOut()
	}
	does, told := m.step(op)
	if does {
		err = func() error { defer m.busy.Done(); return carryOut() }()
	}
	if !told {
		return ErrDead
	}
	return err
}

// AppendEvents implements store.Store.
func (m *Mortal) AppendEvents(o store.Owner, b store.Batch, done func(error)) {
	does, told := m.step("AppendEvents")
	if does {
		defer m.busy.Done()
	}
	below := m.Store.Store
	switch {
	case does && told:
		below.AppendEvents(o, b, done)
	case does:
		b.Frames = slices.Clone(b.Frames)
		below.AppendEvents(o, b, func(error) { done(ErrDead) })
	default:
		go done(ErrDead)
	}
}
