package run

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agent/usage"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/guard"
	"github.com/pageside/pageside/store"
)

// titling is a model call for a thread's title, concurrent with the answer.
type titling struct {
	*execution
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
	t := &titling{execution: x, stop: stop, done: make(chan struct{})}
	x.titled = t
	x.w.onText = func() {
		t.asked = time.Now()
		go func() {
			defer close(t.done)
			defer guard.Log(x.m.log, "a thread keeps its first words as its title", "run", x.run.ID,
				"thread", x.run.ThreadID)
			t.nameThread(ctx, history)
		}()
	}
}

func (t *titling) nameThread(ctx context.Context, history []agui.Message) {
	if t.title == "" { // not the first run: it may have a name by now
		thread, err := t.m.cfg.Store.Thread(ctx, t.run.owner, t.run.ThreadID)
		if err != nil || thread.Title != t.opening {
			return
		}
	}
	title, spent, err := t.agent.Title(ctx, &agent.Input{Owner: t.run.owner.Key(), RunID: t.run.ID, History: history})
	t.charge(ctx, spent)
	if err == nil && title != "" {
		err = t.keep(ctx, title)
	}
	if err != nil && ctx.Err() == nil {
		t.m.log.Warn("a thread keeps its first words as its title", "run", t.run.ID, "thread", t.run.ThreadID,
			"error", err)
	}
}

// keep stores the title, unless the thread has it already or has been renamed, and tells the
// client.
func (t *titling) keep(ctx context.Context, title string) error {
	if title == t.opening {
		return nil
	}
	r := t.run
	thread, err := t.m.cfg.Store.Thread(ctx, r.owner, r.ThreadID)
	if err != nil || thread.Title != t.opening {
		return err
	}
	if _, err := t.m.cfg.Store.UpdateThread(ctx, r.owner, r.ThreadID, store.ThreadChange{Title: &title}); err != nil {
		return err
	}
	if err := t.w.Emit(titleEvent(title)); err != nil {
		return err
	}
	return t.w.Flush()
}

// charge counts what a title used, unless the run has ended without it. It counts under its own id:
// the run's hold covers the model call that runs at the same time.
func (t *titling) charge(ctx context.Context, used usage.Spending) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over || len(used.Usage) == 0 {
		return
	}
	t.w.spendTitle(used)
	if t.account != nil {
		t.account.Add(ctx, newID("title"), used.Amount())
	}
}

// stopCounting ends the counting.
func (t *titling) stopCounting() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
}

// await gives the title a little more time at the end of a successful run. t may be nil.
func (t *titling) await(ctx context.Context, cause error) {
	if t == nil {
		return
	}
	defer t.stop()
	defer t.stopCounting()
	w := t.w
	w.mu.Lock()
	asked := w.onText == nil
	w.onText = nil
	w.mu.Unlock()
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
