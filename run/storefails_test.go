package run

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/faulty"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

// sickStore takes nothing while it is sick, or never answers while it is silent.
type sickStore struct {
	faulty.Store
	mu     sync.Mutex
	sick   error
	only   string // the operation that it is too sick for, default all that write
	moves  string // the run that becomes the head of thread t1 once the thread is read
	silent bool
	held   []func() // what it has not answered
	sizes  []int    // of the batches it was given
	slow   time.Duration
}

func newSick(st store.Store) *sickStore {
	s := &sickStore{Store: faulty.Store{Store: st}}
	s.Do = s.do
	return s
}

func (s *sickStore) do(op string, carryOut func() error) error {
	s.mu.Lock()
	sick, moves := s.sick, s.moves
	if fits := s.only == op || s.only == "" && faulty.Writes(op); !fits {
		sick = nil
	}
	if op == "Thread" {
		s.moves = ""
	}
	s.mu.Unlock()
	if sick != nil {
		return sick
	}
	err := carryOut()
	if op == "Thread" && moves != "" && err == nil {
		_, err = s.Store.Store.UpdateThread(context.Background(), ada, "t1", store.ThreadChange{Head: &moves})
	}
	return err
}

func (s *sickStore) AppendEvents(o store.Owner, b store.Batch, done func(error)) {
	below := s.Store.Store
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sizes = append(s.sizes, b.Count)
	switch {
	case s.sick != nil && s.only == "":
		go done(s.sick)
	case s.silent:
		s.held = append(s.held, func() { below.AppendEvents(o, b, done) })
	case s.slow > 0:
		b.Frames = append([]byte(nil), b.Frames...)
		time.AfterFunc(s.slow, func() { below.AppendEvents(o, b, done) })
	default:
		below.AppendEvents(o, b, done)
	}
}

// TestStoreThatIsSilent: what is said meanwhile is bounded, and when the store has been silent too
// long the run ends. Only what came with the run was sent before that.
func TestStoreThatIsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := newSick(temp.Store(t))
		st.silent = true
		f := managerWith(t, st, agentWith(t, &steps{play: []step{long(10_000)}}), nil)
		begun := time.Now()
		r := f.start(f.input("t1", "hello"))
		time.Sleep(time.Second)
		r.w.mu.Lock()
		if waits := len(r.w.pending.frames); waits < maxUnwritten || waits > maxUnwritten+maxBatchBytes {
			t.Errorf("%d bytes wait", waits)
		}
		r.w.mu.Unlock()
		all := events(t, r, false)
		must.Be(t, len(all), 3, "events")
		must.Have(t, endOf(all), string(refusal.Store)+": ", "it ends with")
		if took := time.Since(begun); took < storePatience || took > storePatience+storeTimeout {
			t.Errorf("after %s", took)
		}
		st.mu.Lock()
		for _, answer := range st.held { // now it does what it was asked long ago
			answer()
		}
		st.silent, st.held = false, nil
		st.mu.Unlock()
		time.Sleep(time.Minute)
		must.Be(t, must.Get(st.Run(t.Context(), ada, r.ID))(t).Status, store.RunFailed, "the run")
		events(t, f.start(f.input("t1", "hello")), false)
	})
}

// TestSlowStore: one append is under way at a time, what is said meanwhile goes together, and
// nothing is lost.
func TestSlowStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := newSick(temp.Store(t))
		st.slow = 100 * time.Millisecond
		f := managerWith(t, st, agentWith(t, &steps{play: []step{long(300)}}), nil)
		r := f.start(f.input("t1", "hello"))
		events(t, r, false)
		if len(st.sizes) > 5 {
			t.Errorf("%d appends: %v", len(st.sizes), st.sizes)
		}
		must.Have(t, f.thread("t1"), "word299", "the thread")
	})
}

// TestEachPauseIsOneAppend: where the store keeps up, what the model says reaches the store when
// the model pauses.
func TestEachPauseIsOneAppend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := newSick(temp.Store(t))
		f := newFixture(t, st, nil)
		r := f.start(f.input("t1", "slow"))
		reader := r.Read(false)
		defer reader.Close()
		time.Sleep(500 * time.Millisecond)
		for range 4 {
			frames, _ := reader.Next()
			if len(frames) == 0 {
				t.Fatal("nothing came although the model has spoken")
			}
			time.Sleep(time.Second)
		}
		events(t, r, false)
		if n := len(st.sizes); n < 8 || n > 11 { // RUN_STARTED comes with the run
			t.Errorf("eight words took %d appends: %v", n, st.sizes)
		}
	})
}

// TestEventsThatBelongTogetherAreOneAppend: also where the first of them would have filled a batch.
func TestEventsThatBelongTogetherAreOneAppend(t *testing.T) {
	st := newSick(temp.Store(t))
	st.silent = true
	f := newFixture(t, st, nil)
	r := f.newRun(ada, "r1", "t1", "f")
	w := newWriter(r, 1, 0, agui.NewTranscript(nil), agui.NewVerifier())
	note := &agui.Custom{Name: "n", Value: rawJSON(`1`)}
	must.Do(t, w.Emit(&agui.RunStarted{ThreadID: "t1", RunID: "r1"}))
	for range maxBatchEvents - 2 {
		must.Do(t, w.Emit(note))
	}
	if err := w.EmitAll(note, note); err != nil || len(st.sizes) != 1 || st.sizes[0] != maxBatchEvents+1 {
		t.Errorf("the batches have %v events: %v", st.sizes, err)
	}
}

// TestMessageNoStoreCanKeep: the run ends all the same.
func TestMessageNoStoreCanKeep(t *testing.T) {
	f := managerWith(t, temp.Store(t), agentWith(t, &steps{play: []step{say("a\x00b")}}), nil)
	r := f.start(f.input("t1", "hello"))
	all := events(t, r, false)
	end := all[len(all)-1].Type()
	if end != agui.TypeRunFinished && end != agui.TypeRunError {
		t.Errorf("it ends with %s", end)
	}
	events(t, f.start(f.input("t1", "hello")), false)
}

// TestNoToolStartsAfterACancel: one whose start was being stored when the cancel came does not run.
func TestNoToolStartsAfterACancel(t *testing.T) {
	ran := false
	pay := tool.New("pay", "Pays.", func(context.Context, *tool.Call, struct{}) (tool.Result, error) {
		ran = true
		return tool.Result{}, nil
	})
	var f *fixture
	st := faulty.Store{Store: temp.Store(t), Do: func(op string, carryOut func() error) error {
		err := carryOut()
		if op == "StartCall" {
			must.Do(t, f.Cancel(t.Context(), ada, "run1"))
		}
		return err
	}}
	f = managerWith(t, st, agentWith(t, &steps{play: []step{call("c", "pay", "{}")}}, pay), nil)
	all := events(t, f.start(f.input("t1", "pay")), false)
	must.Be(t, endOf(all), agui.OutcomeCancelled, "it ends with")
	must.Be(t, ran, false, "whether the tool ran")
}
