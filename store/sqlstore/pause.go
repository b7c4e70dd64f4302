package sqlstore

import (
	"database/sql/driver"
	"sync/atomic"
	"time"

	"modernc.org/sqlite"
)

// A search computes for long without a system call. On a single processor Go lets it go on for
// 10 ms before anything else has its turn, and looks for requests that have arrived only then. So a
// search sleeps briefly after each half of a millisecond.
const (
	searchTurn  = 500 * time.Microsecond
	searchPause = 20 * time.Microsecond // at least: the system takes its time to wake us
)

func init() { sqlite.MustRegisterScalarFunction("pause", 1, searchTurns.pause) }

// searchTurns are those of all searches together, which share the processors left to them.
var searchTurns turns

type turns struct {
	began atomic.Int64 // when the present one did, in nanoseconds
	ended atomic.Int64 // how many have
}

// pause is a function of SQL that is always true. Its argument has it called for each row.
func (t *turns) pause(*sqlite.FunctionContext, []driver.Value) (driver.Value, error) {
	since := time.Duration(time.Now().UnixNano() - t.began.Load())
	if since >= searchTurn || since < 0 { // the clock may be set back
		time.Sleep(searchPause)
		t.began.Store(time.Now().UnixNano())
		t.ended.Add(1)
	}
	return int64(1), nil
}
