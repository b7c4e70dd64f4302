package run

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/store/storetest/temp"
)

// pin asks for a run under the id of an earlier one, with a body of its own.
func (f *fixture) pin(runID, body string, entries ...agui.ResumeEntry) (*Run, error) {
	f.t.Helper()
	in := f.input("t1", "")
	in.RunID, in.Resume = runID, entries
	return f.Start(f.t.Context(), Request{Principal: adaPrincipal, Agent: "default", Input: in, Fingerprint: body})
}

// pinned is pin for a run that must be accepted, read to its end. What it says is one legal run of
// that id.
func (f *fixture) pinned(runID, body string, entries ...agui.ResumeEntry) []agui.Event {
	f.t.Helper()
	r, err := f.pin(runID, body, entries...)
	if err != nil {
		f.t.Fatal(err)
	}
	all := events(f.t, r, false)
	legal(f.t, all)
	wantRunIDs(f.t, all, runID)
	return all
}

func wantRunIDs(t *testing.T, all []agui.Event, want string) {
	t.Helper()
	started, ok := all[0].(*agui.RunStarted)
	finished, okToo := all[len(all)-1].(*agui.RunFinished)
	if !ok || !okToo || started.RunID != want || finished.RunID != want {
		t.Errorf("the stream begins with %+v and ends with %+v, want run %s", all[0], all[len(all)-1], want)
	}
}

const approved = `{"approved":true}`

// TestPinnedResume answers one interrupt after the other under the id of the run that asked first,
// with a restart before each answer.
func TestPinnedResume(t *testing.T) {
	st := temp.Store(t)
	world := newLedger()
	model := &steps{play: []step{call("c", "pay", "{}"), call("d", "ship", "{}")}}
	a := agentWith(t, model, guarded(world, "pay"), guarded(world, "ship"))
	f := managerWith(t, st, a, nil)
	first := f.tell("t1", "u1", "")
	pay := asks(t, first)[0]
	f = managerWith(t, st, a, nil)
	second := f.pinned("run1", "body two", answerTo(pay, approved))
	ship := asks(t, second)[0]
	wantEffects(t, world, map[string]int{"pay": 1})
	f = managerWith(t, st, a, nil)
	third := f.pinned("run1", "body three", answerTo(ship, approved))
	wantEffects(t, world, map[string]int{"pay": 1, "ship": 1})
	if f.end("t1") != "assistant=done" || model.calls() != 3 {
		t.Errorf("the model was asked %d times, thread is %q", model.calls(), f.thread("t1"))
	}
	for range 2 { // now from memory, then from the store
		in := f.input("t1", "")
		in.RunID, in.Messages = "run1", messages("u1")
		for _, again := range []struct{ got, want []agui.Event }{
			{events(t, f.start(in), false), first},
			{f.pinned("run1", "body two", answerTo(pay, approved)), second},
			{f.pinned("run1", "body three", answerTo(ship, approved)), third},
		} {
			if typesOf(again.got) != typesOf(again.want) || len(again.got) != len(again.want) {
				t.Errorf("sent again: %s, want %s", typesOf(again.got), typesOf(again.want))
			}
		}
		f = managerWith(t, st, a, nil)
	}
	wantEffects(t, world, map[string]int{"pay": 1, "ship": 1})
	if rows, err := st.Runs(t.Context(), ada, "t1"); err != nil || len(rows) != 3 || rows[1].ParentRunID != rows[0].ID || rows[2].ParentRunID != rows[1].ID {
		t.Errorf("runs are %+v, %v", rows, err)
	}
	legal(t, decode(t, readAll(t, f.follow(t, FollowRequest{ThreadID: "t1"}))))
}

