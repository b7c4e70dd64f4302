package audit

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/pageside/pageside/auth"
)

// LimitReporter tells the audit log who reaches which limit. The first time is recorded at once;
// further ones are counted, and recorded as one entry when the next comes after a minute, or by
// Flush: who exceeds limits must not fill the log. A nil LimitReporter records nothing. Safe for
// concurrent use.
type LimitReporter struct {
	to  Recorder
	log *slog.Logger

	mu   sync.Mutex
	seen map[limitEvent]*tally
	// when events were last dropped
	forgot time.Time
}

// limitEvent is a limit reached by somebody.
type limitEvent struct{ tenant, subject, limit string }

// tally counts what was not recorded.
type tally struct {
	principal auth.Principal
	recorded  time.Time // last
	since     int       // times since then
}

// NewLimitReporter returns a reporter, or nil if there is nothing to report to.
func NewLimitReporter(to Recorder, log *slog.Logger) *LimitReporter {
	if to == nil {
		return nil
	}
	return &LimitReporter{to: to, log: log, seen: map[limitEvent]*tally{}}
}

// Bounds of what a LimitReporter remembers and writes.
const (
	reportEvery = time.Minute
	maxSeen     = 10_000
)

// Reached notes that a principal has reached a limit, such as "requests.runs".
func (r *LimitReporter) Reached(ctx context.Context, p auth.Principal, limit string) {
	if r == nil {
		return
	}
	if e, due := r.note(p, limit, time.Now()); due {
		r.record(ctx, e)
	}
}

// note counts an event and returns an entry if one is due.
func (r *LimitReporter) note(p auth.Principal, limit string, now time.Time) (e Entry, due bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := limitEvent{p.Tenant, p.Subject, limit}
	t := r.seen[key]
	if t == nil && len(r.seen) >= maxSeen && now.Sub(r.forgot) >= reportEvery {
		r.forget(now)
	}
	if t == nil && len(r.seen) >= maxSeen {
		p, key = auth.Principal{Subject: "others"}, limitEvent{subject: "others", limit: limit}
		t = r.seen[key]
	}
	if t == nil {
		t = &tally{principal: p}
		r.seen[key] = t
	}
	t.since++
	if now.Sub(t.recorded) < reportEvery {
		return e, false
	}
	return t.entry(limit, now), true
}

// forget drops the events that have been recorded in full and may be recorded at once. Requires
// r.mu.
func (r *LimitReporter) forget(now time.Time) {
	r.forgot = now
	for key, t := range r.seen {
		if t.since == 0 && now.Sub(t.recorded) >= reportEvery {
			delete(r.seen, key)
		}
	}
}

// entry returns the entry of what was not recorded, which then is.
func (t *tally) entry(limit string, now time.Time) Entry {
	detail := "reached the limit " + limit
	if t.since > 1 {
		detail = fmt.Sprintf("%s %d times", detail, t.since)
	}
	t.recorded, t.since = now, 0
	return Entry{Time: now, Principal: t.principal, Kind: Limit, Tool: limit, Decision: "deny", Detail: detail}
}

// Flush records what was only counted. Call it before the recorder is closed.
func (r *LimitReporter) Flush(ctx context.Context) {
	if r == nil {
		return
	}
	r.mu.Lock()
	var entries []Entry
	for key, t := range r.seen {
		if t.since > 0 {
			entries = append(entries, t.entry(key.limit, time.Now()))
		}
	}
	r.mu.Unlock()
	for _, e := range entries {
		r.record(ctx, e)
	}
}

// record writes an entry. The request was refused whether that works or not.
func (r *LimitReporter) record(ctx context.Context, e Entry) {
	if err := r.to.Record(context.WithoutCancel(ctx), e); err != nil {
		r.log.Error("a limit that was reached could not be recorded",
			"limit", e.Tool, "tenant", e.Principal.Tenant, "subject", e.Principal.Subject, "error", err)
	}
}
