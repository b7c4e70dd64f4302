package run

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/guard"
	"github.com/pageside/pageside/store"
)

// titling is a model call for a thread's title, concurrent with the answer.
type titling struct {
	asked time.Time
	stop  context.CancelFunc
	done  chan struct{}

	mu   sync.Mutex
	over bool // its run is ending: what it uses from now on is nobody's
}

// titlePatience is how long the end of a run waits for its title.
const titlePatience = 2 * time.Second

// entitle asks a model for the title of a thread with one question when the answer begins. Until
// the model answers, the title is the user's first words. It never fails the run.
func (x *execution) entitle(history []agui.Message) {
	if x.opening == "" || x.agent.TitleModel == nil || !x.merged.Answer {
		return
	}
	history = slices.Clone(history) // the transcript keeps using it
	ctx, stop := context.WithCancel(x.run.ctx)
	t := &titling{stop: stop, done: make(chan struct{})}
	x.titled = t
	x.w.onText = func() {
		t.asked = time.Now()
		go func() {
			defer close(t.done)
			defer guard.Log(x.m.log, "a thread keeps its first words as its title", "run", x.run.ID,
				"thread", x.run.ThreadID)
			x.nameThread(ctx, history)
		}()
	}
}

func (x *execution) nameThread(ctx context.Context, history []agui.Message) {
	if x.title == "" { // not the first run: it may have a name by now
		thread, err := x.m.cfg.Store.Thread(ctx, x.run.owner, x.run.ThreadID)
		if err != nil || thread.Title != x.opening {
			return
		}
	}
	title, spent, err := x.agent.Title(ctx, &agent.Input{Owner: x.run.owner.Key(), RunID: x.run.ID, History: history})
	x.chargeTitle(ctx, spent)
	if err == nil && title != "" {
		err = x.keepTitle(ctx, title)
	}
	if err != nil && ctx.Err() == nil {
		x.m.log.Warn("a thread keeps its first words as its title", "run", x.run.ID, "thread", x.run.ThreadID,
			"error", err)
	}
}

// keepTitle stores the title, unless the thread has it already or has been renamed, and tells the
// client.
func (x *execution) keepTitle(ctx context.Context, title string) error {
	if title == x.opening {
		return nil
	}
	r := x.run
	thread, err := x.m.cfg.Store.Thread(ctx, r.owner, r.ThreadID)
	if err != nil || thread.Title != x.opening {
		return err
	}
	if _, err := x.m.cfg.Store.UpdateThread(ctx, r.owner, r.ThreadID, store.ThreadChange{Title: &title}); err != nil {
		return err
	}
	if err := x.w.Emit(titleEvent(title)); err != nil {
		return err
	}
	return x.w.Flush()
}

// chargeTitle counts what a title used, unless the run has ended without it. It counts under its
// own id: the run's hold covers the model call that runs at the same time.
func (x *execution) chargeTitle(ctx context.Context, used agent.Spending) {
	x.titled.mu.Lock()
	defer x.titled.mu.Unlock()
	if x.titled.over || len(used.Usage) == 0 {
		return
	}
	x.w.spendTitle(used)
	if x.account != nil {
		x.account.add(ctx, newID("title"), used.Amount())
	}
}

// abandon ends the counting.
func (t *titling) abandon() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
}

// awaitTitle gives the title a little more time at the end of a successful run.
func (x *execution) awaitTitle(ctx context.Context, cause error) {
	t := x.titled
	if t == nil {
		return
	}
	defer t.stop()
	defer t.abandon()
	x.w.mu.Lock()
	asked := x.w.onText == nil
	x.w.onText = nil
	x.w.mu.Unlock()
	if !asked || cause != nil {
		return
	}
	late := time.NewTimer(time.Until(t.asked.Add(titlePatience)))
	defer late.Stop()
	select {
	case <-t.done:
	case <-late.C:
	case <-ctx.Done():
	}
}
