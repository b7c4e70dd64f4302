package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pageside/pageside/internal/guard"
	"github.com/pageside/pageside/internal/upstream"
)

// Config configures a Log.
type Config struct {
	Key       []byte        // seals rows; without one they are only hashed
	Keep      time.Duration // age at which rows are purged; 0 means 90 days, negative forever
	Arguments bool          // record arguments of tool calls, with secrets removed
	Secrets   []string      // values that must not be recorded anywhere
	File      string        // where anchors are written; "" writes none to a file
	Output    io.Writer     // where anchors are written too; may be nil
	Logger    *slog.Logger  // default slog.Default()
}

// DefaultKeep is how long rows are kept.
const DefaultKeep = 90 * 24 * time.Hour

// How often anchors are written, and old rows removed.
const (
	anchorEvery = time.Minute
	purgeEvery  = time.Hour
)

// Log records entries in a store. Until Open is called, and after Close, every entry is refused.
// Safe for concurrent use.
type Log struct {
	cfg     Config
	chain   *Chain
	log     *slog.Logger
	scrub   atomic.Pointer[strings.Replacer]
	store   atomic.Pointer[Appender]
	stop    context.CancelFunc
	stopped sync.WaitGroup

	anchored map[string]Hash // heads in the newest anchors; used by one goroutine at a time
}

var _ Beginner = (*Log)(nil)

// NewLog returns a log that is not open yet.
func NewLog(cfg Config) *Log {
	cfg.Keep = cmp.Or(cfg.Keep, DefaultKeep)
	l := &Log{cfg: cfg, chain: NewChain(cfg.Key), log: cmp.Or(cfg.Logger, slog.Default()), anchored: map[string]Hash{}}
	l.SetSecrets(cfg.Secrets)
	return l
}

// SetSecrets replaces Config.Secrets.
func (l *Log) SetSecrets(secrets []string) { l.scrub.Store(upstream.Scrubber(leastSecret, secrets)) }

// Open begins to record in a store, to anchor its heads and to purge old rows. It fails if the
// anchors cannot be written. Close the log before the store.
func (l *Log) Open(ctx context.Context, store Appender) error {
	heads, err := store.AuditHeads(ctx)
	if err == nil {
		err = l.anchor(heads, time.Now())
	}
	if err != nil {
		return fmt.Errorf("open the audit log: %w", err)
	}
	l.noteKey(ctx, store, heads)
	l.store.Store(&store)
	own, stop := context.WithCancel(context.Background())
	l.stop = stop
	l.stopped.Go(func() { l.maintain(own, store) })
	return nil
}

// Close anchors the heads and ends the log's work. Entries are refused afterwards.
func (l *Log) Close() {
	store := l.store.Swap(nil)
	if store == nil {
		return
	}
	l.stop()
	l.stopped.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	l.anchorNow(ctx, *store)
}

// Record implements Recorder. It does not wait: what the caller writes to the store afterwards is
// durable after the entry. A store's error is logged.
func (l *Log) Record(ctx context.Context, e Entry) error {
	return l.append(ctx, &e, func(err error) {
		if err != nil {
			l.log.Error("an audit entry was lost", "kind", string(e.Kind), "tool", e.Tool,
				"threadId", e.ThreadID, "runId", e.RunID, "error", err)
		}
	})
}

