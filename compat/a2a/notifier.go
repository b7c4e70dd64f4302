package a2a

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/pageside/pageside/internal/egress"
	"github.com/pageside/pageside/internal/guard"
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
	guard  *egress.Guard
	client *http.Client
	log    *slog.Logger
	seals  sealer
	pauses []time.Duration // before the second try, the third, …

	life context.Context
	stop context.CancelFunc
	work sync.WaitGroup
	slot chan struct{} // as many notifications are sent at a time
	turn turns         // and of each owner's tasks as many are told of

	mu     sync.Mutex
	tasks  map[key]*follower // that have open configs
	closed bool
}

// key names a task.
type key struct {
	owner        store.Owner
	thread, task string
}

// follower sends the notifications of one task, one change at a time.
type follower struct {
	busy bool
	wake chan struct{} // the task has changed
}

// How notifications are sent.
const (
	notifyTimeout = 15 * time.Second
	notifyAtOnce  = 64
	notifyEach    = 8        // tasks of one owner
	maxReply      = 64 << 10 // bytes of an answer, which is not read
)

// retries are the pauses between attempts. After the last one the notification is given up.
var retries = []time.Duration{time.Second, 5 * time.Second, 20 * time.Second, time.Minute, 5 * time.Minute}

// NewNotifier returns a notifier. It begins with the notifications that an earlier process left
// unsent.
func NewNotifier(ctx context.Context, c NotifierConfig) (*Notifier, error) {
	c.Egress.Timeout, c.Egress.MaxBytes = notifyTimeout, maxReply
	guard, err := egress.New(c.Egress)
	if err != nil {
		return nil, fmt.Errorf("push notifications: %w", err)
	}
	n := &Notifier{store: c.Store, runs: c.Runs, guard: guard, log: c.Logger, pauses: retries, slot: make(chan struct{}, notifyAtOnce), tasks: map[key]*follower{}}
	if n.log == nil {
		n.log = slog.Default()
	}
	if n.seals, err = newSealer(c.Keys); err != nil {
		return nil, fmt.Errorf("push notifications: %w", err)
	}
	client := *guard.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	n.client = &client
	n.life, n.stop = context.WithCancel(context.WithoutCancel(ctx))
	n.runs.OnChange(n.changed)
	open, err := n.store.OpenWebhooks(ctx)
	if err != nil {
		return nil, fmt.Errorf("push notifications: %w", err)
	}
	for _, w := range open {
		if _, err := n.seals.open(w.Owner, w.Webhook); err != nil {
			n.log.Error("a client is not told of its task", "task", w.Webhook.RunID, "config", w.Webhook.ID, "error", err)
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
	n.client.CloseIdleConnections()
	return nil
}

// changed is called for each run that begins or ends.
func (n *Notifier) changed(o store.Owner, threadID string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for k := range n.tasks {
		if k.owner == o && k.thread == threadID {
			n.wakeLocked(k)
		}
	}
}

// follow begins to notify about a task, first of its current state.
func (n *Notifier) follow(k key) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.tasks[k] == nil {
		n.tasks[k] = &follower{wake: make(chan struct{}, 1)}
	}
	n.wakeLocked(k)
}

// wakeLocked schedules a look at a task. Requires n.mu.
func (n *Notifier) wakeLocked(k key) {
	f := n.tasks[k]
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
		done, ok := n.turn.take(n.life, k.owner)
		if !ok {
			return
		}
		open, failed := n.safeLook(k, tries >= len(n.pauses))
		done()
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
		delete(n.tasks, k)
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
	body := jsonOf(update{Task: t})
	for _, w := range hooks {
		if w.Told == t.told() && !t.ended() {
			continue
		}
		if w.Told != t.told() {
			if err := n.send(k.owner, w, body); err != nil && (n.life.Err() != nil || !last) {
				failed = true
				continue
			} else if err != nil {
				n.log.Warn("a push notification could not be sent and is given up", "task", k.task, "config", w.ID, "host", n.hostOf(k.owner, w), "error", err)
			}
		}
		if err := n.store.TellWebhook(context.WithoutCancel(n.life), k.owner, k.task, w.ID, t.told(), t.ended()); err != nil && !errors.Is(err, store.ErrNotFound) {
			failed = !last
		}
	}
	return !t.ended() || failed, failed
}

// load reads a task.
func (n *Notifier) load(k key) (*task, error) {
	rows, err := n.store.Runs(n.life, k.owner, k.thread)
	if err != nil {
		return nil, err
	}
	return loadFrom(reader{n, k.owner}, rows, k.thread, k.task)
}

// reader reads runs outside of any request.
type reader struct {
	*Notifier
	owner store.Owner
}

// Follow is part of source.
func (r reader) Follow(runID, after string) (*run.Reader, error) {
	return r.runs.Follow(r.life, run.FollowRequest{Owner: r.owner, RunID: runID, After: after})
}

// Wait is part of source.
func (r reader) Wait(from *run.Reader, each func(id string, event []byte)) error {
	defer from.Close()
	for {
		frames, done := from.Next()
		for id, data := range run.Frames(frames) {
			each(id, data)
		}
		switch {
		case done:
			return from.Err()
		case len(frames) > 0:
			continue
		}
		select {
		case <-from.Wake():
		case <-r.life.Done():
			return r.life.Err()
		}
	}
}

// told identifies the state of a task for Webhook.Told, by its newest run and status.
func (t *task) told() string { return t.last + " " + t.Status.State }

func (t *task) ended() bool { return t.Status.State != stateWorking && t.Status.State != stateInput }

// send sends a notification. Its error has nothing secret.
func (n *Notifier) send(o store.Owner, w store.Webhook, body []byte) error {
	select {
	case n.slot <- struct{}{}:
		defer func() { <-n.slot }()
	case <-n.life.Done():
		return n.life.Err()
	}
	c, err := n.seals.open(o, w)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(n.life, http.MethodPost, c.URL, bytes.NewReader(body))
	if err != nil {
		return errors.New("no request can be made of the config")
	}
	req.Header.Set("Content-Type", "application/a2a+json")
	req.Header.Set("User-Agent", "pageside")
	if c.Token != "" {
		req.Header.Set("X-A2A-Notification-Token", c.Token)
	}
	if a := c.Authentication; a != nil && a.Credentials != "" {
		req.Header.Set("Authorization", a.Scheme+" "+a.Credentials)
	}
	resp, err := n.client.Do(req)
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return failed.Err // without the address, which may hold a secret
	}
	if err != nil {
		return err
	}
	resp.Body.Close()
	switch {
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		return fmt.Errorf("the answer is %d, a redirect, and none is followed", resp.StatusCode)
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		return fmt.Errorf("the answer is %d", resp.StatusCode)
	}
	return nil
}

// hostOf returns where a webhook is, for the log.
func (n *Notifier) hostOf(o store.Owner, w store.Webhook) string {
	c, _ := n.seals.open(o, w)
	u, err := url.Parse(c.URL)
	if err != nil {
		return ""
	}
	return u.Host
}
