package run

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run/eventlog"
	"github.com/pageside/pageside/run/history"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/tool"
)

// heldAgent is an agent of which a person must approve every call of the page's tool paint.
func heldAgent(t *testing.T, model *steps) *agent.Agent {
	a := agentWith(t, model)
	a.PageTools = map[string]agent.PageTool{"paint": {Effect: tool.Write, Approval: tool.ApprovalAlways}}
	return a
}

// givenTo returns the calls of the page that the events give to it, with their metadata.
func givenTo(all []agui.Event) map[string]string {
	given := map[string]string{}
	for _, e := range all {
		switch e := e.(type) {
		case *agui.ToolCallStart:
			given[e.ToolCallID] = string(e.Metadata)
		case *agui.ToolCallResult:
			delete(given, e.ToolCallID)
		}
	}
	return given
}

// callsIn returns the open calls of a stored thread.
func callsIn(t *testing.T, st store.Store) []string {
	t.Helper()
	stored, err := st.Transcript(t.Context(), ada, "t1", "")
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		t.Fatal(err)
	}
	return history.OpenCalls(stored)
}

// pendingOf returns what a stream's end leaves to the page.
func pendingOf(all []agui.Event) []string {
	if end, ok := all[len(all)-1].(*agui.RunFinished); ok && end.Outcome != nil {
		return end.Outcome.PendingToolCallIDs
	}
	return nil
}

const approvedMark = `"approved":true`

// heldScene is a thread with a held call, whose processes die.
type heldScene struct {
	t  *testing.T
	st store.Store
}

// process begins one that dies at an operation of its store, never if it is 0.
func (s *heldScene) process(op int, after bool) (*fixture, *mortal) {
	st := &mortal{Store: s.st, left: op, after: after}
	if op == 0 {
		st.left = -1
	}
	f := managerWith(s.t, st, heldAgent(s.t, &steps{play: []step{call("c", "paint", "{}"), call("d", "paint", "{}")}}), nil)
	f.admission.work.Wait() // what it took over
	return f, st
}

// dies ends a process for good, and reports whether it had died before.
func dies(f *fixture, st *mortal) bool {
	st.mu.Lock()
	died := st.dead
	st.mu.Unlock()
	st.die()
	handOver(f)
	return died
}

// rests returns how the thread waits: for a person, or for the page.
func (s *heldScene) rests(f *fixture) (asked []agui.Interrupt, pending []string) {
	row, err := s.st.LastRun(s.t.Context(), ada, "t1")
	if err != nil {
		return nil, nil // nothing was stored
	}
	all := decode(s.t, readAll(s.t, f.follow(s.t, FollowRequest{ThreadID: row.ThreadID})))
	if end, ok := all[len(all)-1].(*agui.RunFinished); ok && end.Outcome != nil {
		return end.Outcome.Interrupts, end.Outcome.PendingToolCallIDs
	}
	return nil, nil
}

// tried starts a run in a process that may die of it.
func tried(f *fixture, in *agui.RunAgentInput) {
	r, err := f.Start(f.t.Context(), Request{Principal: adaPrincipal, Agent: "default", Input: in, Fingerprint: "f" + in.RunID})
	if err == nil {
		readAll(f.t, r.Read(false))
	}
}

// TestPageCallOverCrashes: wherever a process dies while it asks about a call of the page, or while
// it gives the page an approved one, the next process asks once, and gives the page what a person
// has approved, no more and no less.
func TestPageCallOverCrashes(t *testing.T) {
	for _, after := range []bool{false, true} {
		for what, crash := range map[string]func(*heldScene, int, bool) bool{"asking": (*heldScene).crashAsking, "giving": (*heldScene).crashGiving} {
			op := 1
			for crash(&heldScene{t, temp.Store(t)}, op, after) {
				op++
			}
			if op < 4 {
				t.Errorf("%s: it died at %d operations only", what, op-1)
			}
		}
	}
}

func (s *heldScene) crashAsking(op int, after bool) (crashed bool) {
	t := s.t
	f, st := s.process(op, after)
	in := f.input("t1", "paint it")
	tried(f, in)
	crashed = dies(f, st)
	g, _ := s.process(0, false)
	if asked, pending := s.rests(g); len(pending) > 0 || len(asked) > 1 {
		t.Errorf("op %d: %v is pending, asked is %+v", op, pending, asked)
	}
	if open := callsIn(t, s.st); len(open) > 0 {
		t.Errorf("op %d: without an approval the thread has the calls %v", op, open)
	}
	tried(g, in) // the client asks again; the run is the same if it was stored
	if asked, pending := s.rests(g); len(asked) != 1 || len(pending) > 0 {
		t.Errorf("op %d: in the end %v is asked, %v pending: %s", op, asked, pending, g.thread("t1"))
	}
	return crashed
}

func (s *heldScene) crashGiving(op int, after bool) (crashed bool) {
	t := s.t
	f, st := s.process(0, false)
	asked := asks(t, events(t, f.start(f.input("t1", "paint it")), false))
	dies(f, st)
	f, st = s.process(op, after)
	f.n = 10
	in := f.input("t1", "")
	in.Resume = []agui.ResumeEntry{answerTo(asked[0], `{"approved":true}`)}
	tried(f, in)
	crashed = dies(f, st)
	g, _ := s.process(0, false)
	tried(g, in) // the answer again: the run is the same if it was stored
	again, pending := s.rests(g)
	if len(again) > 0 || !slices.Equal(pending, []string{"c1"}) {
		t.Errorf("op %d: %+v is asked again, %v pending", op, again, pending)
	}
	stored := value(s.st.Transcript(t.Context(), ada, "t1", ""))(t)
	marked := 0
	for _, m := range stored {
		for _, c := range m.ToolCalls {
			if strings.Contains(string(c.Metadata), approvedMark) && c.Arguments == "{}" {
				marked++
			}
		}
	}
	if marked != 1 {
		t.Errorf("op %d: %d calls are marked as approved", op, marked)
	}
	return crashed
}

// TestOnlyNotesAreWithheldFromClients: an event that merely speaks of notes is shown as it is.
func TestOnlyNotesAreWithheldFromClients(t *testing.T) {
	prefix := eventlog.Prefix("r1", 1)
	var frames, want []byte
	for i, e := range []agui.Event{
		&agui.TextMessageContent{MessageID: "m1", Delta: `"activityType":"pageside_note"`},
		&agui.ActivitySnapshot{MessageID: "m2", ActivityType: "plan", Content: rawJSON(`{"activityType":"pageside_note"}`)},
		agui.Note{Kind: agui.NotePage, Text: "secret"}.Event("m3"),
		&agui.Custom{Name: "x", Value: rawJSON("1")},
	} {
		var err error
		if frames, err = eventlog.AppendFrame(frames, prefix, int64(i+1), e); err != nil {
			t.Fatal(err)
		}
		if i == 2 {
			e = &agui.Custom{Name: agui.NoteType, Value: rawJSON("null")}
		}
		if want, err = eventlog.AppendFrame(want, prefix, int64(i+1), e); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := (eventlog.Piece{Frames: frames}).Shown(false, false); err != nil || string(got) != string(want) {
		t.Errorf("a client is sent\n%s\nwant\n%s", got, want)
	}
}