// Begin implements Beginner.
func (l *Log) Begin(ctx context.Context, e Entry) (confirm func(context.Context) error, err error) {
	done := make(chan error, 1)
	if err := l.append(ctx, &e, func(err error) { done <- err }); err != nil {
		return nil, err
	}
	return func(ctx context.Context) error {
		select {
		case err := <-done:
			if err != nil {
				return fmt.Errorf("audit: record %s: %w", e.Kind, err)
			}
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}, nil
}

var errNotOpen = errors.New("audit: the log is not open")

func (l *Log) append(ctx context.Context, e *Entry, done func(error)) error {
	store := l.store.Load()
	if store == nil {
		return errNotOpen
	}
	// what was done is recorded, whoever has stopped waiting for it
	(*store).AppendAudit(context.WithoutCancel(ctx), l.chain, []Draft{l.draft(e)}, done)
	return nil
}

// draft encodes an entry without its secrets.
func (l *Log) draft(e *Entry) Draft {
	scrub, clean := l.scrub.Load(), *e
	if clean.Time.IsZero() {
		clean.Time = time.Now()
	}
	for _, text := range []*string{
		&clean.Principal.Subject, &clean.Principal.Method, &clean.ThreadID, &clean.RunID, &clean.CallID,
		&clean.Tool, &clean.Rule, &clean.Detail,
	} {
		*text = scrub.Replace(*text)
	}
	clean.Args = nil
	if l.cfg.Arguments {
		clean.Args = scrubArgs(e.Args, scrub)
	}
	return draft(&clean)
}

// noteKey records for every chain that its rows are sealed with another key from now on. Verify
// would otherwise take a chain that ends with unsealed rows for a forged one.
func (l *Log) noteKey(ctx context.Context, store Appender, heads []Head) {
	for _, h := range heads {
		if h.Seq == 0 || h.Key == l.chain.id || l.chain.id == "" {
			continue
		}
		e := Entry{
			Time: time.Now(), Kind: Key, Tool: "audit", Decision: Changed, Outcome: OK,
			Detail: "the log is sealed with the key " + l.chain.id + " from now on",
		}
		e.Principal.Tenant, e.Principal.Method = h.Tenant, server
		store.AppendAudit(ctx, l.chain, []Draft{draft(&e)}, func(err error) {
			if err != nil {
				l.log.Error("an audit entry was lost", "kind", string(Key), "error", err)
			}
		})
	}
}

// maintain anchors the heads every minute and at the end of each day, and purges old rows, until
// ctx ends.
func (l *Log) maintain(ctx context.Context, store Appender) {
	purge := time.Now()
	for {
		timer := time.NewTimer(untilAnchor(time.Now()))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		l.anchorNow(ctx, store)
		if now := time.Now(); l.cfg.Keep > 0 && !now.Before(purge) {
			purge = now.Add(purgeEvery)
			l.purge(ctx, store, now)
		}
	}
}

// untilAnchor returns the time until the next anchor: at most to the end of the day in UTC.
func untilAnchor(now time.Time) time.Duration {
	const day = 24 * time.Hour
	return min(anchorEvery, now.UTC().Truncate(day).Add(day).Sub(now))
}

func (l *Log) purge(ctx context.Context, store Appender, now time.Time) {
	defer guard.Log(l.log, "the audit log could not be purged")
	n, err := store.PurgeAudit(ctx, l.chain, now.Add(-l.cfg.Keep))
	switch {
	case err != nil && ctx.Err() == nil:
		l.log.Error("the audit log could not be purged", "error", err)
	case n > 0:
		l.log.Info("purged", "what", "audit log", "count", n)
	}
}

// anchorNow anchors the store's heads, and logs an error.
func (l *Log) anchorNow(ctx context.Context, store Appender) {
	defer guard.Log(l.log, "the audit log could not be anchored")
	heads, err := store.AuditHeads(ctx)
	if err == nil {
		err = l.anchor(heads, time.Now())
	}
	if err != nil && ctx.Err() == nil {
		l.log.Error("the audit log could not be anchored", "error", err)
	}
}

// anchor writes a line for each head that has changed since the last time.
func (l *Log) anchor(heads []Head, now time.Time) error {
	if l.cfg.File == "" && l.cfg.Output == nil {
		return nil
	}
	var lines []byte
	for _, h := range heads {
		if h.Seq > 0 && l.anchored[h.Tenant] != h.Hash {
			lines = append(lines, Anchor{
				now.UTC().Truncate(time.Millisecond), h.Tenant, h.Day, h.Seq, h.Hash,
			}.Line()...)
		}
	}
	if l.cfg.File != "" {
		// even without lines, so that a path that cannot be written shows at the start
		if err := appendSynced(l.cfg.File, lines); err != nil {
			return err
		}
	}
	if l.cfg.Output != nil && len(lines) > 0 {
		if _, err := l.cfg.Output.Write(lines); err != nil {
			return err
		}
	}
	for _, h := range heads {
		l.anchored[h.Tenant] = h.Hash
	}
	return nil
}

// Verify is the function Verify with the log's own key and without anchors, for a part of the log.
func (l *Log) Verify(ctx context.Context, part Source) (Report, error) {
	var keys [][]byte
	if len(l.cfg.Key) > 0 {
		keys = append(keys, l.cfg.Key)
	}
	return Verify(ctx, part, nil, keys...)
}

// Store stores the audit log: one chain of rows per tenant. Rows belong to the tenant, not to a
// thread or its owner, and outlive both. They are appended and, after their time, purged from the
// beginning; nothing else changes them. Implementations are safe for concurrent use.
type Store interface {
	Appender
	Source
	Reader
}

// Reader is the part of a Store that reads one tenant's rows.
type Reader interface {
	// AuditRecords returns rows of a tenant, newest first. See Scan: a page may be short. A cursor
	// that is not the Next of an earlier page is an error.
	AuditRecords(ctx context.Context, tenant string, q Query) (Page, error)

	// AuditOf returns the chain of one tenant, without reading those of others.
	AuditOf(tenant string) Source
}

// Appender is the part of a Store that a Log needs.
type Appender interface {
	// AppendAudit appends entries to the chains of their tenants, in order. It does not block. done
	// is called once, when they are durable or have failed, from a goroutine of the store: it must
	// not block or call the store. What the same goroutine writes afterwards is durable after them.
	AppendAudit(ctx context.Context, chain *Chain, drafts []Draft, done func(error))

	// AuditHeads returns the heads of all chains, by tenant.
	AuditHeads(ctx context.Context) ([]Head, error)

	// PurgeAudit removes the rows of days that ended before the given time, and returns how many.
	// It leaves a checkpoint and an entry that says so, so that the chains stay verifiable.
	PurgeAudit(ctx context.Context, chain *Chain, before time.Time) (int, error)
}

// Page is one page of rows. Next is the cursor of the next page, empty at the end.
type Page struct {
	Items []Row
	Next  string
}
