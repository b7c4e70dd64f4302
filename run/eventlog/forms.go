package eventlog

import "sync"

// forms are what readers want instead of a block's frames.
type forms struct {
	binary form[byte]
	events form[Event]
}

// form is a block of the log in another form. It is made as readers ask for it, once for all of
// them, and dropped with its block.
type form[T any] struct {
	mu    sync.Mutex
	data  []T   // what was returned never changes
	ends  []int // of the events in data
	taken int   // bytes of the block's frames that data has
}

// appender appends frames, as a client sees them, in another form, and the end of each to ends.
type appender[T any] func(dst []T, ends []int, frames []byte) ([]T, []int, error)

// between returns the events of the block from number i up to, not including, number j. frames are
// the block's up to there.
func (f *form[T]) between(frames []byte, i, j int64, add appender[T]) ([]T, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(frames) > f.taken {
		data, ends, err := add(f.data, f.ends, frames[f.taken:])
		if err != nil {
			return nil, err
		}
		f.data, f.ends, f.taken = data, ends, len(frames)
	}
	start, end := 0, f.ends[j-1]
	if i > 0 {
		start = f.ends[i-1]
	}
	return f.data[start:end:end], nil
}

// formed returns frames in another form: those that after has returned for an event number, with
// the position to.
func formed[T any](
	l *Log, frames []byte, seq int64, to Position, of func(*forms) *form[T], add appender[T],
) ([]T, error) {
	f, all, first := l.formsAt(to)
	if f == nil { // dropped in the meantime
		out, _, err := add(nil, nil, frames)
		return out, err
	}
	return of(f).between(all, seq+1-first, to.Seq+1-first, add)
}

// formsAt returns the forms of the block of a position, its frames up to there, and the number of
// its first event; nil if it is no longer held.
func (l *Log) formsAt(p Position) (f *forms, frames []byte, first int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := p.block - l.base
	if p.block == 0 || i < 0 || i >= len(l.blocks) {
		return nil, nil, 0
	}
	block := &l.blocks[i]
	if block.forms == nil {
		block.forms = new(forms)
	}
	return block.forms, block.data[:p.offset:p.offset], block.first
}

// DropForms forgets the other forms of what is held. Who asks has them made again.
func (l *Log) DropForms() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.blocks {
		l.blocks[i].forms = nil
	}
}