// TestPinnedResumeIsAudited: who approved what is in the audit log, with the run that carried it
// out, and once.
func TestPinnedResumeIsAudited(t *testing.T) {
	f, _, _ := guardedScene(t, temp.Store(t), "pay")
	asked := asks(t, f.tell("t1", "u1", ""))
	for range 2 {
		f.pinned("run1", "answer", answerTo(asked[0], approved))
	}
	var told []string
	for _, e := range f.cfg.Audit.(*book).all(func(e audit.Entry) bool { return e.RunID == "run1~2" }) {
		told = append(told, brief([]audit.Entry{e})...)
	}
	if got := strings.Join(told, " "); got != "approval/approved/ok/pay tool.call/approved/begun/pay tool.call//ok/pay" {
		t.Errorf("recorded are %s", got)
	}
}

// TestPinnedRunIsFollowed by whoever knows nothing but the id the client gave: from the beginning
// it is the newest run, and from any event the rest of the run that the event is in.
func TestPinnedRunIsFollowed(t *testing.T) {
	st := temp.Store(t)
	f, _, _ := guardedScene(t, st, "pay")
	asked := asks(t, f.tell("t1", "u1", ""))
	r := value(f.pin("run1", "answer", answerTo(asked[0], approved)))(t)
	whole := map[string]string{"run1": logOf(t, st, "run1"), r.ID: readAll(t, r.Read(false))}
	for range 2 {
		if got := readAll(t, f.follow(t, FollowRequest{RunID: "run1"})); got != whole[r.ID] {
			t.Errorf("from the beginning:\n%s\nwant\n%s", got, whole[r.ID])
		}
		for _, stream := range whole {
			for rest := []byte(stream); len(rest) > 0; {
				var frame []byte
				frame, rest = nextFrame(rest)
				if got := readAll(t, f.follow(t, FollowRequest{RunID: "run1", After: frameID(frame)})); got != string(rest) {
					t.Errorf("after %s:\n%s\nwant\n%s", frameID(frame), got, rest)
				}
			}
		}
		_, err := f.Follow(t.Context(), FollowRequest{Owner: ada, RunID: "run1", After: "run2~2:1.1"})
		wantCode(t, err, CodeInvalid)
		f = managerWith(t, st, f.Agents()[0], nil)
	}
	if _, err := st.PurgeEvents(t.Context(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	gone := decode(t, readAll(t, managerWith(t, st, f.Agents()[0], nil).follow(t, FollowRequest{RunID: "run1"})))
	wantRunIDs(t, gone, "run1")
	if got := typesOf(gone); got != "RUN_STARTED MESSAGES_SNAPSHOT RUN_FINISHED" {
		t.Errorf("without its events: %s", got)
	}
}

// TestPinnedResumeAtOnce: however often and closely together a body is posted, it is one run.
func TestPinnedResumeAtOnce(t *testing.T) {
	f, world, model := guardedScene(t, temp.Store(t), "pay")
	asked := asks(t, f.tell("t1", "u1", ""))
	in := f.input("t1", "")
	in.RunID, in.Resume = "run1", []agui.ResumeEntry{answerTo(asked[0], approved)}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			r, err := f.Start(t.Context(), Request{Principal: adaPrincipal, Agent: "default", Input: in, Fingerprint: "answer"})
			if err != nil || r.ID != "run1~2" {
				t.Errorf("%+v, %v", r, err)
				return
			}
			readAll(t, r.Read(false))
		})
	}
	all.Wait()
	wantEffects(t, world, map[string]int{"pay": 1})
	if model.calls() != 2 {
		t.Errorf("the model was asked %d times", model.calls())
	}
}

