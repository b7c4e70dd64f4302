package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/store"
)

// SetFeedback keeps what a user thinks of a message. The rating also goes into the message's
// metadata, so that it is shown when the thread is loaded. Errors are those of StoreError.
func (s *stored) SetFeedback(ctx context.Context, o Owner, threadID string, f Feedback) error {
	f.At = time.Now()
	err := s.db.SetFeedback(ctx, o, threadID, f)
	if err == nil {
		err = s.db.SetMessageMetadata(ctx, o, threadID, f.MessageID, func(m agui.Message) (json.RawMessage, error) {
			return agui.WithRating(m.Metadata, f.Rating)
		})
	}
	if errors.Is(err, store.ErrNotFound) {
		return refusal.None("there is no such message in a thread of yours")
	}
	return StoreError("keep feedback", err)
}

// ScopeInstructions returns the instructions that are stored for a scope. Errors are those of
// StoreError.
func (s *stored) ScopeInstructions(ctx context.Context, o Owner, kind, id string) (store.Instructions, error) {
	in, err := s.db.Instructions(ctx, o, kind, id)
	if errors.Is(err, store.ErrNotFound) {
		return in, refusal.None("this scope has no instructions")
	}
	return in, StoreError("read the instructions of a scope", err)
}

// PutInstructions stores the instructions of a scope for the owner's tenant; "" deletes them. First
// it has agree told what they were, whose error stops it. Errors are agree's and those of
// StoreError.
func (s *stored) PutInstructions(
	ctx context.Context, o Owner, kind, id, text string, agree func(before string) error,
) error {
	before, err := s.ScopeInstructions(ctx, o, kind, id)
	if err != nil && refusal.CodeOf(err) != refusal.NotFound {
		return err
	}
	if err := agree(before.Text); err != nil {
		return err
	}
	in := store.Instructions{Kind: kind, ID: id, Text: text, UpdatedAt: time.Now(), UpdatedBy: o.Subject}
	return StoreError("store the instructions of a scope", s.db.PutInstructions(ctx, o, in))
}

// instructionsAt returns the instructions stored for the scopes of a place, ordered by kind, as a
// run there gets them.
func (s *stored) instructionsAt(ctx context.Context, o Owner, scope map[string]string) (texts []string, err error) {
	for _, kind := range slices.Sorted(maps.Keys(scope)) {
		in, err := s.db.Instructions(ctx, o, kind, scope[kind])
		switch {
		case errors.Is(err, store.ErrNotFound):
		case err != nil:
			return nil, fmt.Errorf("%w: read the instructions of %s %q: %w", refusal.ErrStore, kind, scope[kind], err)
		default:
			texts = append(texts, in.Text)
		}
	}
	return texts, nil
}

// AuditLog returns the audit log that the store keeps, to be read.
func (s *stored) AuditLog() (audit.Reader, error) {
	if log, ok := s.db.(audit.Reader); ok {
		return log, nil
	}
	return nil, errors.New("the store has no audit log")
}

// Ping reports whether the store can be written, by writing. Errors are *refusal.Error.
func (s *stored) Ping(ctx context.Context) error {
	if err := s.db.Ping(ctx); err != nil {
		return unavailable("the store cannot be written", err)
	}
	return nil
}
