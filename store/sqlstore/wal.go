package sqlstore

import (
	"fmt"
	"os"
	"time"

	"github.com/pageside/pageside/store"
)

// walGuard keeps SQLite's write-ahead log from filling the disk.
//
// SQLite folds the log into the file when it has grown to 16 MB, and restarts it when it has no
// readers. A read transaction that stays open (a backup, a forgotten shell) prevents that: the log
// grows with every write. Beyond a limit writes are refused, as on a full disk, until the reader is
// gone. A nil one has no log to guard.
type walGuard struct {
	path   string
	set    *settings
	note   *logNote
	warned time.Time
	tried  time.Time
}

// check returns store.ErrFull if the log has grown too long and cannot be folded now.
func (g *walGuard) check(c *conn) error {
	if g == nil {
		return nil
	}
	info, err := os.Stat(g.path)
	if err != nil || info.Size() < g.set.walWarning {
		return nil
	}
	now := time.Now()
	tight := info.Size() >= g.set.walLimit
	if now.Sub(g.tried) < 50*time.Millisecond && !tight {
		return nil
	}
	g.tried = now
	g.note.clear()
	if folded, err := fold(c); err == nil && folded {
		return nil
	}
	if now.Sub(g.warned) > time.Minute {
		g.warned = now
		g.set.log.Warn("the write-ahead log cannot be folded: somebody has been reading the database for a long time",
			"file", g.path, "bytes", info.Size(), "limit", g.set.walLimit)
	}
	if tight {
		return fmt.Errorf("%w: %w: the write-ahead log has %d MB, and somebody who reads the database keeps it from being folded",
			store.ErrFull, errGivenUp, info.Size()>>20)
	}
	return nil
}

// committed is called after each commit.
func (g *walGuard) committed() {
	if g != nil {
		g.note.committed()
	}
}

// clear says that the log may be folded from now on.
func (g *walGuard) clear() {
	if g != nil {
		g.note.clear()
	}
}

// close is called when all connections are closed.
func (g *walGuard) close() error {
	if g == nil {
		return nil
	}
	return g.note.close()
}

// fold writes the log into the file and empties it. It reports whether that worked: a reader may
// prevent it.
func fold(c *conn) (bool, error) {
	if err := c.script("PRAGMA busy_timeout = 0"); err != nil {
		return false, err
	}
	var busy, frames, done int64
	err := c.row("PRAGMA wal_checkpoint(TRUNCATE)", nil, &busy, &frames, &done)
	if restoreErr := c.script("PRAGMA busy_timeout = 5000"); err == nil {
		err = restoreErr
	}
	return busy == 0, err
}
