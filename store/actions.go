package store

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"
)

// Action is one run of a suggested action. It is kept so that one click has one effect, however
// often its request arrives.
type Action struct {
	Key         string          // idempotency key, unique to its owner
	Fingerprint string          // a hash of what the action does
	Result      json.RawMessage // the answer, kept byte for byte; nil until there is one
	CreatedAt   time.Time
	ExpiresAt   time.Time // from then on the key may be used again
}

// ActionApproval permits one action with one fingerprint, once.
type ActionApproval struct {
	ID          string
	Fingerprint string
	ExpiresAt   time.Time
}

// NewAction returns the action to store for a.
func NewAction(a Action, now time.Time) (Action, error) {
	if err := cmp.Or(checkID("action key", a.Key), CheckText("action fingerprint", a.Fingerprint)); err != nil {
		return Action{}, err
	}
	if a.ExpiresAt.IsZero() {
		return Action{}, fmt.Errorf("action expiry: %w: there is none", ErrInvalid)
	}
	return Action{
		Key: a.Key, Fingerprint: a.Fingerprint, CreatedAt: orNow(a.CreatedAt, now),
		ExpiresAt: FromMillis(a.ExpiresAt.UnixMilli()),
	}, nil
}

// CheckResult returns ErrInvalid if the answer of an action cannot be stored.
func CheckResult(result json.RawMessage) error {
	if !json.Valid(result) {
		return fmt.Errorf("action result: %w: is not JSON", ErrInvalid)
	}
	return nil
}

// CheckApproval returns ErrInvalid if a cannot be stored.
func CheckApproval(a ActionApproval) error {
	if err := cmp.Or(checkID("approval id", a.ID), CheckText("approval fingerprint", a.Fingerprint)); err != nil {
		return err
	}
	if a.ExpiresAt.IsZero() {
		return fmt.Errorf("approval expiry: %w: there is none", ErrInvalid)
	}
	return nil
}
