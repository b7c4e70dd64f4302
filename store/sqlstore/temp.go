package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"modernc.org/sqlite"
)

// OpenTemp opens an empty store in memory, for tests and for programs that keep nothing. It keeps
// the promises of a store in a file, except that Close ends it. Its time is that of its clock alone
// (no write waits for another one, or for a disk), so that it works inside a synctest bubble.
func OpenTemp(ctx context.Context, options ...Option) (*Store, error) {
	s := newStore(defaults())
	for _, o := range options {
		o(&s.settings)
	}
	s.vfs = memory
	if err := s.openTemp(ctx); err != nil {
		return nil, fmt.Errorf("store: open in memory: %w", err)
	}
	return s, nil
}

// memory is SQLite's layer for databases that all connections of the process see by their names,
// until the last one is closed.
const memory = "memdb"

// temps counts the stores in memory, which are named by their numbers.
var temps atomic.Int64

func (s *Store) openTemp(ctx context.Context) error {
	name := fmt.Sprintf("/pageside-%d", temps.Add(1))
	db, err := connectors(name, &s.settings)
	if err != nil {
		return err
	}
	// A database in memory has no versions: a query and a transaction would meet, and one of them
	// would have to try again later.
	var lock sync.RWMutex
	db.writing, db.reading, db.pace = &lock, lock.RLocker(), 0
	c, err := connect(ctx, db.write)
	if err != nil {
		return err
	}
	if err := copyEmpty(name, &s.settings); err != nil {
		return errors.Join(err, c.close())
	}
	s.begin(c, db, false)
	return nil
}

// empty is a database with the schema and nothing else. Copying it takes a hundredth of the time
// that its migrations take.
var empty struct {
	sync.Mutex
	*conn
}

// copyEmpty copies the empty database to a new one.
func copyEmpty(name string, set *settings) error {
	empty.Lock()
	defer empty.Unlock()
	if empty.conn == nil {
		c, err := connector("/pageside-empty", forWriting, &settings{vfs: memory, synchronous: set.synchronous})
		if err != nil {
			return err
		}
		if empty.conn, err = openMigrated(context.Background(), c); err != nil {
			return err
		}
	}
	from := empty.driver.(interface {
		NewBackup(to string) (*sqlite.Backup, error)
	})
	backup, err := from.NewBackup(driverName(name, forWriting, set))
	if err != nil {
		return err
	}
	_, err = backup.Step(-1)
	return errors.Join(err, backup.Finish())
}
