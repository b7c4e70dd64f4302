package faults

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/calls"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/store/storetest/faulty"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

// world is everything in one sequence: what lasts, and the process of the moment.
type world struct {
	t     *testing.T
	store *sqlstore.Store
	model *player

	clients sync.WaitGroup
	n       int
	crashes int
	drains  int

	mu       sync.Mutex
	now      *proc
	runs     []*asked
	seen     map[string][]string // the ids of events that some client has of a run
	effects  map[string]int      // by tool and key
	problems []string
}

// proc is one process: a manager, and the store as it sees it.
type proc struct {
	*run.Manager
	store *faulty.Mortal
}

// asked is one request for a run.
type asked struct {
	thread, id string
	messages   []agui.Message
	resume     []agui.ResumeEntry
	replaces   string
	body       string // where it stands under the id of a run that asked: its own
	shows      bool   // it brings nothing
	other      bool   // it stands under the id of another one
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, store: temp.Store(t), effects: map[string]int{}, seen: map[string][]string{}}
	w.model = &player{problem: w.problem}
	w.now = w.process()
	return w
}

func (w *world) problem(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.problems = append(w.problems, fmt.Sprintf(format, args...))
}

func (w *world) effect(c *tool.Call) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.effects[c.Tool+" "+c.Key]++
}

// process starts a process on what the last one has left.
func (w *world) process() *proc {
	p := &proc{store: faulty.NewMortal(w.store)}
	a, err := assistant(w.model, w.tools(p.store)...)
	must.Do(w.t, err)
	a.Approvals, a.AskUser = agent.Approvals{}, true
	quiet := slog.New(slog.DiscardHandler)
	runs := run.Config{Store: p.store, Agents: run.Loops(a), Logger: quiet, Limits: unlimited}
	if p.Manager, err = run.NewManager(context.Background(), runs); err != nil {
		w.t.Fatal(err)
	}
	return p
}

// nextProcess replaces a process that is dead. What is left of it in memory is cleared away.
func (w *world) nextProcess() {
	w.crashes++
	old := w.now
	old.store.Die() // it is dead: until what was under way in it has ended as well
	next := w.process()
	w.mu.Lock()
	w.now = next
	w.mu.Unlock()
	w.clearAway(old)
}

func (w *world) clearAway(p *proc) {
	ended, stop := context.WithCancel(context.Background())
	stop()
	p.Drain(ended)
}

// drain shuts the process down in order, and starts the next one.
func (w *world) drain(grace time.Duration) {
	w.drains++
	ctx, stop := context.WithTimeout(context.Background(), grace)
	defer stop()
	begun := time.Now()
	w.now.Drain(ctx)
	if took := time.Since(begun); took > grace+5*time.Second {
		w.problem("a drain of %s took %s", grace, took)
	}
	if w.now.store.Dead() {
		w.crashes++
		w.now.store.Die()
	}
	next := w.process()
	w.mu.Lock()
	w.now = next
	w.mu.Unlock()
}

func (w *world) nextID(prefix string) string {
	w.n++
	return fmt.Sprintf("%s%d", prefix, w.n)
}

// say asks for a run with a new message, in place of another one if one is named.
func (w *world) say(o op, replaces string) {
	id := w.nextID("run")
	o.Plan.Play = id
	w.request(&asked{thread: threadName(o.Thread), id: id, replaces: replaces,
		messages: []agui.Message{{ID: "u-" + id, Role: agui.RoleUser, Content: agui.TextContent(o.Plan.String())}}})
}

// again is the same request, or one with another body under its id.
func (a *asked) again(other bool) *asked {
	b := *a
	b.other = other
	return &b
}

// pick chooses one of a thread's requests.
func (w *world) pick(o op) *asked {
	var of []*asked
	for _, r := range w.runs {
		if r.thread == threadName(o.Thread) && !r.other {
			of = append(of, r)
		}
	}
	if len(of) == 0 {
		return nil
	}
	return of[o.N%len(of)]
}

