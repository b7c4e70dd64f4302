package run

import "sync"

// blockSize is how much of a run's stream one block of the log holds.
const blockSize = 4 << 10

// eventLog is a run's stream as it goes over the wire: SSE frames, encoded once and shared by every reader.
// One goroutine appends; any number read. Readers look only at what is published, so bytes are never copied for them.
type eventLog struct {
	mu       sync.Mutex
	blocks   [][]byte // the last one grows in place; published bytes never change
	variants []variant
	ended    bool
	waiting  []chan struct{}
}

// variant says that the frame at a position reads otherwise for a 0.x client: other bytes, or none.
type variant struct {
	at    position
	size  int
	bytes []byte
}

// position is a place in the log.
type position struct{ block, offset int }

func (p position) before(q position) bool {
	return p.block < q.block || p.block == q.block && p.offset < q.offset
}

// pendingVariant is a variant inside a batch that is not published yet.
type pendingVariant struct {
	offset, size int
	bytes        []byte
}

// publish appends a batch of frames and wakes the readers.
func (l *eventLog) publish(frames []byte, variants []pendingVariant, end bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.room(len(frames))
	for _, v := range variants {
		l.variants = append(l.variants, variant{position{at.block, at.offset + v.offset}, v.size, v.bytes})
	}
	l.blocks[at.block] = append(l.blocks[at.block], frames...)
	l.ended = l.ended || end
	for _, wake := range l.waiting {
		select {
		case wake <- struct{}{}:
		default: // it has not looked since the last time
		}
	}
}

// room returns where n more bytes go: into the last block if they fit without moving it, else into a new one.
func (l *eventLog) room(n int) position {
	last := len(l.blocks) - 1
	if last < 0 || len(l.blocks[last])+n > cap(l.blocks[last]) {
		l.blocks = append(l.blocks, make([]byte, 0, max(n, blockSize)))
		last++
	}
	return position{last, len(l.blocks[last])}
}

// next returns what follows p as far as it lies in one piece, and where it ends. With legacy set, frames that have a variant
// come as that. It returns no bytes and done at the end of an ended log.
func (l *eventLog) next(p position, legacy bool) (frames []byte, after position, done bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for p.block < len(l.blocks) && p.offset == len(l.blocks[p.block]) && p.block+1 < len(l.blocks) {
		p = position{p.block + 1, 0}
	}
	if p.block >= len(l.blocks) || p.offset == len(l.blocks[p.block]) {
		return nil, p, l.ended
	}
	published := l.blocks[p.block]
	after = position{p.block, len(published)}
	if legacy {
		for _, v := range l.variants {
			switch {
			case v.at == p:
				return v.bytes, position{p.block, p.offset + v.size}, false
			case p.before(v.at) && v.at.before(after):
				after = v.at
			}
		}
	}
	return published[p.offset:after.offset:after.offset], after, false
}

// watch returns a channel that is signalled after each publish, and a function that stops it.
func (l *eventLog) watch() (wake chan struct{}, stop func()) {
	wake = make(chan struct{}, 1)
	l.mu.Lock()
	l.waiting = append(l.waiting, wake)
	l.mu.Unlock()
	return wake, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		for i, w := range l.waiting {
			if w == wake {
				l.waiting[i] = l.waiting[len(l.waiting)-1]
				l.waiting = l.waiting[:len(l.waiting)-1]
				return
			}
		}
	}
}

// size is how many bytes the log holds.
func (l *eventLog) size() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, b := range l.blocks {
		n += cap(b)
	}
	for _, v := range l.variants {
		n += cap(v.bytes)
	}
	return n
}
