package tool

import (
	"sync"
	"time"
)

// progressEvery is the shortest time between two reports of one call.
const progressEvery = 100 * time.Millisecond

// mailbox holds the newest report of a call. Putting one in never blocks: it replaces a report that
// was not taken yet.
type mailbox struct {
	ready chan struct{} // has a token while there is a report

	mu     sync.Mutex
	newest Progress
}

func newMailbox() *mailbox { return &mailbox{ready: make(chan struct{}, 1)} }

func (m *mailbox) put(p Progress) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.newest = p
	select {
	case m.ready <- struct{}{}:
	default:
	}
}

func (m *mailbox) take() Progress {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.newest
}

// flush passes on the report that was not taken yet, if there is one.
func (m *mailbox) flush(report func(Progress)) {
	select {
	case <-m.ready:
		report(m.take())
	default:
	}
}
