package sqlstore

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/internal/dbfile"
	"github.com/pageside/pageside/store"
)

// Store is a store.Store in a SQLite database.
type Store struct {
	*access
	threadStore
	runStore
	settingStore
	usageStore
	auditStore

	close func() error
}

// The parts of a store, one for each interface.
type (
	threadStore  struct{ *access } // store.Threads
	runStore     struct{ *access } // store.Runs
	settingStore struct{ *access } // store.Settings
	usageStore   struct{ *access } // store.Usage
	auditStore   struct{ *access } // audit.Store
)

// newStore returns a store that has yet to begin.
func newStore(set settings) *Store {
	a := &access{settings: set}
	return &Store{
		access: a, threadStore: threadStore{a}, runStore: runStore{a}, settingStore: settingStore{a},
		usageStore: usageStore{a}, auditStore: auditStore{a},
	}
}

var (
	_ store.Store = (*Store)(nil)
	_ audit.Store = (*Store)(nil)
)

// settings are the configurable values.
type settings struct {
	now func() time.Time
	log *slog.Logger
	// minimum number of initial messages for storing them in one row
	longHistory int
	lockWait    time.Duration // how long Open waits for another process to release the database
	// size in bytes of a write-ahead log that cannot be folded, beyond which a warning is logged
	walWarning  int64
	walLimit    int64 // maximum size of the log
	checkpoint  int   // pages after which the log is folded
	synchronous string
	searchTime  time.Duration // longest time of a search, waiting included
	vfs         string        // the file system layer under SQLite; "" means its own
	recover     bool          // take what is before the damage of a log
	trace       func(string)  // may be nil
}

func defaults() settings {
	return settings{
		now: time.Now, log: slog.Default(), longHistory: longHistory, lockWait: 3 * time.Second,
		walWarning: 128 << 20, walLimit: 224 << 20, checkpoint: 2000, synchronous: "FULL", searchTime: 10 * time.Second,
	}
}

// Option configures a store.
type Option func(*settings)

// WithClock sets the clock.
func WithClock(now func() time.Time) Option { return func(s *settings) { s.now = now } }

// WithLogger sets the logger for errors that reach no caller. Default slog.Default().
func WithLogger(log *slog.Logger) Option { return func(s *settings) { s.log = log } }

// WithTrace sets a function that is told every statement before it runs, without its arguments. It
// is called from several goroutines.
func WithTrace(trace func(statement string)) Option {
	return func(s *settings) { s.trace = trace }
}

// WithRecovery makes Open take what is before the damage of a write-ahead log, instead of failing.
// It keeps copies of the database and its log beside them, as PATH.damaged and PATH.damaged-wal,
// and logs what is missing. Without damage it changes nothing.
func WithRecovery() Option { return func(s *settings) { s.recover = true } }

// Open opens the database named by dsn, "sqlite:PATH" or just a path. It creates a missing database
// (in an existing folder) and brings the schema up to date. Symbolic links are followed; a file
// with several hard links is refused. Only one process at a time may have the database open: Open
// waits three seconds for another to end.
//
// If the last process did not close it, Open checks the log and the pages, says so in the log, and
// fails if they are damaged: see WithRecovery.
//
// If the files are deleted or replaced while the store is open, all further writes fail with
// store.ErrReplaced. If that happened to the database file itself, Close sets its log aside as
// PATH-wal.old and PATH-shm.old: it must not be applied to the file that is opened next.
func Open(ctx context.Context, dsn string, options ...Option) (*Store, error) {
	set := defaults()
	for _, o := range options {
		o(&set)
	}
	s, err := open(ctx, dsn, set)
	if err != nil {
		if isTorn(err) {
			err = fmt.Errorf("%w: %w", errNoDatabase, err)
		}
		return nil, fmt.Errorf("store: open %q: %w", dsn, err)
	}
	return s, nil
}

func open(ctx context.Context, dsn string, set settings) (s *Store, err error) {
	path, err := pathOf(dsn)
	if err != nil {
		return nil, err
	}
	file, err := dbfile.Claim(ctx, path, set.lockWait)
	if err != nil {
		return nil, err
	}
	if s, err = openClaimed(ctx, file, set); err != nil {
		return nil, errors.Join(err, file.Release())
	}
	return s, nil
}

