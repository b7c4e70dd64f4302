package sqlstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/pageside/pageside/store"
)

// access is how each part of a store reaches the database.
type access struct {
	settings
	reading   *reader
	searching *reader // a search may take long: it must not keep other reads waiting
	writing   *writer
	kept      *keptThreads
}

// write runs do in the writer. The error names the operation and id. size is about how many bytes
// it writes.
func (s *access) write(ctx context.Context, doing, id string, size int, do func(*txn) error) error {
	return explain(doing, id, s.writing.submit(ctx, size, do))
}

// change is a write of one statement that changes a row, unless what is asked is invalid. Without
// such a row it fails with store.ErrNotFound.
func (s *access) change(
	ctx context.Context, doing, id string, size int, invalid error, statement string, args ...any,
) error {
	if invalid != nil {
		return explain(doing, id, invalid)
	}
	return s.write(ctx, doing, id, size, func(t *txn) error {
		return t.change(store.ErrNotFound, statement, args...)
	})
}

func explain(doing, id string, err error) error {
	switch {
	case err == nil, errors.Is(err, store.ErrClosed):
		return err
	case id == "":
		return fmt.Errorf("store: %s: %w", doing, err)
	}
	return fmt.Errorf("store: %s %q: %w", doing, id, err)
}

// writeUntil writes in steps until there are no more or a context ends, but at least one.
func (s *access) writeUntil(ctx, bound context.Context, doing string, step func(*txn) (more bool, err error)) error {
	for more := true; more; more = more && bound.Err() == nil {
		err := s.write(ctx, doing, "", 0, func(t *txn) (err error) {
			more, err = step(t)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// inSteps calls do in separate writes until it changes nothing more. It returns the total number of
// changes.
func (s *access) inSteps(ctx context.Context, doing string, do func(*txn) (int64, error)) (total int64, err error) {
	for n := int64(1); n > 0; {
		if err := s.write(ctx, doing, "", 0, func(t *txn) error { n, err = do(t); return err }); err != nil {
			return total, err
		}
		total += n
	}
	return total, nil
}
