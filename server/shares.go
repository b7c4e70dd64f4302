package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/run"
)

// How long a share lasts.
const (
	shareFor    = 30 * 24 * time.Hour
	maxShareFor = 365 * 24 * time.Hour
)

type shareJSON struct {
	ID        string    `json:"id"`
	Token     string    `json:"token,omitempty"` // only in the answer to POST
	CreatedAt time.Time `json:"createdAt"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// Questions to the policy about shares. Owners list and revoke theirs without asking.
var (
	toShare      = policy.Question{Kind: policy.Sharing, Verb: policy.Use}
	toReadShared = policy.Question{Kind: policy.Sharing, Verb: policy.Read}
)

// offersSharing reports whether the caller can share threads, for clients that offer it.
func (s *Server) offersSharing(c *call) bool {
	return s.sharing() && s.decide(c.r.Context(), c, toShare).Decision == policy.Allow
}

// sharing reports whether users can share threads: they can where the server tells them apart.
func (s *Server) sharing() bool { return s.cfg.Authenticate != nil && !s.cfg.NoSharing }

// postShare shares a thread as it is now: anybody in the caller's tenant who has the token can read
// it.
func (s rest) postShare(c *call) error {
	if err := s.mayShare(c); err != nil {
		return err
	}
	lasting, err := s.shareTime(c)
	if err != nil {
		return err
	}
	thread := c.r.PathValue("thread")
	share, token, err := s.cfg.Runs.Share(c.r.Context(), c.owner, thread, lasting)
	if err != nil {
		return err
	}
	s.record(c, audit.Entry{
		Kind: audit.Share, ThreadID: thread, Decision: audit.Given, Outcome: audit.OK,
		Rule: "share " + share.ID,
	})
	c.w.Header().Set("Content-Type", "application/json")
	c.w.Header().Set("Cache-Control", "no-store")
	c.w.WriteHeader(http.StatusCreated)
	encode(c.w, shareJSON{share.ID, token, share.CreatedAt.UTC(), share.ExpiresAt.UTC()})
	return nil
}

// mayShare refuses to share where there is nobody to share with, and to those who may not.
func (s rest) mayShare(c *call) error {
	if s.sharing() {
		return s.permit(c, toShare)
	}
	message := "conversations cannot be shared here: sharing is switched off"
	if s.cfg.Authenticate == nil {
		message = "conversations cannot be shared here: this server does not know its users, because no authentication is configured"
	}
	return &Error{Status: http.StatusForbidden, Code: "sharing_unavailable", Message: message}
}

// shareTime reads how long a share is to last. The body may be absent.
func (s rest) shareTime(c *call) (time.Duration, error) {
	if c.r.ContentLength == 0 {
		return shareFor, nil
	}
	var in struct {
		ExpiresIn *int64 `json:"expiresIn"`
	}
	if err := s.decodeBody(c, &in); err != nil || in.ExpiresIn == nil {
		return shareFor, err
	}
	const most = int64(maxShareFor / time.Second)
	if n := *in.ExpiresIn; n < 1 || n > most {
		return 0, badField("expiresIn", fmt.Sprintf("must be a number of seconds from 1 to %d (365 days)", most))
	}
	return time.Duration(*in.ExpiresIn) * time.Second, nil
}

// getShares lists the shares of a thread, without their tokens, which are not stored.
func (s rest) getShares(c *call) error {
	all, err := s.cfg.Runs.Shares(c.r.Context(), c.owner, c.r.PathValue("thread"))
	if err != nil {
		return err
	}
	out := struct {
		Shares []shareJSON `json:"shares"`
	}{make([]shareJSON, 0, len(all))}
	for _, share := range all {
		out.Shares = append(out.Shares, shareJSON{
			ID: share.ID, CreatedAt: share.CreatedAt.UTC(), ExpiresAt: share.ExpiresAt.UTC(),
		})
	}
	writeJSON(c.w, out)
	return nil
}

// deleteShare revokes a share.
func (s rest) deleteShare(c *call) error {
	thread, id := c.r.PathValue("thread"), c.r.PathValue("share")
	if err := s.cfg.Runs.Unshare(c.r.Context(), c.owner, thread, id); err != nil {
		return err
	}
	s.record(c, audit.Entry{
		Kind: audit.Share, ThreadID: thread, Decision: audit.Revoked, Outcome: audit.OK, Rule: "share " + id,
	})
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}

// getShared returns what a token opens, to anybody of the tenant that it was made in who may read
// what others share.
func (s rest) getShared(c *call) error {
	if !s.sharing() {
		return run.NoShare()
	}
	if err := s.permit(c, toReadShared); err != nil {
		return err
	}
	found, err := s.cfg.Runs.OpenShare(c.r.Context(), c.owner.Tenant, c.r.PathValue("token"))
	if err != nil {
		return err
	}
	share := found.Share
	if s.reads.isNew(c.owner.Key()+"\x00"+share.ID, time.Now()) { // pages are loaded again
		s.record(c, audit.Entry{
			Kind: audit.Share, ThreadID: share.ThreadID, Tool: "subject " + found.Owner.Subject,
			Decision: audit.Read, Outcome: audit.OK, Rule: "share " + share.ID,
		})
	}
	writeJSON(c.w, struct {
		Title     string          `json:"title"`
		CreatedAt time.Time       `json:"createdAt"`
		ExpiresAt time.Time       `json:"expiresAt"`
		Messages  json.RawMessage `json:"messages"`
	}{share.Title, share.CreatedAt.UTC(), share.ExpiresAt.UTC(), share.Messages})
	return nil
}
