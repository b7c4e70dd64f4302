package sqlstore

import (
	"bytes"
	"compress/gzip"
	"context"
	"embed"
	"fmt"
	"io/fs"
	"strings"

	"github.com/pageside/pageside/internal/dbfile"
)

//go:embed migrations/*.sql
var migrations embed.FS

// The steps applied to a database are the rows of a table.
const (
	createSteps = `
		CREATE TABLE IF NOT EXISTS schema_steps (number BIGINT NOT NULL PRIMARY KEY, name TEXT NOT NULL)`

	lastStep = `
		SELECT coalesce(max(number), 0) FROM schema_steps`

	insertStep = `
		INSERT INTO schema_steps (number, name) VALUES ($1, $2)`
)

// firstStep is the number of the step that makes a whole schema. Those before it made the same in
// pieces, in databases of versions that were never released.
const firstStep = 17

// migrate brings the schema up to date in one transaction. Other processes that open the database
// wait.
//
// The steps are the files of migrations, in the order of their names. A released step never
// changes.
func migrate(c *conn) (err error) {
	if _, err := c.exec(beginWrite); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			c.exec("ROLLBACK") // best effort: there may be nothing left to roll back
		}
	}()
	steps, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	done, err := stepsDone(c, firstStep-1+len(steps))
	if err != nil {
		return err
	}
	for i, name := range steps[done-firstStep+1:] {
		if err := step(c, name, done+i+1); err != nil {
			return fmt.Errorf("step %s: %w", name, err)
		}
	}
	_, err = c.exec("COMMIT")
	return err
}

// emptyFile is a database in which the steps so far have been applied, compressed.
//
//go:embed migrations/empty.db.gz
var emptyFile []byte

// fill gives a new file the schema, in a tenth of the time that the steps to it take.
// A file beside a log of SQLite's stays empty: with a schema, SQLite would apply the log to it.
func fill(file *dbfile.File) error {
	if !file.Made() || exists(file.Path()+"-wal") || exists(file.Path()+"-journal") {
		return nil
	}
	content, err := gzip.NewReader(bytes.NewReader(emptyFile))
	if err != nil {
		return err
	}
	return file.Fill(content)
}

// stepsDone returns the number of the last step applied to the database. A new one counts as if
// the step before the first were. It refuses a database whose steps this version does not know.
func stepsDone(c *conn, known int) (last int, err error) {
	if _, err := c.exec(createSteps); err != nil {
		return 0, err
	}
	err = c.row(lastStep, nil, &last)
	switch {
	case err != nil:
		return 0, err
	case last > known:
		return 0, fmt.Errorf("it was made by a newer version: its schema is at step %d, "+
			"this version knows %d", last, known)
	case last > 0 && last < firstStep:
		return 0, fmt.Errorf("it was made by a version before the first release: its schema is "+
			"at step %d, and this version begins at %d", last, firstStep)
	}
	return max(last, firstStep-1), nil
}

func step(c *conn, name string, number int) error {
	text, err := migrations.ReadFile(name)
	if err != nil {
		return err
	}
	if err := c.script(string(text)); err != nil {
		return err
	}
	short := strings.TrimSuffix(name[strings.LastIndexByte(name, '/')+1:], ".sql")
	_, err = c.exec(insertStep, number, short)
	return err
}

// script runs the statements of a text, once.
func (c *conn) script(text string) error {
	d, err := c.driver.Prepare(text)
	if err != nil {
		return err
	}
	defer d.Close()
	s, ok := d.(statement)
	if !ok {
		return fmt.Errorf("the driver's statements are %T, which cannot be used", d)
	}
	_, err = s.ExecContext(context.Background(), nil)
	return err
}
