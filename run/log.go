package run

import (
	"slices"
	"sync"
)

// blockSize is how much of a run's stream one block of the log holds.
const blockSize = 4 << 10

// eventLog is the recent part of a run's stream in wire format: SSE frames, encoded once and shared
// by all readers. It holds only committed events; older ones can be read from the store. Published
// bytes never change, so readers need no copies.
type eventLog struct {
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

// newEventLog returns a log that begins after the given event number.
func newEventLog(limit int, after int64) *eventLog {
	return &eventLog{limit: limit, last: after, base: 1}
}

// position is how far a reader has read: up to and including event seq. It remembers where in the
// log the rest is.
type position struct {
	seq           int64
	block, offset int // block 0 means unknown
}

// publish appends n frames and wakes the readers.
func (l *eventLog) publish(frames []byte, n int, end bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n > 0 {
		l.add(frames, n)
	}
	l.ended = l.ended || end
	for _, wake := range l.waiting {
		signal(wake)
	}
}

func signal(wake chan struct{}) {
	select {
	case wake <- struct{}{}:
	default: // a wake-up is already pending
	}
}

// add puts frames into the last block if they fit in its capacity, else into a new one. Requires
// l.mu.
func (l *eventLog) add(frames []byte, n int) {
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

// after returns the frames after p, as far as they are contiguous, and the position after them.
// held is false if they are no longer in memory; done means that there is nothing more to come.
func (l *eventLog) after(p position) (frames []byte, next position, held, done bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.seq >= l.last {
		return nil, p, true, l.ended
	}
	if !l.find(&p) {
		return nil, p, false, false
	}
	b := &l.blocks[p.block-l.base]
	end := len(b.data)
	return b.data[p.offset:end:end], position{b.last, p.block, end}, true, false
}

// find sets the offset of the event after p.seq. It returns false if the event is not held.
// Requires l.mu.
func (l *eventLog) find(p *position) bool {
	if i := p.block - l.base; p.block > 0 && i >= 0 && i < len(l.blocks) {
		if p.offset < len(l.blocks[i].data) {
			return true
		}
		p.block, p.offset = p.block+1, 0
		return true // there is one: an event follows
	}
	if len(l.blocks) == 0 || l.blocks[0].first > p.seq+1 {
		return false
	}
	i := slices.IndexFunc(l.blocks, func(b block) bool { return b.last > p.seq })
	b := &l.blocks[i]
	p.block, p.offset = l.base+i, len(b.data)-len(skipFrames(b.data, p.seq+1-b.first))
	return true
}

// watch signals wake after each publish, until unwatch.
func (l *eventLog) watch(wake chan struct{}) {
	l.mu.Lock()
	l.waiting = append(l.waiting, wake)
	l.mu.Unlock()
}

func (l *eventLog) unwatch(wake chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(l.waiting, wake); i >= 0 {
		last := len(l.waiting) - 1
		l.waiting[i], l.waiting[last] = l.waiting[last], nil
		l.waiting = l.waiting[:last]
	}
}

// hasEnded reports whether the end was published.
func (l *eventLog) hasEnded() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ended
}

// size returns the bytes held.
func (l *eventLog) size() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held
}
