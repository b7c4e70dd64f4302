// Package eventlog holds a run's stream as its readers see it: events with ids, encoded once as
// frames of Server-Sent Events (frames.go), the recent part of them in memory (Log), and what a
// reader gets of them: without the server's notes, in the binary framing, decoded, or for a 0.x
// client (Piece). It reads no store: what a Log no longer holds, its user has to look up.
package eventlog

import (
	"slices"
	"sync"
)

// blockSize is how much of a run's stream one block of the log holds.
const blockSize = 4 << 10

// Log is the recent part of a run's stream in wire format: SSE frames, encoded once and shared
// by all readers. It holds only committed events; older ones can be read from the store. Published
// bytes never change, so readers need no copies.
type Log struct {
	mu      sync.Mutex
	blocks  []block // the last one grows in place; published bytes never change
	base    int     // number of the first block still held; the first ever is 1
	held    int     // bytes of all blocks
	limit   int     // limit of held, beyond which the oldest blocks are dropped
	last    int64   // number of the last event
	ended   bool
	waiting []chan struct{}
}

type block struct {
	data        []byte
	first, last int64  // event numbers
	forms       *forms // nil until a reader asks
}

// New returns a log that begins after the given event number.
func New(limit int, after int64) *Log {
	return &Log{limit: limit, last: after, base: 1}
}

// Position is how far a reader has read: up to and including event seq. It remembers where in the
// log the rest is.
type Position struct {
	Seq           int64
	block, offset int // block 0 means unknown
}

// Publish appends n frames and wakes the readers.
func (l *Log) Publish(frames []byte, n int, end bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n > 0 {
		l.add(frames, n)
	}
	l.ended = l.ended || end
	for _, wake := range l.waiting {
		Signal(wake)
	}
}

// Signal wakes who waits on a channel with room for one wake-up.
func Signal(wake chan struct{}) {
	select {
	case wake <- struct{}{}:
	default: // a wake-up is already pending
	}
}

// add puts frames into the last block if they fit in its capacity, else into a new one. Requires
// l.mu.
func (l *Log) add(frames []byte, n int) {
	i := len(l.blocks) - 1
	if i < 0 || len(l.blocks[i].data)+len(frames) > cap(l.blocks[i].data) {
		l.blocks = append(l.blocks, block{data: make([]byte, 0, max(len(frames), blockSize)), first: l.last + 1})
		i++
		l.held += cap(l.blocks[i].data)
	}
	b := &l.blocks[i]
	b.data = append(b.data, frames...)
	l.last += int64(n)
	b.last = l.last
	for l.held > l.limit && len(l.blocks) > 1 {
		l.held -= cap(l.blocks[0].data)
		l.blocks[0] = block{}
		l.blocks = l.blocks[1:]
		l.base++
	}
}

// After returns the frames after p, as far as they are contiguous, and the position after them.
// held is false if they are no longer in memory; done means that there is nothing more to come.
func (l *Log) After(p Position) (frames []byte, next Position, held, done bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.Seq >= l.last {
		return nil, p, true, l.ended
	}
	if !l.find(&p) {
		return nil, p, false, false
	}
	b := &l.blocks[p.block-l.base]
	end := len(b.data)
	return b.data[p.offset:end:end], Position{b.last, p.block, end}, true, false
}

// find sets the offset of the event after p.Seq. It returns false if the event is not held.
// Requires l.mu.
func (l *Log) find(p *Position) bool {
	if i := p.block - l.base; p.block > 0 && i >= 0 && i < len(l.blocks) {
		if p.offset < len(l.blocks[i].data) {
			return true
		}
		p.block, p.offset = p.block+1, 0
		return true // there is one: an event follows
	}
	if len(l.blocks) == 0 || l.blocks[0].first > p.Seq+1 {
		return false
	}
	i := slices.IndexFunc(l.blocks, func(b block) bool { return b.last > p.Seq })
	b := &l.blocks[i]
	p.block, p.offset = l.base+i, len(b.data)-len(Skip(b.data, p.Seq+1-b.first))
	return true
}

// Watch signals wake after each publish, until unwatch.
func (l *Log) Watch(wake chan struct{}) {
	l.mu.Lock()
	l.waiting = append(l.waiting, wake)
	l.mu.Unlock()
}

// Unwatch ends what Watch began.
func (l *Log) Unwatch(wake chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(l.waiting, wake); i >= 0 {
		last := len(l.waiting) - 1
		l.waiting[i], l.waiting[last] = l.waiting[last], nil
		l.waiting = l.waiting[:last]
	}
}

// Ended reports whether the end was published.
func (l *Log) Ended() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ended
}

// Size returns the bytes held.
func (l *Log) Size() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held
}
