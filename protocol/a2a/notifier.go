package a2a

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/pageside/pageside/internal/egress"
	"github.com/pageside/pageside/internal/guard"
	"github.com/pageside/pageside/internal/upstream"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/store"
)

// NotifierConfig says what a Notifier works with. Store and Runs are required.
type NotifierConfig struct {
	Store  store.Runs
	Runs   NotifierRuns
	Egress egress.Policy // where notifications may go; its Timeout is per notification
	Logger *slog.Logger  // default slog.Default()
	// Keys are secrets that seal clients' credentials in the store. The first one seals new
	// credentials; all of them open stored ones. Without keys, credentials are stored unsealed.
	Keys [][]byte
}

// NotifierRuns is the part of a run.Manager that a Notifier uses.
type NotifierRuns interface {
	Follow(ctx context.Context, req run.FollowRequest) (*run.Reader, error)
	OnChange(f func(o store.Owner, threadID string))
}

// Notifier sends push notifications about tasks. What is left to send is in the store, so a restart
// loses nothing. A notification may arrive twice. It is lost only if the client's server fails for
// minutes. Safe for concurrent use.
type Notifier struct {
	store  store.Runs
	runs   NotifierRuns
	out    *sender
	log    *slog.Logger
	seals  sealer
	pauses []time.Duration // before the second try, the third, …

	life context.Context
	stop context.CancelFunc
	work sync.WaitGroup

	mu     sync.Mutex
	owners map[store.Owner]*followers // that have open configs
	closed bool
}

// key names a task.
type key struct {
	owner        store.Owner
	thread, task string
}

// followers are those of one owner. As many as room holds look at their tasks at a time, so that
// one owner's slow servers do not delay the notifications of others.
type followers struct {
	room chan struct{}
	of   map[key]*follower
}

// follower sends the notifications of one task, one change at a time.
type follower struct {
	busy bool
	wake chan struct{} // the task has changed
	room chan struct{} // of its owner
}

// How notifications are sent.
const (
	notifyAtOnce = 64
	notifyEach   = 8 // tasks of one owner
)

// retries are the pauses between attempts. After the last one the notification is given up.
var retries = []time.Duration{time.Second, 5 * time.Second, 20 * time.Second, time.Minute, 5 * time.Minute}

// NewNotifier returns a notifier. It begins with the notifications that an earlier process left
// unsent.
func NewNotifier(ctx context.Context, c NotifierConfig) (*Notifier, error) {
	out, err := newSender(c.Egress)
	if err != nil {
		return nil, fmt.Errorf("push notifications: %w", err)
	}
	n := &Notifier{store: c.Store, runs: c.Runs, out: out, log: c.Logger, pauses: retries}
	n.owners = map[store.Owner]*followers{}
	if n.log == nil {
		n.log = slog.Default()
	}
	if n.seals, err = newSealer(c.Keys); err != nil {
		return nil, fmt.Errorf("push notifications: %w", err)
	}
	n.life, n.stop = context.WithCancel(context.WithoutCancel(ctx))
	n.runs.OnChange(n.changed)
	open, err := n.store.OpenWebhooks(ctx)
	if err != nil {
		return nil, fmt.Errorf("push notifications: %w", err)
	}
	for _, w := range open {
		if _, err := n.seals.open(w.Owner, w.Webhook); err != nil {
			n.log.Error("a client is not told of its task", "task", w.Webhook.RunID, "config", w.Webhook.ID,
				"error", err)
		}
		k := key{w.Owner, w.Webhook.ThreadID, w.Webhook.RunID}
		n.follow(k)
	}
	return n, nil
}

// Close stops sending. The next process sends what is left.
func (n *Notifier) Close() error {
	n.mu.Lock()
	n.closed = true
	n.mu.Unlock()
	n.stop()
	n.work.Wait()
	n.out.client.CloseIdleConnections()
	return nil
}

// changed is called for each run that begins or ends.
func (n *Notifier) changed(o store.Owner, threadID string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	owner := n.owners[o]
	if owner == nil {
		return
	}
	for k, f := range owner.of {
		if k.thread == threadID {
			n.wakeLocked(k, f)
		}
	}
}

// follow begins to notify about a task, first of its current state.
func (n *Notifier) follow(k key) {
	n.mu.Lock()
	defer n.mu.Unlock()
	owner := n.owners[k.owner]
	if owner == nil {
		owner = &followers{room: make(chan struct{}, notifyEach), of: map[key]*follower{}}
		n.owners[k.owner] = owner
	}
	if owner.of[k] == nil {
		owner.of[k] = &follower{wake: make(chan struct{}, 1), room: owner.room}
	}
	n.wakeLocked(k, owner.of[k])
}

