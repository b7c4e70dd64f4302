package sqlstore

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

//go:embed migrations/*.sql
var migrations embed.FS

// The steps applied to a database are the rows of a table.
const (
	createSteps = `
		CREATE TABLE IF NOT EXISTS schema_steps (number BIGINT NOT NULL PRIMARY KEY, name TEXT NOT NULL)`

	countSteps = `
		SELECT count(*) FROM schema_steps`

	insertStep = `
		INSERT INTO schema_steps (number, name) VALUES ($1, $2)`
)

// fills are the parts of steps that need more than SQL, by the name of the step.
var fills = map[string]func(*conn) error{"00002_events": fillEvents}

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
	done, err := stepsDone(c)
	if err != nil {
		return err
	}
	steps, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	if done > len(steps) {
		return fmt.Errorf("it was made by a newer version: its schema has %d steps, this version knows %d", done, len(steps))
	}
	for i, name := range steps[done:] {
		if err := step(c, name, done+i+1); err != nil {
			return fmt.Errorf("step %s: %w", name, err)
		}
	}
	_, err = c.exec("COMMIT")
	return err
}

// stepsDone returns the number of steps applied to the database.
func stepsDone(c *conn) (n int, err error) {
	if _, err := c.exec(createSteps); err != nil {
		return 0, err
	}
	return n, c.row(countSteps, nil, &n)
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
	if fill := fills[short]; fill != nil {
		if err := fill(c); err != nil {
			return err
		}
	}
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
