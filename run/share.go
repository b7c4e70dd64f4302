package run

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/store"
)

// shares are the copies of threads that others may read.
type shares struct{ *stored }

// maxShared is the largest share in bytes: the store keeps a copy of what a reader gets.
const maxShared = 4 << 20

// Share stores a copy of a thread as it is now. Anybody in the owner's tenant who has the token can
// read it. Only the token's hash is stored. The copy does not change with the thread, but is
// deleted with it.
//
// Errors are *refusal.Error: refusal.NotFound, refusal.ThreadBusy while a run of the thread is
// live, refusal.TooLarge and refusal.Shares.
func (s *shares) Share(
	ctx context.Context, o store.Owner, threadID string, lasting time.Duration,
) (share store.Share, token string, err error) {
	title, messages, err := s.shownNow(ctx, o, threadID)
	if err != nil {
		return share, "", err
	}
	token = rand.Text()
	now := store.FromMillis(time.Now().UnixMilli())
	share = store.Share{
		ID: newID("share"), ThreadID: threadID, TokenHash: hashOfToken(token), Title: title, Messages: messages,
		CreatedAt: now, ExpiresAt: now.Add(lasting),
	}
	err = s.db.PutShare(ctx, o, share)
	if errors.Is(err, store.ErrTooMany) {
		return store.Share{}, "", &refusal.Error{
			Code:    refusal.Shares,
			Message: fmt.Sprintf("a conversation has at most %d links at a time: revoke one first", store.MaxShares),
		}
	}
	if err != nil { // ErrNotFound: deleted in the meantime
		return store.Share{}, "", noneOr(noThread(threadID), "the share could not be stored", err)
	}
	return share, token, nil
}

// shownNow returns the title of a thread and what a reader gets of its shown branch, as JSON.
func (s *shares) shownNow(
	ctx context.Context, o store.Owner, threadID string,
) (title string, messages json.RawMessage, err error) {
	thread, err := s.thread(ctx, o, threadID)
	if err != nil {
		return "", nil, err
	}
	row, all, err := s.headOf(ctx, o, threadID)
	switch {
	case err != nil:
		return "", nil, unreadable(err)
	case row.Status == store.RunLive:
		return "", nil, &refusal.Error{
			Code: refusal.ThreadBusy, Live: row.ID,
			Message: "the assistant is still answering: share the conversation when the answer is there",
		}
	}
	messages, err = encodeMessages(sharedMessages(all))
	if err == nil && len(messages) > maxShared {
		err = &refusal.Error{
			Code: refusal.TooLarge,
			Message: fmt.Sprintf("the conversation is too long to be shared: it has %d bytes of at most %d",
				len(messages), maxShared),
		}
	}
	return sharedTitle(thread.Title, all), messages, err
}

// encodeMessages returns messages as a JSON array.
func encodeMessages(messages []agui.Message) (json.RawMessage, error) {
	out := json.RawMessage{'['}
	for i := range messages {
		if i > 0 {
			out = append(out, ',')
		}
		var err error
		if out, err = agui.AppendMessage(out, &messages[i]); err != nil {
			return nil, fmt.Errorf("encode message %q: %w", messages[i].ID, err)
		}
	}
	return append(out, ']'), nil
}

// hashOfToken returns what the store knows of a token. Tokens are random: a plain hash is enough.
func hashOfToken(token string) string {
	sum := sha256.Sum256([]byte(token))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Shares returns the unexpired shares of a thread, without their contents. Errors are
// *refusal.Error.
func (s *shares) Shares(ctx context.Context, o store.Owner, threadID string) ([]store.Share, error) {
	all, err := s.db.Shares(ctx, o, threadID)
	return all, noneOr(noThread(threadID), "the shares could not be read", err)
}

// Unshare revokes a share: its token no longer opens anything. Errors are *refusal.Error.
func (s *shares) Unshare(ctx context.Context, o store.Owner, threadID, id string) error {
	none := refusal.None("thread %q has no share %q", threadID, id)
	return noneOr(none, "the share could not be revoked", s.db.DeleteShare(ctx, o, threadID, id))
}

// OpenShare returns the share that a token opens for the users of a tenant. Errors are
// *refusal.Error: refusal.NotFound, with the same message whatever the reason.
func (s *shares) OpenShare(ctx context.Context, tenant, token string) (store.OwnedShare, error) {
	found, err := s.db.OpenShare(ctx, tenant, hashOfToken(token))
	return found, noneOr(NoShare(), "the share could not be read", err)
}

// NoShare is the error for a token that opens nothing, for whatever reason.
func NoShare() *refusal.Error {
	return &refusal.Error{
		Code:    refusal.NotFound,
		Message: "there is no such shared conversation: its link may have expired or been revoked",
	}
}
