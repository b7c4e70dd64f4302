package sqlstore

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/pageside/pageside/internal/dbfile"
)

// dialect is all that differs between databases.
type dialect struct {
	begin  string           // begins a transaction that will write
	full   func(error) bool // reports that there is no space left
	busy   func(error) bool // reports that somebody else holds the database
	broken func(error) bool // reports that the connection is no good any more
	torn   func(error) bool // reports that what the file holds makes no sense
	claim  func(ctx context.Context, name string, wait time.Duration) (*dbfile.File, error)
	open   func(path string, use use, set *settings) (driver.Connector, error)
}

// use says what connections are for.
type use bool

const (
	forWriting use = true
	forReading use = false
)

// dialectOf returns the dialect of a data source name, and the name without its scheme.
func dialectOf(dsn string) (dialect, string, error) {
	scheme, rest, found := strings.Cut(dsn, ":")
	switch {
	case !found || len(scheme) == 1: // a plain path, or one that begins with the letter of a drive
		return sqliteDialect, dsn, nil
	case scheme == "sqlite":
		return sqliteDialect, rest, nil
	}
	return dialect{}, "", fmt.Errorf("%q is no kind of store: use sqlite:PATH", scheme)
}

var sqliteDialect = dialect{
	// a deferred one could fail at its first write, when it is too late to wait
	begin:  "BEGIN IMMEDIATE",
	full:   sqliteFull,
	busy:   func(err error) bool { return sqliteCode(err)&0xff == sqlite3.SQLITE_BUSY },
	broken: sqliteBroken,
	torn:   sqliteTorn,
	claim:  sqliteClaim,
	open:   sqliteOpen,
}

func sqliteClaim(ctx context.Context, name string, wait time.Duration) (*dbfile.File, error) {
	if name == "" || name == ":memory:" || strings.HasPrefix(name, "file:") {
		return nil, fmt.Errorf("%q is not the path of a file: use sqlite:PATH, or store.NewMemory to keep nothing", name)
	}
	return dbfile.Claim(ctx, name, wait)
}

func sqliteOpen(path string, use use, set *settings) (driver.Connector, error) {
	return sqlite.NewConnector(sqliteName(path, use, set))
}

// sqliteName returns the driver's name for the file, which must exist: one that SQLite makes in its
// place would be another database.
//
// synchronous is FULL because NORMAL, in WAL mode, loses commits that were acknowledged when the
// power goes (https://www.sqlite.org/pragma.html#pragma_synchronous).
//
// Pages of 8 KB hold three messages of a common size where 4 KB hold one, and the log is folded
// into the file at 16 MB: both make a long history a quarter cheaper to store, and many writers
// half as fast again.
func sqliteName(path string, use use, set *settings) string {
	pragmas := []string{"busy_timeout(5000)", "foreign_keys(1)", "synchronous(" + set.synchronous + ")", "temp_store(MEMORY)"}
	if use == forWriting {
		pragmas = append(pragmas, "page_size(8192)", fmt.Sprintf("wal_autocheckpoint(%d)", set.checkpoint), "journal_size_limit(67108864)")
	} else {
		pragmas = append(pragmas, "query_only(1)")
	}
	// The driver sets journal_mode last, which it must be: it is what makes the file, and so fixes
	// the size of its pages.
	query := url.Values{"mode": {"rw"}, "_pragma": pragmas, "_journal_mode": {"WAL"}, "_txlock": {"immediate"}}
	if set.vfs != "" {
		query.Set("vfs", set.vfs)
	}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + query.Encode()
}

// sqliteFull reports whether err says that the disk is full. Where a file cannot grow SQLite
// sometimes says only that an operation on it failed.
func sqliteFull(err error) bool {
	code := sqliteCode(err)
	return code == sqlite3.SQLITE_IOERR_SHMSIZE || code&0xff == sqlite3.SQLITE_FULL
}

// sqliteBroken reports whether err is one after which another connection is worth a try.
func sqliteBroken(err error) bool {
	switch sqliteCode(err) & 0xff {
	case sqlite3.SQLITE_IOERR, sqlite3.SQLITE_MISUSE, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT:
		return true
	}
	return errors.Is(err, driver.ErrBadConn)
}

// sqliteTorn reports whether err says that the file is damaged.
func sqliteTorn(err error) bool {
	code := sqliteCode(err) & 0xff
	return code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_NOTADB
}

// sqliteCode returns the code of an error of SQLite, or 0.
func sqliteCode(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code()
	}
	return 0
}