// TestPinnedResumeRefused: the id stands for what it was used for, unless the request answers what
// its newest run asked.
func TestPinnedResumeRefused(t *testing.T) {
	f, world, _ := guardedScene(t, temp.Store(t), "pay")
	asked := asks(t, f.tell("t1", "u1", ""))
	never := agui.ResumeEntry{InterruptID: "never", Status: agui.ResumeResolved, Payload: rawJSON(approved)}
	refused := func(what, body string, entries ...agui.ResumeEntry) {
		t.Helper()
		r, err := f.pin("run1", body, entries...)
		if wantCode(t, err, CodeRunConflict); err == nil {
			t.Errorf("%s: run %s", what, r.ID)
		}
	}
	refused("no answer", "other")
	refused("an answer nobody asked for", "other", never)
	for _, id := range []string{"run1~2", "x~17"} {
		_, err := f.pin(id, "other", answerTo(asked[0], approved))
		wantCode(t, err, CodeInvalid)
	}
	elsewhere := f.input("t2", "")
	elsewhere.RunID, elsewhere.Resume = "run1", []agui.ResumeEntry{answerTo(asked[0], approved)}
	_, err := f.Start(t.Context(), Request{Principal: adaPrincipal, Agent: "default", Input: elsewhere, Fingerprint: "other"})
	wantCode(t, err, CodeRunConflict)
	wantEffects(t, world, nil)
	f.pinned("run1", "answer", never, answerTo(asked[0], `{"approved":false}`))
	refused("another answer to what was answered", "other", answerTo(asked[0], approved))
	refused("no answer", "other")
	wantEffects(t, world, nil)
}

// TestPinnedResumeTooLate: what was asked was overtaken by a message of the user's. The answer
// shows the thread, as it does under an id of its own, and leaves no trace.
func TestPinnedResumeTooLate(t *testing.T) {
	st := temp.Store(t)
	f, world, _ := guardedScene(t, st, "pay")
	asked := asks(t, f.tell("t1", "u1", ""))
	f.tell("t1", "u2", "")
	for range 2 {
		all := f.pinned("run1", "answer", answerTo(asked[0], approved))
		if got := typesOf(all); got != "RUN_STARTED MESSAGES_SNAPSHOT RUN_FINISHED" {
			t.Errorf("events are %s", got)
		}
	}
	wantEffects(t, world, nil)
	if got := readAll(t, f.follow(t, FollowRequest{RunID: "run1"})); got != logOf(t, st, "run1") {
		t.Errorf("the run of that id reads\n%s", got)
	}
	if rows, err := st.Runs(t.Context(), ada, "t1"); err != nil || len(rows) != 2 {
		t.Errorf("runs are %+v, %v", rows, err)
	}
}

// TestPinnedResumeBesideAToolMessage: CopilotKit sends the answer as resume, under the run's own
// id, and as a tool message.
func TestPinnedResumeBesideAToolMessage(t *testing.T) {
	f, world, model := guardedScene(t, temp.Store(t), "pay", "paint")
	asked := asks(t, f.tell("t1", "u1", ""))
	in := f.input("t1", "")
	in.RunID, in.Messages, in.Resume = "run1", messages("t1:c1 t2:c2"), []agui.ResumeEntry{answerTo(asked[0], approved)}
	for range 2 {
		r := value(f.Start(t.Context(), Request{Principal: adaPrincipal, Agent: "default", Input: in, Fingerprint: "answer"}))(t)
		wantRunIDs(t, events(t, r, false), "run1")
	}
	wantEffects(t, world, map[string]int{"pay": 1})
	if got := f.thread("t1"); model.calls() != 2 || strings.Count(got, "tool=") != 2 || !strings.Contains(got, "tool=pay done") {
		t.Errorf("the model was asked %d times, thread is %q", model.calls(), got)
	}
}

// TestPinnedToALook: a client that was loaded again knows the question from a look at the thread,
// and answers under the id of that.
func TestPinnedToALook(t *testing.T) {
	f, world, _ := guardedScene(t, temp.Store(t), "pay")
	f.tell("t1", "u1", "")
	look := f.input("t1", "")
	asked := asks(t, events(t, f.start(look), false))
	f.pinned(look.RunID, "answer", answerTo(asked[0], approved))
	wantEffects(t, world, map[string]int{"pay": 1})
	_, err := f.pin(look.RunID, "other")
	wantCode(t, err, CodeRunConflict)
}

