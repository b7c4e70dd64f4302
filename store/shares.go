package store

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// Share is a copy of a thread that others of its owner's tenant may read. What the thread becomes
// later does not change it.
type Share struct {
	ID       string // unique to the thread
	ThreadID string
	// TokenHash is a hash of the secret that opens the share. The secret itself is not stored.
	TokenHash string
	Title     string
	Messages  json.RawMessage // an array, kept byte for byte
	CreatedAt time.Time
	ExpiresAt time.Time
}

// OwnedShare is a share with its owner.
type OwnedShare struct {
	Owner Owner
	Share Share
}

// MaxShares is how many shares of a thread may be open at a time.
const MaxShares = 20

// Shares stores what users share of their threads. A share goes with its thread, and that of a
// deleted thread cannot be opened.
type Shares interface {
	// PutShare stores a share of a thread, and removes the thread's expired ones. It returns
	// ErrNotFound for an unknown thread, ErrConflict for an id or a hash that is taken, and
	// ErrTooMany if the thread has MaxShares. A zero CreatedAt means now.
	PutShare(ctx context.Context, o Owner, s Share) error

	// Shares returns those of a thread that have not expired, by CreatedAt and ID, without their
	// messages and hashes, or ErrNotFound.
	Shares(ctx context.Context, o Owner, threadID string) ([]Share, error)

	// DeleteShare deletes one that has not expired, or returns ErrNotFound.
	DeleteShare(ctx context.Context, o Owner, threadID, id string) error

	// OpenShare returns the share with a hash, whoever of the tenant owns it, or ErrNotFound if it
	// has expired, its thread is deleted, or there is none.
	OpenShare(ctx context.Context, tenant, tokenHash string) (OwnedShare, error)

	// PurgeShares removes the shares of all owners that expired before the given time, and returns
	// how many.
	PurgeShares(ctx context.Context, before time.Time) (int, error)
}

// NewShare returns the share to store for s.
func NewShare(s Share, now time.Time) (Share, error) {
	err := cmp.Or(checkID("share id", s.ID), checkID("thread id", s.ThreadID), checkID("share token hash", s.TokenHash), CheckText("share title", s.Title))
	if err != nil {
		return Share{}, err
	}
	if !json.Valid(s.Messages) || !bytes.HasPrefix(bytes.TrimSpace(s.Messages), []byte("[")) {
		return Share{}, fmt.Errorf("share messages: %w: are not a JSON array", ErrInvalid)
	}
	if err := CheckText("share messages", string(s.Messages)); err != nil {
		return Share{}, err
	}
	if s.ExpiresAt.IsZero() {
		return Share{}, fmt.Errorf("share expiry: %w: there is none", ErrInvalid)
	}
	s.Messages, s.CreatedAt, s.ExpiresAt = bytes.Clone(s.Messages), orNow(s.CreatedAt, now), FromMillis(s.ExpiresAt.UnixMilli())
	return s, nil
}

// SortShares sorts shares in the order a store returns them.
func SortShares(all []Share) {
	slices.SortFunc(all, func(a, b Share) int { return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID)) })
}
