package sqlstore

import (
	"context"
	"database/sql"
	"sync"
)

// statements keeps what has been prepared, by its text. SQL comes only from the constants of queries.go, so it stays small.
type statements struct {
	prepare func(context.Context, string) (*sql.Stmt, error)
	mu      sync.RWMutex
	byText  map[string]*sql.Stmt
}

func newStatements(prepare func(context.Context, string) (*sql.Stmt, error)) *statements {
	return &statements{prepare: prepare, byText: map[string]*sql.Stmt{}}
}

func (s *statements) get(ctx context.Context, text string) (*sql.Stmt, error) {
	s.mu.RLock()
	stmt := s.byText[text]
	s.mu.RUnlock()
	if stmt != nil {
		return stmt, nil
	}
	stmt, err := s.prepare(ctx, text)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if other := s.byText[text]; other != nil { // somebody else was faster
		return other, stmt.Close()
	}
	s.byText[text] = stmt
	return stmt, nil
}

func (s *statements) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var first error
	for _, stmt := range s.byText {
		first = firstError(first, stmt.Close())
	}
	clear(s.byText)
	return first
}