// TestParentIsTheNewestOfItsName: a question that names the run it goes on from by the id its
// client knows belongs to the branch that is shown.
func TestParentIsTheNewestOfItsName(t *testing.T) {
	f, _, _ := guardedScene(t, temp.Store(t), "pay")
	asked := asks(t, f.tell("t1", "u1", ""))
	f.pinned("run1", "answer", answerTo(asked[0], approved))
	before := f.thread("t1")
	in := f.input("t1", "and now?")
	in.ParentRunID = "run1"
	events(t, f.start(in), false)
	if got := f.thread("t1"); !strings.HasPrefix(got, before+" | user=and now?") {
		t.Errorf("thread was %q, is %q", before, got)
	}
}

// TestPinnedRunIsTakenOver: the process ends while the run that goes on is live. The next one takes
// it up, under its id.
func TestPinnedRunIsTakenOver(t *testing.T) {
	st := temp.Store(t)
	f, world, model := guardedScene(t, st, "pay")
	asked := asks(t, f.tell("t1", "u1", ""))
	model.play = []step{hanging("half an answer")}
	r := value(f.pin("run1", "answer", answerTo(asked[0], approved)))(t)
	reader := r.Read(false)
	seen := readUntil(t, reader, "half an answer")
	reader.Close()
	handOver(t, f)
	g := managerWith(t, st, f.Agents()[0], nil)
	rest := readAll(t, g.follow(t, FollowRequest{RunID: "run1", After: lastID(seen)}))
	all := decode(t, seen+rest)
	legal(t, all)
	wantRunIDs(t, all, "run1")
	wantEffects(t, world, map[string]int{"pay": 1})
	if got := g.pinned("run1", "answer", answerTo(asked[0], approved)); len(got) != len(all) {
		t.Errorf("the same answer again: %s, want %s", typesOf(got), typesOf(all))
	}
}

// TestPinnedRunIsCancelled by the id the client knows.
func TestPinnedRunIsCancelled(t *testing.T) {
	f, _, model := guardedScene(t, temp.Store(t), "pay")
	asked := asks(t, f.tell("t1", "u1", ""))
	model.play = []step{hanging("half an answer")}
	r := value(f.pin("run1", "answer", answerTo(asked[0], approved)))(t)
	reader := r.Read(false)
	defer reader.Close()
	readUntil(t, reader, "half an answer")
	must(t, f.Cancel(t.Context(), ada, "run1"))
	all := events(t, r, false)
	if end, ok := all[len(all)-1].(*agui.RunFinished); !ok || end.Outcome == nil || end.Outcome.Type != agui.OutcomeCancelled {
		t.Errorf("it ends with %+v", all[len(all)-1])
	}
}

// hanging is a step that says something and then nothing more.
func hanging(text string) step {
	return func(ctx context.Context, _ *llm.Request, yield func(llm.Part, error) bool) {
		if yield(llm.Part{Kind: llm.TextDelta, Delta: text}, nil) && yield(llm.Part{Kind: llm.Pause}, nil) {
			<-ctx.Done()
			yield(llm.Part{}, ctx.Err())
		}
	}
}

// handOver ends a process whose runs are left to the next one.
func handOver(t *testing.T, f *fixture) {
	t.Helper()
	now, stop := context.WithCancel(t.Context())
	stop()
	f.Drain(now)
}

// readUntil reads whole frames until one says something.
func readUntil(t *testing.T, reader *Reader, text string) string {
	t.Helper()
	var seen strings.Builder
	for !strings.Contains(seen.String(), text) {
		frames, done := reader.Next()
		seen.Write(frames)
		if len(frames) > 0 {
			continue
		}
		if done {
			t.Fatalf("the stream ended without %q:\n%s", text, seen.String())
		}
		awaken(t, reader, &seen)
	}
	return seen.String()
}