// wakeLocked schedules a look at a task. Requires n.mu.
func (n *Notifier) wakeLocked(k key, f *follower) {
	if n.closed {
		return
	}
	select {
	case f.wake <- struct{}{}:
	default: // it is to be looked at anyway
	}
	if !f.busy {
		f.busy = true
		n.work.Go(func() { n.attend(k, f) })
	}
}

// attend sends a task's notifications until none is left. It retries failed ones, or sends the
// task's newest state instead if that has changed since.
func (n *Notifier) attend(k key, f *follower) {
	tries := 0
	for {
		var pause <-chan time.Time
		if tries > 0 {
			pause = time.After(n.pauses[tries-1])
		}
		select {
		case <-n.life.Done():
			return
		case <-f.wake:
			tries = 0
		case <-pause:
		}
		select {
		case <-n.life.Done():
			return
		case f.room <- struct{}{}:
		}
		open, failed := n.safeLook(k, tries >= len(n.pauses))
		<-f.room
		if n.life.Err() != nil {
			return // what failed because of it is left to the next process, also after the last try
		}
		if tries++; !failed {
			tries = 0
		}
		if tries == 0 && n.rest(k, f, open) {
			return
		}
	}
}

// rest ends attend, unless the task has changed since. It forgets a task without open configs.
func (n *Notifier) rest(k key, f *follower, open bool) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(f.wake) > 0 {
		return false
	}
	if f.busy = false; !open {
		owner := n.owners[k.owner]
		if delete(owner.of, k); len(owner.of) == 0 {
			delete(n.owners, k.owner)
		}
	}
	return true
}

// safeLook is look. A panic fails.
func (n *Notifier) safeLook(k key, last bool) (open, failed bool) {
	open, failed = true, !last
	defer guard.Log(n.log, "a task could not be told of", "task", k.task)
	return n.look(k, last)
}

// look sends the task's state to each open config that does not have it yet. last means that
// failures are final. It reports whether open configs are left, and whether some must be retried.
func (n *Notifier) look(k key, last bool) (open, failed bool) {
	hooks, err := n.store.Webhooks(n.life, k.owner, k.task)
	hooks = slices.DeleteFunc(hooks, func(w store.Webhook) bool { return w.Done })
	if err == nil && len(hooks) == 0 {
		return false, false
	}
	var t *task
	if err == nil {
		t, err = n.load(k)
	}
	switch {
	case errors.Is(err, store.ErrNotFound):
		return false, false
	case err != nil:
		if n.life.Err() == nil {
			n.log.Warn("a task could not be read to tell of it", "task", k.task, "error", err)
		}
		return true, !last
	}
	for _, w := range hooks {
		if !n.tell(k.owner, w, t, last) {
			failed = true
		}
	}
	return !t.ended() || failed, failed
}

// tell sends a task to a config that does not have its state yet, and stores that it has it. It
// reports whether nothing is left to do.
func (n *Notifier) tell(o store.Owner, w store.Webhook, t *task, last bool) bool {
	if w.Told != t.told() {
		c, err := n.seals.open(o, w)
		if err == nil {
			err = n.out.SendPush(n.life, c, &t.Task)
		}
		if err != nil && (n.life.Err() != nil || !last) {
			return false
		}
		if err != nil {
			n.log.Warn("a push notification could not be sent and is given up",
				"task", w.RunID, "config", w.ID, "host", upstream.Host(c.URL), "error", err)
		}
	} else if !t.ended() {
		return true
	}
	err := n.store.TellWebhook(context.WithoutCancel(n.life), o, w.RunID, w.ID, t.told(), t.ended())
	return last || err == nil || errors.Is(err, store.ErrNotFound)
}

// load reads a task outside of any request.
func (n *Notifier) load(k key) (*task, error) {
	rows, err := n.store.Runs(n.life, k.owner, k.thread)
	if err != nil {
		return nil, err
	}
	open := func(req run.FollowRequest) (*run.Reader, error) {
		req.Owner = k.owner
		return n.runs.Follow(n.life, req)
	}
	return loadFrom(n.life, open, rows, k.thread, k.task)
}

// told identifies the state of a task for Webhook.Told, by its newest run and status.
func (t *task) told() string { return t.last + " " + t.Status.State.String() }