// saidOn returns the ids of the user messages of a thread, on every branch.
func (w *world) saidOn(thread int) (ids []string) {
	runs, err := w.store.Runs(context.Background(), ada, threadName(thread))
	if err != nil {
		return nil
	}
	for _, r := range runs {
		if r.FirstUser != nil {
			ids = append(ids, r.FirstUser.ID)
		}
	}
	return ids
}

// paint is what every page can do.
var paint = []agui.Tool{{Name: "paint", Description: "Paints.", Parameters: json.RawMessage(`{"type":"object"}`)}}

// input is what the request says.
func (a *asked) input() *agui.RunAgentInput {
	in := &agui.RunAgentInput{ThreadID: a.thread, RunID: a.id, ProtocolVersion: "1.0", Messages: a.messages, Resume: a.resume, Tools: paint}
	if a.replaces != "" {
		in.ForwardedProps = json.RawMessage(`{"pageside":{"replaces":"` + a.replaces + `"}}`)
	}
	return in
}

// answerWaiting brings what the thread waits for.
func (w *world) answerWaiting(o op) {
	thread := threadName(o.Thread)
	row, err := w.store.LastRun(context.Background(), ada, thread)
	if err != nil {
		return
	}
	a := &asked{thread: thread, id: w.nextID("answer")}
	var interrupts []calls.Interrupt
	_ = json.Unmarshal(row.Interrupts, &interrupts)
	if o.What != opApprove && o.What != opDeny {
		for _, id := range row.Pending {
			a.messages = append(a.messages, agui.Message{ID: "m-" + a.id + id, Role: agui.RoleTool, ToolCallID: id, Content: agui.TextContent("painted")})
		}
	}
	if o.What != opResult {
		for i, interrupt := range interrupts {
			payload := fmt.Sprintf(`{"approved":%v}`, o.What != opDeny)
			if o.What == opAnswerAll && (o.N+i)%4 == 0 {
				continue // one is left open
			}
			a.resume = append(a.resume, agui.ResumeEntry{InterruptID: interrupt.ID, Status: agui.ResumeResolved, Payload: json.RawMessage(payload)})
		}
	}
	if len(a.resume) > 0 && o.N%3 == 0 { // under the id of the run that asked, as some clients do
		a.body, a.id = a.id, pinnedBy(row.ID)
	}
	if len(a.messages)+len(a.resume) > 0 {
		w.request(a)
	}
}

// pinnedBy is what a client calls a run: those that go on under the id of another are known to the
// server by a number behind it.
func pinnedBy(id string) string {
	id, _, _ = strings.Cut(id, "~")
	return id
}

func (w *world) cancel(o op) {
	r := w.pick(o)
	if r == nil {
		return
	}
	err := w.now.Cancel(context.Background(), ada, r.id)
	if e, ok := errors.AsType[*refusal.Error](err); err != nil && !(ok && e.Code == refusal.NotFound) {
		w.problem("cancelling %s: %v", r.id, err)
	}
}

// request asks for a run in the background, and reads it to its end.
func (w *world) request(a *asked) {
	w.runs = append(w.runs, a)
	p := w.now
	w.clients.Go(func() {
		ctx, stop := context.WithTimeout(context.Background(), time.Hour)
		defer stop()
		fingerprint := cmp.Or(a.body, a.id)
		if a.other {
			fingerprint += " other"
		}
		r, err := p.Start(ctx, run.Request{Principal: auth.Principal{Subject: ada.Subject}, Agent: "default", Input: a.input(), Fingerprint: fingerprint})
		switch {
		case p.store.Dead():
		case err != nil:
			w.refused(a, err)
		default:
			w.read(p, r.Read(false), a.id, 0, a.shows)
		}
	})
}

