package sqlstore

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/pageside/pageside/store"
)

// A row of the event log holds the batches of one transaction: body holds their frames one after
// another, and runs says which frames belong to which run.
//
// runs begins with a format byte, 1. Each batch follows as five unsigned varints: the number of its
// run, its epoch, the number of its first event, its number of events, and the size of its frames.

const logFormat = 1

// entry describes one batch in a row of the log.
type entry struct {
	number       int64 // of the run
	epoch        int
	first        int64
	count        int
	offset, size int // of its frames in the body
}

func (e entry) last() int64 { return e.first + int64(e.count) - 1 }

// batch returns the batch with its frames.
func (e entry) batch(runID string, frames []byte) store.Batch {
	return store.Batch{RunID: runID, Epoch: e.epoch, First: e.first, Count: e.count, Frames: frames}
}

// logRow is a row of the log being built.
type logRow struct{ runs, body []byte }

func (r *logRow) empty() bool { return len(r.runs) == 0 }

func (r *logRow) reset() { r.runs, r.body = r.runs[:0], r.body[:0] }

func (r *logRow) add(number int64, b *store.Batch) {
	if r.empty() {
		r.runs = append(r.runs, logFormat)
	}
	for _, n := range [...]uint64{
		uint64(number), uint64(b.Epoch), uint64(b.First), uint64(b.Count), uint64(len(b.Frames)),
	} {
		r.runs = binary.AppendUvarint(r.runs, n)
	}
	r.body = append(r.body, b.Frames...)
}

var errLogFormat = errors.New("the row is damaged")

// entriesOf calls yield for the batches of one run in a row of the log.
func entriesOf(number int64, runs []byte, yield func(entry) error) error {
	if len(runs) == 0 {
		return errLogFormat
	}
	if runs[0] != logFormat {
		return fmt.Errorf("its format is %d, this version knows %d", runs[0], logFormat)
	}
	offset := 0
	for rest := runs[1:]; len(rest) > 0; {
		var fields [5]uint64
		for i := range fields {
			n, size := binary.Uvarint(rest)
			if size <= 0 {
				return errLogFormat
			}
			fields[i], rest = n, rest[size:]
		}
		size := int(fields[4])
		if int64(fields[0]) == number {
			e := entry{
				number: number, epoch: int(fields[1]), first: int64(fields[2]), count: int(fields[3]),
				offset: offset, size: size,
			}
			if err := yield(e); err != nil {
				return err
			}
		}
		offset += size
	}
	return nil
}
