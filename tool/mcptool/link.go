package mcptool

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/pageside/pageside/internal/egress"
)

// The pauses between attempts to reach a server that is not there.
const (
	firstPause = 500 * time.Millisecond
	longest    = 30 * time.Second
	slowStart  = 5 * time.Second // an attempt that takes longer is told of
	// a call waits this long for the next attempt, and fails at once if that is further away
	patience = 3 * time.Second
)

// link is the connection to one server over all its sessions.
type link struct {
	server Server
	guard  *egress.Guard // nil for a command
	file   *pinFile      // nil: pins are not kept
	log    *slog.Logger

	ctx    context.Context // until the Manager is closed
	cancel context.CancelFunc
	wg     sync.WaitGroup // whatever this link started
	starts singleflight.Group

	mu       sync.Mutex
	session  *session // nil: none
	failures int      // attempts that failed one after the other
	nextTry  time.Time
	problem  error // of the last attempt
	looking  bool  // nothing is approved here
	offline  bool  // it is never started
	fresh    bool  // what pins say was not there before, and is kept nowhere
	known    bool  // pins say everything there is: what is not among them is not approved
	pins     map[string]pin
	seen     map[string]pin // what the server listed last; nil: nothing yet
}

var errClosed = errors.New("the session was closed")

var (
	errUnreachable = errors.New("it cannot be reached")
	errStarting    = errors.New("it is still being started")
)

// unreachable says that a server cannot be reached, where that is the reason.
func unreachable(err error) error {
	if errors.Is(err, errPinFile) {
		return err
	}
	return fmt.Errorf("%w: %w", errUnreachable, err)
}

// acquireSoon is acquire for callers that do not wait for a server that takes long to start. It
// calls waits if there is any wait.
func (l *link) acquireSoon(ctx context.Context, waits func()) (*session, error) {
	l.mu.Lock()
	s, err := l.live()
	l.mu.Unlock()
	if s != nil || err != nil {
		return s, err
	}
	waits()
	soon, cancel := context.WithTimeoutCause(ctx, l.server.startPatience(), errStarting)
	defer cancel()
	s, err = l.acquire(soon)
	if err != nil && ctx.Err() == nil && soon.Err() != nil {
		err = context.Cause(soon)
	}
	return s, err
}

// acquire returns the live session, or makes one: at most one attempt is under way, and after a
// failed one there is a pause. The attempt belongs to no call: one that is cancelled does not stop
// it.
func (l *link) acquire(ctx context.Context) (*session, error) {
	made := l.starts.DoChan("", func() (any, error) { return l.start() })
	select {
	case r := <-made:
		s, _ := r.Val.(*session)
		return s, r.Err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// live returns the session that there is, or why there will be none soon. Requires l.mu.
func (l *link) live() (*session, error) {
	switch {
	case l.ctx.Err() != nil:
		return nil, errClosed
	case l.session == nil && time.Until(l.nextTry) > patience:
		return nil, unreachable(l.problem)
	}
	return l.session, nil
}

// start makes a session, once the pause after the last attempt is over.
func (l *link) start() (*session, error) {
	l.mu.Lock()
	s, err := l.live()
	pause := time.Until(l.nextTry)
	if s == nil && err == nil {
		l.wg.Add(1) // before close waits, which it does after it had the lock
		defer l.wg.Done()
	}
	l.mu.Unlock()
	if s != nil || err != nil {
		return s, err
	}
	if sleep(l.ctx, pause) != nil {
		return nil, errClosed
	}
	s, err = l.try()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.problem = err; err != nil {
		l.failures++
		l.nextTry = time.Now().Add(pauseAfter(l.failures))
		l.log.Warn("an MCP server cannot be reached", "error", l.server.scrub(err.Error()), "attempts", l.failures)
		return nil, unreachable(err)
	}
	l.failures, l.nextTry = 0, time.Time{}
	if s.ctx.Err() == nil { // it did not end while it was being made known
		l.session = s
	}
	return s, nil
}

// try dials, within the time that the server has to start.
func (l *link) try() (*session, error) {
	ctx, cancel := context.WithTimeout(l.ctx, l.server.ConnectTimeout)
	defer cancel()
	slow := time.AfterFunc(slowStart, func() {
		l.log.Info("an MCP server is still being started: a program that is downloaded first takes its time",
			"within", l.server.ConnectTimeout)
	})
	defer slow.Stop()
	s, err := l.dial(ctx)
	if err != nil && ctx.Err() != nil && l.ctx.Err() == nil {
		err = fmt.Errorf("it did not answer within %v: %w", l.server.ConnectTimeout, err)
	}
	return s, err
}

func pauseAfter(failures int) time.Duration {
	pause := min(firstPause<<min(failures-1, 10), longest)
	return pause*4/5 + rand.N(pause*2/5)
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// lost forgets a session that ended. The next call makes another one, at once.
func (l *link) lost(s *session) {
	reason := l.server.scrub(s.withLast(context.Cause(s.ctx)).Error())
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.session == s {
		l.session = nil
		if l.ctx.Err() == nil {
			l.log.Warn("the session with an MCP server ended; the next call makes another one", "reason", reason)
		}
	}
}

func (l *link) close() {
	l.cancel()
	l.mu.Lock()
	s := l.session
	l.session = nil
	l.mu.Unlock()
	if s != nil {
		s.close()
	}
	l.wg.Wait()
	if l.guard != nil {
		l.guard.Client().CloseIdleConnections()
	}
}
