package store

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Webhook is where somebody wants to be told of a run, and of those that go on under its id.
type Webhook struct {
	RunID     string
	ID        string // unique to the run
	ThreadID  string // the run's
	Config    json.RawMessage
	Told      string // what was told last, in the words of who tells it
	Done      bool   // there is nothing more to tell
	CreatedAt time.Time
}

// OwnedWebhook is a webhook with its owner.
type OwnedWebhook struct {
	Owner   Owner
	Webhook Webhook
}

// Webhooks stores whom to tell of runs, and what they have been told. A webhook goes with its
// thread; those of a deleted thread do not exist.
type Webhooks interface {
	// PutWebhook stores a webhook of a run, or replaces the run's with that id. ThreadID is the
	// run's, whatever it says; a zero CreatedAt means now. It returns ErrNotFound if there is no
	// such run.
	PutWebhook(ctx context.Context, o Owner, w Webhook) error

	// Webhooks returns those of a run, the oldest first.
	Webhooks(ctx context.Context, o Owner, runID string) ([]Webhook, error)

	// TellWebhook stores what was told, or returns ErrNotFound.
	TellWebhook(ctx context.Context, o Owner, runID, id, told string, done bool) error

	// DeleteWebhook deletes one, or returns ErrNotFound.
	DeleteWebhook(ctx context.Context, o Owner, runID, id string) error

	// OpenWebhooks returns those of all owners that are not done.
	OpenWebhooks(ctx context.Context) ([]OwnedWebhook, error)
}

// NewWebhook returns the webhook to store for w.
func NewWebhook(w Webhook, now time.Time) (Webhook, error) {
	if err := cmp.Or(checkID("run id", w.RunID), checkID("webhook id", w.ID), CheckText("what a webhook was told", w.Told)); err != nil {
		return Webhook{}, err
	}
	if !json.Valid(w.Config) {
		return Webhook{}, fmt.Errorf("webhook config: %w: is not JSON", ErrInvalid)
	}
	w.Config, w.CreatedAt = bytes.Clone(w.Config), orNow(w.CreatedAt, now)
	return w, nil
}
