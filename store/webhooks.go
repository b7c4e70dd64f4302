package store

import (
	"bytes"
	"cmp"
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

// NewWebhook returns the webhook to store for w.
func NewWebhook(w Webhook, now time.Time) (Webhook, error) {
	if err := cmp.Or(checkID("run id", w.RunID), checkID("webhook id", w.ID),
		CheckText("what a webhook was told", w.Told)); err != nil {
		return Webhook{}, err
	}
	if !json.Valid(w.Config) {
		return Webhook{}, fmt.Errorf("webhook config: %w: is not JSON", ErrInvalid)
	}
	w.Config, w.CreatedAt = bytes.Clone(w.Config), orNow(w.CreatedAt, now)
	return w, nil
}
