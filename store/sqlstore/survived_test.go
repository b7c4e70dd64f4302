package sqlstore_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/pageside/pageside/store"
)

// claim is what was acknowledged of one run.
type claim struct {
	begun, saved, planned, ended bool
	events                       int64 // the number of the last
}

// claims reads acknowledgements, each written as what and the run's id.
func claims(acknowledged []string) map[string]*claim {
	all := map[string]*claim{}
	for _, line := range acknowledged {
		what, id, _ := strings.Cut(line, " ")
		c := all[id]
		if c == nil {
			c = &claim{}
			all[id] = c
		}
		switch kind, number, _ := strings.Cut(what, "/"); kind {
		case "begun":
			c.begun = true
		case "saved":
			c.saved = true
		case "planned":
			c.planned = true
		case "ended":
			c.ended = true
		case "event":
			n, _ := strconv.ParseInt(number, 10, 64)
			c.events = max(c.events, n)
		}
	}
	return all
}

// checkAll returns what is missing of what was acknowledged. That the events of a run are without
// gaps and those that were written fails the test: it must hold whatever was acknowledged.
func checkAll(t *testing.T, s store.Store, acknowledged []string) (lost []error) {
	t.Helper()
	clear(messageSets)
	for id, c := range claims(acknowledged) {
		if err := c.check(t, s, id); err != nil {
			lost = append(lost, fmt.Errorf("run %s: %w", id, err))
		}
	}
	return lost
}

func (c *claim) check(t *testing.T, s store.Store, id string) error {
	t.Helper()
	r, err := s.Run(t.Context(), me, id)
	if err != nil {
		return err
	}
	last, err := checkEvents(t, s, id)
	switch {
	case err != nil:
		return err
	case last < c.events:
		return fmt.Errorf("its log ends with event %d, event %d was acknowledged", last, c.events)
	case c.ended && r.Status != store.RunFinished:
		return fmt.Errorf("it is %s, its end was acknowledged", r.Status)
	case c.ended && last != r.LastSeq:
		return fmt.Errorf("its log ends with event %d, it says %d", last, r.LastSeq)
	}
	if c.planned {
		if calls, err := s.ToolCalls(t.Context(), me, id); err != nil || len(calls) != 1 {
			return fmt.Errorf("its journal has %d calls, %v", len(calls), err)
		}
	}
	messages := messageSet(t, s, r.ThreadID)
	for suffix, stored := range map[string]bool{"q0": c.begun, "a": c.saved, "b": c.ended} {
		if stored && !messages[id+suffix] {
			return fmt.Errorf("message %s is lost", id+suffix)
		}
	}
	return nil
}

// checkEvents checks that the log of a run holds events that were written, each once, and returns
// the number of the last one.
func checkEvents(t *testing.T, s store.Store, id string) (last int64, err error) {
	t.Helper()
	for b, err := range s.Events(t.Context(), me, id, 0) {
		if err != nil {
			return last, err
		}
		var want []byte
		for seq := b.First; seq <= b.Last(); seq++ {
			want = append(want, frame(id, seq)...)
		}
		if b.First != last+1 || string(b.Frames) != string(want) {
			t.Fatalf("run %s: event %d is followed by %+v", id, last, b)
		}
		last = b.Last()
	}
	return last, nil
}
