package sqlstore

import (
	"context"
	"database/sql/driver"
	"fmt"
	"log/slog"
	"sync"

	"github.com/pageside/pageside/internal/dbfile"
	"github.com/pageside/pageside/store"
)

// fileGuard prevents writes to files that were deleted or replaced. SQLite keeps using its open
// files whatever happens to their names. A nil one has no files to guard.
type fileGuard struct {
	file *dbfile.File
	log  *slog.Logger
	once sync.Once
}

// check returns store.ErrReplaced if other files, or none, are now at the paths. The first time it
// also logs that.
func (g *fileGuard) check() error {
	if g == nil {
		return nil
	}
	err := g.file.Check()
	if err == nil {
		return nil
	}
	g.once.Do(func() { g.log.Error("nothing is stored any more", "error", err, "if killed", g.byHand()) })
	return fmt.Errorf("%w: %w: %w", store.ErrReplaced, errGivenUp, err)
}

// byHand says what to do if release could not set the log aside.
func (g *fileGuard) byHand() string {
	path := g.file.Path()
	return fmt.Sprintf("if you put another file there, remove %s-wal and %s-shm while no server runs", path, path)
}

// foldMoved folds the log into a database file that was renamed, since there is no log next to the
// new name. If that fails, the log is set aside.
func (g *fileGuard) foldMoved(c *conn) {
	if g != nil && g.file.Moved() {
		fold(c)
	}
}

// release releases the claim on the file, so that the next server can open the file at its path.
// All connections must be closed.
func (g *fileGuard) release() error {
	if g == nil {
		return nil
	}
	aside, err := g.file.PutAside()
	if err != nil { // everything is stored: Close has succeeded
		g.log.Error("the next start may damage the database", "error", err, "remedy", g.byHand())
	}
	if len(aside) > 0 {
		g.log.Warn("the log of the database that was here is put aside, so that the next start does not apply it to another one:"+
			" delete it when nothing of the old database is missing", "database", g.file.Path(), "files", aside)
	}
	return g.file.Release()
}

// guarded only opens connections to the files that the store has opened.
type guarded struct {
	driver.Connector
	files *fileGuard
}

func (g guarded) Connect(ctx context.Context) (driver.Conn, error) {
	if err := g.files.check(); err != nil {
		return nil, err
	}
	return g.Connector.Connect(ctx)
}
