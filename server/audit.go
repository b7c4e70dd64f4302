package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/run/refusal"
)

// record records an entry about a request. Nothing depends on it: what must not happen unrecorded
// uses audit.Begin.
func (s *Server) record(c *call, e audit.Entry) {
	e.Principal = c.principal
	s.recordEntry(c.r.Context(), e)
}

func (s *Server) recordEntry(ctx context.Context, e audit.Entry) {
	if s.cfg.Audit == nil {
		return
	}
	if err := s.cfg.Audit.Record(ctx, e); err != nil {
		s.log.Error("an audit entry was lost", "kind", string(e.Kind), "tool", e.Tool, "error", err)
	}
}

// confirmed returns once an entry is durable. What it is about must not happen otherwise.
func (s *Server) confirmed(c *call, e audit.Entry) error {
	confirm, err := audit.Begin(c.r.Context(), s.cfg.Audit, e)
	if err == nil {
		err = confirm(c.r.Context())
	}
	if err != nil {
		return &Error{
			Status: http.StatusServiceUnavailable, Code: string(refusal.Store),
			Message: "this could not be recorded in the audit log, and was not done", Err: err,
		}
	}
	return nil
}

// adminRead records that definitions, prompts, traces or the audit log itself were read. what names
// them. Pages poll: the same read by the same principal is recorded once in ten minutes.
func (s admin) adminRead(c *call, what, detail string) {
	if s.cfg.Audit != nil &&
		s.reads.isNew(c.principal.Tenant+"\x00"+c.principal.Subject+"\x00"+what+"\x00"+detail, time.Now()) {
		s.record(c, audit.Entry{
			Kind: audit.AdminRead, Tool: what, Decision: audit.Read, Outcome: audit.OK, Detail: detail,
		})
	}
}

// Limits of readLog.
const (
	readEvery = 10 * time.Minute
	maxReads  = 10_000
)

// readLog remembers which reads were recorded. The zero value is ready to use.
type readLog struct {
	mu   sync.Mutex
	last map[string]time.Time
}

// isNew reports whether a read has to be recorded.
func (l *readLog) isNew(key string, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if at, ok := l.last[key]; ok && now.Sub(at) < readEvery {
		return false
	}
	if l.last == nil || len(l.last) >= maxReads {
		l.last = map[string]time.Time{}
	}
	l.last[key] = now
	return true
}

// auditThread records that a thread was deleted or restored.
func (s *Server) auditThread(c *call, id string, deleted bool) {
	e := audit.Entry{Kind: audit.Thread, ThreadID: id, Decision: audit.Restored, Outcome: audit.OK}
	if deleted {
		e.Decision = audit.Deleted
	}
	s.record(c, e)
}

// textHash returns the hash of a text, "" for none.
func textHash(text string) string {
	if text == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(text))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// mayAudit refuses callers that may not read the audit log.
func (s admin) mayAudit(c *call) error {
	return s.permit(c, policy.Question{Kind: policy.Audit, Verb: policy.Read})
}

type auditJSON struct {
	Seq  int64  `json:"seq"`
	Hash string `json:"hash"`
	// an object; its fields are those of the log
	Entry rawEntry `json:"entry"`
}

// rawEntry is an entry as stored. One that is no longer JSON is shown as a string.
type rawEntry []byte

// MarshalJSON implements json.Marshaler.
func (e rawEntry) MarshalJSON() ([]byte, error) {
	if json.Valid(e) {
		return e, nil
	}
	return json.Marshal(string(e))
}

// getAudit returns a page of the caller's tenant's audit log, newest first.
func (s admin) getAudit(c *call) error {
	if err := s.mayAudit(c); err != nil {
		return err
	}
	q, err := auditQuery(c)
	if err != nil {
		return err
	}
	log, err := s.cfg.Runs.AuditLog()
	if err != nil {
		return err
	}
	page, err := log.AuditRecords(c.r.Context(), c.principal.Tenant, q)
	if err != nil {
		return run.StoreError("read the audit log", err)
	}
	s.adminRead(c, "audit", c.r.URL.RawQuery)
	out := struct {
		Records []auditJSON `json:"records"`
		Next    string      `json:"next,omitempty"`
	}{make([]auditJSON, 0, len(page.Items)), page.Next}
	for _, r := range page.Items {
		out.Records = append(out.Records, auditJSON{r.Seq, r.Hash.String(), r.Body})
	}
	writeJSON(c.w, out)
	return nil
}

// auditQuery reads the filters of a request.
func auditQuery(c *call) (q audit.Query, err error) {
	in := c.r.URL.Query()
	q = audit.Query{
		Subject: in.Get("subject"), Tool: in.Get("tool"), Kind: audit.Kind(in.Get("kind")),
		Thread: in.Get("thread"), Cursor: in.Get("cursor"),
	}
	if q.Limit, err = limitOf(c); err != nil {
		return q, err
	}
	for _, f := range []struct {
		name string
		to   *time.Time
	}{{"from", &q.From}, {"to", &q.To}} {
		text := in.Get(f.name)
		if text == "" {
			continue
		}
		if *f.to, err = time.Parse(time.RFC3339, text); err != nil {
			return q, badField(f.name, "must be a time such as 2026-01-31T00:00:00Z")
		}
	}
	return q, nil
}

// getAuditVerify checks the chain of the caller's tenant. It sees no anchors: those are the
// operator's, for `pageside audit verify`.
func (s admin) getAuditVerify(c *call) error {
	if err := s.mayAudit(c); err != nil {
		return err
	}
	verifier, ok := s.cfg.Audit.(interface {
		Verify(ctx context.Context, part audit.Source) (audit.Report, error)
	})
	if !ok {
		return NotFound("this server's audit log cannot be verified here")
	}
	log, err := s.cfg.Runs.AuditLog()
	if err != nil {
		return err
	}
	report, err := verifier.Verify(c.r.Context(), log.AuditOf(c.principal.Tenant))
	if err != nil {
		return run.StoreError("verify the audit log", err)
	}
	s.adminRead(c, "audit", "verify")
	writeJSON(c.w, report)
	return nil
}
