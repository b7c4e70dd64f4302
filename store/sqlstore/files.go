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

// fileGuard keeps the store from writing to files that nobody will find again: SQLite goes on with
// those that it has open, whatever becomes of their names.
type fileGuard struct {
	file *dbfile.File
	log  *slog.Logger
	once sync.Once
}

// check returns store.ErrReplaced where the files are not the ones at their paths any more. The
// first time it says so in the log.
func (g *fileGuard) check() error {
	err := g.file.Check()
	if err == nil {
		return nil
	}
	g.once.Do(func() { g.log.Error("nothing is stored any more", "error", err) })
	return fmt.Errorf("%w: %w: %w", store.ErrReplaced, errGivenUp, err)
}

// guarded opens connections to the files that the store has opened, and to no others.
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
