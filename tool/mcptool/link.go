package mcptool

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

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

	mu       sync.Mutex
	session  *session // nil: none
	attempt  *attempt // nil: none under way
	failures int      // attempts that failed one after the other
	nextTry  time.Time
	problem  error // of the last attempt
	looking  bool  // nothing is approved here
	offline  bool  // it is never started
	fresh    bool  // what pins say was not there before, and is kept nowhere
	known    bool  // pins say everything there is: what is not among them is not approved
	pins     map[string]pin
	seen     map[string]seenTool // what the server listed last; nil: nothing yet
	offered  map[string]string   // tools' names by the name they are offered under
}

// attempt is one try to make a session, which any number of calls may wait for.
type attempt struct {
	done    chan struct{}
	session *session
	err     error
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
	s := l.session
	l.mu.Unlock()
	if s != nil {
		return s, nil
	}
	waits()
	soon, cancel := context.WithTimeoutCause(ctx, l.server.startPatience(), errStarting)
	defer cancel()
	s, err := l.acquire(soon)
	if err != nil && ctx.Err() == nil && soon.Err() != nil {
		err = context.Cause(soon)
	}
	return s, err
}

// acquire returns the live session, or makes one: at most one attempt is under way, and after a
// failed one there is a pause.
func (l *link) acquire(ctx context.Context) (*session, error) {
	for {
		s, a, pause, err := l.next()
		if err != nil || s != nil {
			return s, err
		}
		if a == nil {
			if err := sleep(ctx, pause); err != nil {
				return nil, err
			}
			continue
		}
		select {
		case <-a.done:
			return a.session, a.err
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// next returns what there is: a session, an attempt, a short pause before the next one, or an
// error.
func (l *link) next() (*session, *attempt, time.Duration, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch pause := time.Until(l.nextTry); {
	case l.ctx.Err() != nil:
		return nil, nil, 0, errClosed
	case l.session != nil:
		return l.session, nil, 0, nil
	case l.attempt != nil:
		return nil, l.attempt, 0, nil
	case pause > patience:
		return nil, nil, 0, unreachable(l.problem)
	case pause > 0:
		return nil, nil, pause, nil
	}
	l.attempt = &attempt{done: make(chan struct{})}
	l.wg.Go(l.try)
	return nil, l.attempt, 0, nil
}

// try makes a session and tells all calls that wait for it. It belongs to none of them: a call that
// is cancelled does not stop it.
func (l *link) try() {
	ctx, cancel := context.WithTimeout(l.ctx, l.server.ConnectTimeout)
	defer cancel()
	slow := time.AfterFunc(slowStart, func() {
		l.log.Info("an MCP server is still being started: a program that is downloaded first takes its time", "within", l.server.ConnectTimeout)
	})
	defer slow.Stop()
	s, err := l.dial(ctx)
	if err != nil && ctx.Err() != nil && l.ctx.Err() == nil {
		err = fmt.Errorf("it did not answer within %v: %w", l.server.ConnectTimeout, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.attempt
	l.attempt = nil
	l.problem = err
	if err != nil {
		l.failures++
		l.nextTry = time.Now().Add(pauseAfter(l.failures))
		a.err = unreachable(err)
		l.log.Warn("an MCP server cannot be reached", "error", l.server.scrub(err.Error()), "attempts", l.failures)
	} else {
		l.failures, l.nextTry = 0, time.Time{}
		a.session, l.session = s, s
		if s.ctx.Err() != nil {
			l.session = nil // it ended while it was being made known
		}
	}
	close(a.done)
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
	reason := l.server.scrub(s.reason())
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
