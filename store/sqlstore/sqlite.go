package sqlstore

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// beginWrite begins a transaction that will write. A deferred one could fail at its first write,
// too late to wait.
const beginWrite = "BEGIN IMMEDIATE"

// ourPage is the size of a page of a database that we make, in bytes.
const ourPage = 8192

// use is the purpose of connections.
type use bool

const (
	forWriting use = true
	forReading use = false
)

// pathOf returns the path in a data source name.
func pathOf(dsn string) (string, error) {
	scheme, rest, found := strings.Cut(dsn, ":")
	path := dsn // a path may begin with a drive letter and a colon
	if found && len(scheme) != 1 {
		if scheme != "sqlite" {
			return "", fmt.Errorf("%q is no kind of store: use sqlite:PATH", scheme)
		}
		path = rest
	}
	if path == "" || path == ":memory:" || strings.HasPrefix(path, "file:") {
		return "", fmt.Errorf("%q is not the path of a file: use sqlite:PATH, or OpenTemp to keep nothing", path)
	}
	return path, nil
}

func connector(path string, use use, set *settings) (driver.Connector, error) {
	c, err := sqlite.NewConnector(driverName(path, use, set))
	if err == nil && set.trace != nil {
		return traced{c, set.trace}, nil
	}
	return c, err
}

// driverName returns the driver's name for the file. The file must exist: SQLite must not create a
// new database if one is missing.
//
// synchronous is FULL because NORMAL, in WAL mode, loses acknowledged commits at a power failure
// (https://www.sqlite.org/pragma.html#pragma_synchronous).
//
// Pages of 8 KB hold three messages of a common size, pages of 4 KB only one. The log is folded
// into the file at 16 MB. Together this makes long histories a quarter cheaper to store, and many
// writers half as fast again.
func driverName(path string, use use, set *settings) string {
	pragmas := []string{
		"busy_timeout(5000)", "foreign_keys(1)", "synchronous(" + set.synchronous + ")", "temp_store(MEMORY)",
	}
	if use == forWriting {
		pragmas = append(pragmas, fmt.Sprintf("page_size(%d)", ourPage),
			fmt.Sprintf("wal_autocheckpoint(%d)", set.checkpoint), "journal_size_limit(67108864)")
	} else {
		// What a connection keeps of the file is dropped at the writer's next commit, so 2 MB for
		// each, SQLite's default, are of little use; the system keeps the pages anyway.
		pragmas = append(pragmas, "query_only(1)", "cache_size(-256)")
	}
	// The driver must set journal_mode last: it creates the file and so fixes its page size.
	query := url.Values{"mode": {"rw"}, "_pragma": pragmas, "_journal_mode": {"WAL"}, "_txlock": {"immediate"}}
	if set.vfs != "" {
		query.Set("vfs", set.vfs)
	}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + query.Encode()
}

// isFull reports whether err means that the disk is full. If a file cannot grow, SQLite sometimes
// only reports a failed operation.
func isFull(err error) bool {
	code := codeOf(err)
	return code == sqlite3.SQLITE_IOERR_SHMSIZE || code&0xff == sqlite3.SQLITE_FULL
}

// isBusy reports whether err means that another process holds the database.
func isBusy(err error) bool { return codeOf(err)&0xff == sqlite3.SQLITE_BUSY }

// isBroken reports whether a new connection is worth a try after err.
func isBroken(err error) bool {
	switch codeOf(err) & 0xff {
	case sqlite3.SQLITE_IOERR, sqlite3.SQLITE_MISUSE, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_NOTADB,
		sqlite3.SQLITE_CORRUPT:
		return true
	}
	return errors.Is(err, driver.ErrBadConn)
}

// isTorn reports whether err means that the file is damaged.
func isTorn(err error) bool {
	code := codeOf(err) & 0xff
	return code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_NOTADB
}

// codeOf returns the SQLite code of an error, or 0.
func codeOf(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code()
	}
	return 0
}