// refused checks that a request was refused for a reason there is.
func (w *world) refused(a *asked, err error) {
	e, ok := errors.AsType[*refusal.Error](err)
	if !ok {
		w.problem("run %s is refused: %v", a.id, err)
		return
	}
	switch e.Code {
	case refusal.Draining, refusal.ThreadBusy, refusal.Cancelled, refusal.RunConflict:
	case refusal.Invalid:
		if a.replaces == "" {
			w.problem("run %s is refused: %v", a.id, err)
		}
	default:
		w.problem("run %s is refused: %v", a.id, err)
	}
}

// follow reads a run from any position, or a thread.
func (w *world) follow(o op) {
	p := w.now
	r := w.pick(o)
	if r == nil {
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), time.Hour)
	var reader *run.Reader
	var err error
	after := int64(0)
	if o.What == opTab {
		reader, err = p.FollowThread(ctx, run.FollowRequest{Owner: ada, ThreadID: r.thread})
	} else {
		req := run.FollowRequest{Owner: ada, RunID: r.id}
		w.mu.Lock()
		if ids := w.seen[r.id]; len(ids) > 0 {
			after = int64(o.N%len(ids)) + 1
			req.After = ids[after-1]
		}
		w.mu.Unlock()
		reader, err = p.Follow(ctx, req)
	}
	if err != nil {
		stop()
		if e, ok := errors.AsType[*refusal.Error](err); !p.store.Dead() && !(ok && e.Code == refusal.NotFound) {
			w.problem("following %s: %v", r.id, err)
		}
		return
	}
	w.clients.Go(func() {
		defer stop()
		w.read(p, reader, r.id, after, o.What == opTab || r.shows)
	})
}

// logged returns the events that the store has of a run.
func (w *world) logged(id string) (log [][]byte) {
	for b, err := range w.store.Events(context.Background(), ada, id, 0) {
		if err != nil {
			return nil
		}
		log = append(log, split(b.Frames)...)
	}
	return log
}

// split cuts frames apart.
func split(frames []byte) (all [][]byte) {
	for len(frames) > 0 {
		i := bytes.Index(frames, []byte("\n\n")) + 2
		all, frames = append(all, bytes.Clone(frames[:i])), frames[i:]
	}
	return all
}

// saw remembers what a client has of a run from its beginning.
func (w *world) saw(id string, seen []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	ids := w.seen[id]
	for _, f := range split(seen)[min(len(ids), bytes.Count(seen, []byte("\n\n"))):] {
		ids = append(ids, lastID(f))
	}
	w.seen[id] = ids
}

// read reads a stream until it ends or its process dies, and checks that what was read is what the
// log holds, there and then.
func (w *world) read(p *proc, reader *run.Reader, id string, after int64, foreign bool) {
	defer reader.Close()
	var seen []byte
	limit := time.NewTimer(time.Hour)
	defer limit.Stop()
	for {
		frames, done := reader.Next()
		if p.store.Dead() {
			break // it was not sent
		}
		if seen = append(seen, frames...); len(frames) > 0 {
			if after == 0 && !foreign && bytes.HasPrefix(seen, []byte("id: "+id+":")) {
				w.saw(id, seen)
			}
			continue
		}
		if done {
			break
		}
		select {
		case <-reader.Wake():
		case <-limit.C:
			w.problem("a stream of run %s does not end: %s", id, seen)
			return
		}
	}
	// of those of that id the one that it is
	if name, _, _ := strings.Cut(lastID(seen), ":"); pinnedBy(name) == id {
		id = name
	}
	_, err := w.store.Run(context.Background(), ada, id)
	switch {
	case after == 0 && (foreign || err != nil && bytes.Contains(seen, []byte("MESSAGES_SNAPSHOT"))):
		w.legal(id, seen) // it brought nothing new, and is only shown the thread
		return
	case foreign, err != nil && after > 0:
		return // the rest of what was only shown
	}
	log := w.logged(id)
	if have := bytes.Join(log, nil); after > 0 {
		have = bytes.Join(log[min(int(after), len(log)):], nil)
		if !bytes.HasPrefix(have, seen) {
			w.problem("behind event %d of run %s a reader got\n%s\nand the log holds\n%s", after, id, seen, have)
		}
	} else if !bytes.HasPrefix(have, seen) {
		w.problem("a reader of run %s got\n%s\nand the log holds\n%s", id, seen, have)
	}
}