// openClaimed opens a database that this process has claimed.
func openClaimed(ctx context.Context, file *dbfile.File, set settings) (*Store, error) {
	s := newStore(set)
	files := &fileGuard{file: file, log: set.log}
	db, err := connectors(file.Path(), &s.settings)
	if err != nil {
		return nil, err
	}
	if err := checkEmptied(file); err != nil {
		return nil, err
	}
	unclean, err := s.checkLog(file.Path(), notedEnd(file))
	if err == nil {
		err = fill(file)
	}
	if err == nil {
		err = file.SetNote("") // from here on the log may be folded
	}
	if err != nil {
		return nil, err
	}
	c, err := openMigrated(ctx, db.write)
	if err != nil {
		return nil, err
	}
	if unclean {
		if err := s.checkLeft(c, file.Path()); err != nil {
			return nil, errors.Join(err, c.close())
		}
	}
	pending, err := anyPendingIn(c)
	if err == nil {
		err = file.Watch("-wal", "-shm")
	}
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	db.files, db.write, db.read = files, guarded{db.write, files}, guarded{db.read, files}
	db.wal = &walGuard{path: file.Path() + "-wal", set: &s.settings, note: newLogNote(file)}
	s.begin(c, db, pending)
	return s, nil
}

// database is how a store reaches its data.
type database struct {
	write, read driver.Connector
	files       *fileGuard // nil: it is in no file
	wal         *walGuard  // nil: it has no write-ahead log
	// held by every transaction of the writer, and by every query
	writing, reading sync.Locker
	pace             time.Duration // see writer
}

// connectors returns how to reach a file.
func connectors(path string, set *settings) (db database, err error) {
	db = database{writing: unlocked{}, reading: unlocked{}, pace: filePace}
	if db.write, err = connector(path, forWriting, set); err == nil {
		db.read, err = connector(path, forReading, set)
	}
	return db, err
}

// unlocked is for queries and transactions that do not wait for each other: with a write-ahead log
// SQLite gives every query a version of its own.
type unlocked struct{}

func (unlocked) Lock()   {}
func (unlocked) Unlock() {}

// begin lets the store work. The writer takes the connection c, which has opened the database.
func (s *Store) begin(c *conn, db database, pending bool) {
	torn := &damage{files: db.files}
	s.reading = newReader(db.read, torn, db.reading, max(4, runtime.NumCPU()))
	s.searching = newReader(db.read, torn, db.reading, max(1, runtime.NumCPU()/2))
	s.writing = &writer{database: db, now: s.now, damage: torn}
	s.kept = newKeptThreads()
	s.writing.start(c, s.kept, pending)
	s.close = sync.OnceValue(s.end)
}

// end is Close. It closes the writer last: the last connection to a SQLite file folds the log into
// it, unless the file has left its path.
func (s *Store) end() error {
	w := s.writing
	w.stop()
	w.wal.clear()
	err := errors.Join(s.searching.close(), s.reading.close())
	w.files.foldMoved(w.conn)
	return errors.Join(err, w.conn.close(), w.wal.close(), w.files.release())
}

func openMigrated(ctx context.Context, c driver.Connector) (*conn, error) {
	opened, err := connect(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := migrate(opened); err != nil {
		return nil, errors.Join(fmt.Errorf("migrate: %w", err), opened.close())
	}
	return opened, nil
}

// Ping implements store.Store. It also fails if any statement has found damage in the database.
func (s *Store) Ping(ctx context.Context) error {
	now := s.now().UnixMilli()
	err := s.write(ctx, "ping", "", 0, func(t *txn) error {
		_, err := t.exec(writeHealth, now)
		return err
	})
	if err != nil {
		return err
	}
	return explain("ping", "", s.writing.damage.err())
}

// Close implements store.Store.
func (s *Store) Close() error {
	if err := s.close(); err != nil {
		return fmt.Errorf("store: close: %w", err)
	}
	return nil
}
