package store

import (
	"bytes"
	"cmp"
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

// NewShare returns the share to store for s.
func NewShare(s Share, now time.Time) (Share, error) {
	err := cmp.Or(checkID("share id", s.ID), checkID("thread id", s.ThreadID),
		checkID("share token hash", s.TokenHash), CheckText("share title", s.Title))
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
	slices.SortFunc(all, func(a, b Share) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
}