// legal checks a stream that shows a thread: whole runs, one after another, the last of which may
// be cut off.
func (w *world) legal(id string, seen []byte) {
	all, err := framesOf(seen)
	if err != nil {
		w.problem("the thread of run %s reads as %v: %s", id, err, seen)
	}
	v := agui.NewVerifier()
	shown := false
	for _, f := range all {
		switch e := f.event.(type) {
		case *agui.MessagesSnapshot:
			shown = true
		case *agui.RunStarted:
			shown = false
		case *agui.RunFinished:
			if shown { // it may say that calls of earlier runs wait
				plain := *e
				plain.Outcome = nil
				f.event = &plain
			}
		}
		if err := v.Check(f.event); err != nil {
			w.problem("the thread of run %s reads as %v: %s", id, err, seen)
			return
		}
	}
}

// settle lets everything come to its end.
func (w *world) settle() {
	w.now.store.DieAt(0, false) // first, so that a process found alive stays so
	if w.now.store.Dead() {
		w.nextProcess()
	}
	ended := make(chan struct{})
	go func() { w.clients.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(3 * time.Hour):
		w.problem("clients wait for ever")
	}
	time.Sleep(30 * time.Minute) // runs that nobody reads, and tools that do not stop
}

// judge looks at what is left.
func (w *world) judge() {
	ctx := context.Background()
	live, err := w.store.LiveRuns(ctx)
	if err != nil {
		w.problem("live runs: %v", err)
	}
	for _, l := range live {
		w.problem("run %s of thread %s, in epoch %d, is live for ever, after %d crashes and %d drains:\n%s", l.Run.ID, l.Run.ThreadID, l.Run.Epoch, w.crashes, w.drains, bytes.Join(w.logged(l.Run.ID), nil))
	}
	for n := range 2 {
		thread := threadName(n)
		runs, err := w.store.Runs(ctx, ada, thread)
		if err != nil {
			continue // nothing was ever said
		}
		for _, r := range runs {
			log := w.logged(r.ID)
			if _, _, err := checkRun(r.ID, bytes.Join(log, nil)); err != nil {
				w.problem("%v\n%s", err, bytes.Join(log, nil))
			}
		}
		w.usable(thread)
	}
	for call, n := range w.effects {
		if name, _, _ := strings.Cut(call, " "); n > 1 && name != "look" && name != "stamp" {
			w.problem("%s had its effect %d times", call, n)
		}
	}
}

// usable checks that the thread answers the next message.
func (w *world) usable(thread string) {
	id := w.nextID("last")
	a := &asked{thread: thread, id: id, messages: []agui.Message{{ID: "u-" + id, Role: agui.RoleUser, Content: agui.TextContent(script{Play: id, Steps: []step{{Words: 2}}}.String())}}}
	r, err := w.now.Start(context.Background(), run.Request{Principal: auth.Principal{Subject: ada.Subject}, Agent: "default", Input: a.input(), Fingerprint: id})
	if err != nil {
		w.problem("thread %s takes no message any more: %v", thread, err)
		return
	}
	w.read(w.now, r.Read(false), id, 0, false)
	log := w.logged(id)
	end, all, err := checkRun(id, bytes.Join(log, nil))
	if _, ok := end.(*agui.RunFinished); err != nil || !ok || lastText(all) != "word0 word1 " {
		w.problem("thread %s does not answer any more: %v\n%s", thread, err, bytes.Join(log, nil))
	}
}

func (w *world) close() {
	w.now.Drain(context.Background())
	if err := w.store.Close(); err != nil {
		w.problem("close: %v", err)
	}
}
