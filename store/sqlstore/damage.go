package sqlstore

import (
	"errors"
	"fmt"
	"sync/atomic"
)

// errDamaged says that the database file cannot be relied on, and what to do.
var errDamaged = errors.New("the database is damaged: stop the server and restore a backup")

// errNoDatabase says the same of a file that cannot even be opened.
var errNoDatabase = errors.New("the file is damaged, or no database: restore a backup, or move the file away to begin with an empty one")

// damage records that a statement has met a damaged part of the database. Others may still succeed:
// Ping touches only one page. Safe for concurrent use.
type damage struct {
	files *fileGuard
	first atomic.Pointer[error]
}

// explain adds errDamaged to an error caused by damage, unless the files have been replaced: each
// of them may be intact.
func (d *damage) explain(err error) error {
	if d == nil || err == nil || !isTorn(err) || errors.Is(err, errDamaged) || d.files.check() != nil {
		return err
	}
	err = fmt.Errorf("%w: %w", errDamaged, err)
	d.first.CompareAndSwap(nil, &err)
	return err
}

// err returns the first error that explain has recorded.
func (d *damage) err() error {
	if first := d.first.Load(); first != nil {
		return *first
	}
	return nil
}
