package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/tool"
)

// counting is a tool that counts its calls and remembers their keys. It waits for free, if any.
func counting(name string, effect tool.Effect, ran *atomic.Int64, free <-chan struct{}) *tool.Tool {
	t := tool.New(name, "Counts.", func(_ context.Context, call *tool.Call, _ struct{}) (tool.Result, error) {
		n := ran.Add(1)
		if free != nil {
			<-free
		}
		return tool.Result{Text: fmt.Sprintf("effect %d, key %s", n, call.Key)}, nil
	})
	t.Effect = effect
	return t
}

// act requests an action with an Idempotency-Key.
func (s *site) act(name, key string) (status int, answer string) {
	s.t.Helper()
	resp := s.send(http.MethodPost, "/v1/actions/"+name, `{"page":"p","args":{}}`, "Idempotency-Key", key)
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Error(err)
	}
	return resp.StatusCode, string(raw)
}

// TestOneClickHasOneEffect: the same click many times at once.
func TestOneClickHasOneEffect(t *testing.T) {
	var ran atomic.Int64
	free := make(chan struct{})
	s := newSite(t, withActions(t, counting("save", tool.Write, &ran, free)))
	var all sync.WaitGroup
	answers := make(chan string, 20)
	for range 20 {
		all.Go(func() {
			status, answer := s.act("save", "k1")
			answers <- fmt.Sprint(status, answer)
		})
	}
	close(free)
	all.Wait()
	first := <-answers
	for range 19 {
		if next := <-answers; next != first {
			t.Errorf("answers differ: %q and %q", first, next)
		}
	}
	if ran.Load() != 1 || !strings.HasPrefix(first, `200{"text":"effect 1`) {
		t.Errorf("%d effects, the answer is %s", ran.Load(), first)
	}
}

// TestAnActionThatACrashCutOff: whether it had its effect is unknown. What may run twice does, with
// the same key.
func TestAnActionThatACrashCutOff(t *testing.T) {
	var saved, stamped atomic.Int64
	lost := &loses{Store: temp.Store(t)}
	save, stamp := counting("save", tool.Write, &saved, nil), counting("stamp", tool.Idempotent, &stamped, nil)
	s := newSiteOn(t, lost, withActions(t, save, stamp))
	s.act("save", "k1")
	_, before := s.act("stamp", "k2")
	if status, answer := s.act("save", "k1"); status != 409 || !strings.Contains(answer, "unknown_outcome") || saved.Load() != 1 {
		t.Errorf("again after a crash: %d %s, %d effects", status, answer, saved.Load())
	}
	if status, answer := s.act("stamp", "k2"); status != 200 || answer != strings.Replace(before, "effect 1", "effect 2", 1) {
		t.Errorf("what may run twice: %d %s, before: %s", status, answer, before)
	}
}

// loses is the store of processes that die before they have stored an answer.
type loses struct{ *sqlstore.Store }

func (*loses) EndAction(context.Context, store.Owner, string, json.RawMessage) error {
	return store.ErrFull
}

// TestActionsAtOnce: a caller may have a few running, and others are not in the way.
func TestActionsAtOnce(t *testing.T) {
	var ran atomic.Int64
	free := make(chan struct{})
	s := newSite(t, withActions(t, counting("save", tool.Write, &ran, free)))
	var all sync.WaitGroup
	statuses := make(chan int, 40)
	for i := range 40 {
		all.Go(func() {
			status, _ := s.act("save", fmt.Sprint("k", i))
			statuses <- status
		})
	}
	refused := 0
	for range 32 { // 8 wait for the channel
		if <-statuses == http.StatusTooManyRequests {
			refused++
		}
	}
	close(free)
	all.Wait()
	if refused != 32 || ran.Load() != 8 {
		t.Errorf("%d are refused, %d ran", refused, ran.Load())
	}
	if status, _ := s.act("save", "later"); status != 200 {
		t.Errorf("later: %d", status)
	}
}
