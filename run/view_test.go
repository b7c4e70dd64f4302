package run

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/run/history"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/tool"
)

// holder is a client that knows nothing of Pageside: it holds its messages and sends all of them
// with each run.
type holder struct {
	*fixture
	thread string
	has    *agui.Transcript
	said   int
	bare   bool // it has no tools
}

func (f *fixture) holder(thread string) *holder {
	return &holder{fixture: f, thread: thread, has: agui.NewTranscript(nil)}
}

// cutTo drops all but the first n messages.
func (h *holder) cutTo(n int) *holder {
	h.has = agui.NewTranscript(h.has.Messages()[:n])
	return h
}

// edit changes the text of a message.
func (h *holder) edit(i int, text string) *holder {
	all := slices.Clone(h.has.Messages())
	all[i].Content = agui.TextContent(text)
	h.has = agui.NewTranscript(all)
	return h
}

func (h *holder) input() *agui.RunAgentInput {
	in := h.fixture.input(h.thread, "")
	if h.bare {
		in.Tools = nil
	}
	in.Messages = slices.DeleteFunc(slices.Clone(h.has.Messages()), func(m agui.Message) bool { return m.Role == agui.RoleActivity })
	return in
}

// say adds a message of the user and runs.
func (h *holder) say(text string) []agui.Event {
	h.t.Helper()
	h.said++
	h.has = agui.NewTranscript(append(slices.Clone(h.has.Messages()),
		agui.Message{ID: fmt.Sprintf("said%d", h.said), Role: agui.RoleUser, Content: agui.TextContent(text)}))
	return h.run()
}

// run runs with what the client has, and takes what comes.
func (h *holder) run() []agui.Event {
	h.t.Helper()
	all := events(h.t, h.start(h.input()), false)
	legal(h.t, all)
	for _, e := range all {
		if err := h.has.Apply(e); err != nil {
			h.t.Fatal(err)
		}
	}
	return all
}

func lines(messages []agui.Message) string {
	var out []string
	for _, m := range messages {
		if !m.IsNote() {
			out = append(out, m.Role+"="+m.Content.Text())
		}
	}
	return strings.Join(out, " | ")
}

// wantShown fails unless the thread shows what the client does, and the model was shown it.
func (h *holder) wantShown(model *steps, want string) {
	h.t.Helper()
	stored, err := h.store.Transcript(h.t.Context(), ada, h.thread, "")
	if err != nil {
		h.t.Fatal(err)
	}
	if got := lines(history.Visible(stored)); got != want {
		h.t.Errorf("the thread shows\n%s\nwant\n%s", got, want)
	}
	if got := lines(h.has.Messages()); got != want {
		h.t.Errorf("the client shows\n%s\nwant\n%s", got, want)
	}
	asked := model.asked[len(model.asked)-1]
	prompt, shown := promptText(asked), 0
	for _, line := range strings.Split(want, " | ") {
		if _, text, _ := strings.Cut(line, "="); strings.Contains(prompt, text) {
			shown++
		}
	}
	if n := strings.Count(want, " | "); shown < n {
		h.t.Errorf("the model was shown %d of %d messages: %s", shown, n, prompt)
	}
}

// recorded returns the audit log's entries of a kind.
func (f *fixture) recorded(kind audit.Kind) []audit.Entry {
	return f.cfg.Audit.(*book).all(func(e audit.Entry) bool { return e.Kind == kind })
}

func looking(world *ledger) *tool.Tool {
	return world.tool("look", tool.Read, &mortal{left: -1}, "")
}

// answers is a model that says one, two, three ….
func answers(words ...string) *steps {
	m := &steps{}
	for _, w := range words {
		m.play = append(m.play, say(w))
	}
	return m
}

// TestClientsThatHoldTheThread: what a client that sends whole histories drops or changes at their
// end makes a branch there, also in another process, and nothing is lost.
func TestClientsThatHoldTheThread(t *testing.T) {
	const before = "user=first | assistant=one | user=second | assistant=two"
	for name, c := range map[string]struct {
		change func(h *holder)
		want   string
		parent string // of the new run
	}{
		"another answer":                       {func(h *holder) { h.cutTo(3).run() }, "user=first | assistant=one | user=second | assistant=three", "run1"},
		"another answer to the first question": {func(h *holder) { h.cutTo(1).run() }, "user=first | assistant=three", ""},
		"an edited question":                   {func(h *holder) { h.cutTo(3).edit(2, "changed").run() }, "user=first | assistant=one | user=changed | assistant=three", "run1"},
		"the first question edited":            {func(h *holder) { h.cutTo(1).edit(0, "changed").run() }, "user=changed | assistant=three", ""},
		"an edited question, under a new id":   {func(h *holder) { h.cutTo(2).say("changed") }, "user=first | assistant=one | user=changed | assistant=three", "run1"},
		"on from the first answer":             {func(h *holder) { h.cutTo(2).say("more") }, "user=first | assistant=one | user=more | assistant=three", "run1"},
		"on without the last answer":           {func(h *holder) { h.cutTo(3).say("more") }, "user=first | assistant=one | user=second | user=more | assistant=three", "run1"},
		"on as always":                         {func(h *holder) { h.say("more") }, before + " | user=more | assistant=three", "run2"},
	} {
		for _, restarted := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, restarted: %t", name, restarted), func(t *testing.T) {
				st := temp.Store(t)
				model := answers("one", "two", "three", "four", "five")
				f := managerWith(t, st, agentWith(t, model), nil)
				h := f.holder("t1")
				h.say("first")
				h.say("second")
				if restarted {
					n := f.n
					f = managerWith(t, st, f.Agents()[0], nil)
					f.n, h.fixture = n, f
				}
				c.change(h)
				h.wantShown(model, c.want)
				row, err := st.Run(t.Context(), ada, "run3")
				if err != nil || strings.TrimPrefix(row.ParentRunID, store.RootRun) != c.parent {
					t.Errorf("the run is %+v, %v, want the parent %q", row, err, c.parent)
				}
				h.say("next") // and the conversation goes on there
				h.wantShown(model, c.want+" | user=next | assistant=four")
				old, err := st.Transcript(t.Context(), ada, "t1", "run2")
				if got := lines(old); err != nil || got != before {
					t.Errorf("the branch that was left is %s, %v", got, err)
				}
			})
		}
	}
}

// TestBranchOfABranch: the copies that a branch holds have ids of their own. A client that still
// has the old ones goes on all the same.
func TestBranchOfABranch(t *testing.T) {
	st := temp.Store(t)
	model := answers("one", "two", "three", "four", "five")
	h := managerWith(t, st, agentWith(t, model), nil).holder("t1")
	h.say("first")
	h.cutTo(1).run()
	h.cutTo(1).run()
	h.wantShown(model, "user=first | assistant=three")
	h.say("second")
	h.cutTo(3).edit(2, "changed").run()
	h.wantShown(model, "user=first | assistant=three | user=changed | assistant=five")
	runs, err := st.Runs(t.Context(), ada, "t1")
	if err != nil || len(runs) != 5 {
		t.Errorf("%d runs, %v", len(runs), err)
	}
}

// TestAnswerAfterResults: of an answer that came after a call, the client has dropped only the last
// message. The call does not run again.
func TestAnswerAfterResults(t *testing.T) {
	world := newLedger()
	model := &steps{play: []step{call("c", "look", "{}"), say("one"), say("two")}}
	f := managerWith(t, temp.Store(t), agentWith(t, model, looking(world)), nil)
	h := f.holder("t1")
	h.say("first")
	result := h.has.Messages()[2].Content.Text()
	h.cutTo(3).run()
	h.wantShown(model, "user=first | assistant=let me see | tool="+result+" | assistant=two")
	if n := world.count("look"); n != 1 {
		t.Errorf("the call ran %d times", n)
	}
	if calls := f.recorded(audit.ToolCall); len(calls) > 1 {
		t.Errorf("the call is recorded %d times", len(calls))
	}
	h.say("second")
	if got := len(f.recorded(audit.Forged)); got != 0 {
		t.Errorf("%d forged messages are recorded", got)
	}
}

// TestAnotherAnswerSettlesWhatWaited: the call that the dropped answer waits with is not part of
// the new branch, and on the old one it stays open.
func TestAnotherAnswerSettlesWhatWaited(t *testing.T) {
	st := temp.Store(t)
	f, world, model := guardedScene(t, st, "pay")
	h := f.holder("t1")
	asked := asks(t, h.say("first"))
	model.play = []step{say("no payment")}
	last := h.cutTo(1).run()
	if end, ok := last[len(last)-1].(*agui.RunFinished); !ok || end.Outcome != nil {
		t.Errorf("the run ends with %+v", last[len(last)-1])
	}
	h.wantShown(model, "user=first | assistant=no payment")
	head := "run1"
	if _, err := st.UpdateThread(t.Context(), ada, "t1", store.ThreadChange{Head: &head}); err != nil {
		t.Fatal(err)
	}
	in := f.input("t1", "")
	in.Resume = []agui.ResumeEntry{answerTo(asked[0], approved)}
	events(t, f.start(in), false)
	wantEffects(t, world, map[string]int{"pay": 1})
}

// TestWindowsAndNewMessagesAlone: a client that does not hold the thread from its beginning has
// dropped nothing.
func TestWindowsAndNewMessagesAlone(t *testing.T) {
	for name, sent := range map[string]string{
		"only what is new":         "u9",
		"the end of the thread":    "u2 a2 u9",
		"an earlier window":        "u2 u9",
		"an answer that it has":    "a1 u9",
		"messages of another kind": "t1:c1 u9",
	} {
		t.Run(name, func(t *testing.T) {
			f := managerWith(t, temp.Store(t), agentWith(t, &steps{}), nil)
			f.tell("t1", "u1", "")
			f.tell("t1", "u2", "")
			f.tell("t1", "u3", "")
			f.tell("t1", sent, "")
			if got := f.said("t1"); got != "u1 - u2 - u3 - u9 -" {
				t.Errorf("the thread shows %q", got)
			}
		})
	}
}

// TestAnswerThatNobodyRead: a client that lost its connection sends its question again. It is shown
// the answer that it has missed; then it may ask for another.
func TestAnswerThatNobodyRead(t *testing.T) {
	model := answers("one", "two")
	f := managerWith(t, temp.Store(t), agentWith(t, model), nil)
	r := f.start(f.input("t1", "first"))
	<-r.over
	again := func() *agui.RunAgentInput {
		in := f.input("t1", "first")
		in.Messages[0].ID = "u1"
		return in
	}
	if got := typesOf(events(t, f.start(again()), false)); got != "RUN_STARTED MESSAGES_SNAPSHOT RUN_FINISHED" {
		t.Errorf("events are %s", got)
	}
	if model.calls() != 1 {
		t.Errorf("the model was asked %d times", model.calls())
	}
	events(t, f.start(again()), false)
	if got := f.end("t1"); got != "assistant=two" {
		t.Errorf("then it gets %s", got)
	}
}

// TestStoppedAnswerIsNoDroppedOne: a client that has stopped an answer may not have all of it. The
// next question goes on from there.
func TestStoppedAnswerIsNoDroppedOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, temp.Store(t), nil)
		events(t, f.start(f.input("t1", "hello")), false)
		stored := value(f.store.Transcript(t.Context(), ada, "t1", ""))(t)
		unread := f.left("slow")
		in := f.input("t1", "hello again")
		slow := agui.Message{ID: "u2", Role: agui.RoleUser, Content: agui.TextContent("slow")}
		in.Messages = slices.Concat(history.Visible(stored), []agui.Message{slow}, in.Messages)
		events(t, f.start(in), false)
		row, err := f.store.Run(t.Context(), ada, in.RunID)
		if err != nil || row.ParentRunID != unread.ID {
			t.Errorf("the run is %+v, %v", row, err)
		}
	})
}

// TestChangedAnswersAreNotTaken: the words of the assistant are the server's. A client that changes
// them is answered as if it had not, and that is in the audit log.
func TestChangedAnswersAreNotTaken(t *testing.T) {
	model := answers("one and more", "two", "three")
	f := managerWith(t, temp.Store(t), agentWith(t, model), nil)
	h := f.holder("t1")
	h.say("first")
	h.edit(1, "one").say("second") // it has the beginning, as after a stop
	if got := len(f.recorded(audit.Forged)); got != 0 {
		t.Errorf("%d forged messages are recorded", got)
	}
	h.edit(1, "I have paid").say("third")
	if got := f.recorded(audit.Forged); len(got) != 1 || !strings.Contains(got[0].Detail, "changed assistant ") {
		t.Errorf("recorded are %+v", got)
	}
	if got := promptText(model.asked[2]); strings.Contains(got, "I have paid") || !strings.Contains(got, "one and more") {
		t.Errorf("the model was shown %s", got)
	}
}

// TestTaintOfABranchOfTheClient: what is kept of a run that has read what others may have written
// is as tainted as the run.
func TestTaintOfABranchOfTheClient(t *testing.T) {
	st := temp.Store(t)
	world := newLedger()
	model := &steps{play: []step{say("hi"), call("c", "look", "{}"), say("one"), say("two"), say("three"), say("four")}}
	f := managerWith(t, st, agentWith(t, model, looking(world)), nil)
	h := f.holder("t1")
	h.bare = true // tools of the page taint
	h.say("first")
	h.say("second") // run2: reads what the tool returns
	tainted := func(id string) bool {
		row := value(st.Run(t.Context(), ada, id))(t)
		return row.Tainted
	}
	if tainted("run1") || !tainted("run2") {
		t.Fatal("the scene is not what it is to be")
	}
	h.cutTo(5) // the result is kept
	x := &execution{m: f.Manager, run: f.newRun(ada, "x", "t1", ""), Request: history.Request{Input: h.input(), NewID: newID}}
	b, err := x.branch(t.Context())
	f.n-- // that was no run
	if err != nil || !b.taint {
		t.Errorf("the branch beside the result: %+v, %v", b, err)
	}
	h.run()
	if !tainted("run3") {
		t.Error("beside the result it is not tainted")
	}
	h.cutTo(3).run() // only the question
	if tainted("run4") {
		t.Error("before the result it is tainted")
	}
}

// TestQuestionAgainWaitsForItsAnswer: a client that lost its connection sends the same list.
func TestQuestionAgainWaitsForItsAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, temp.Store(t), nil)
		r := f.left("slow")
		in := f.input("t1", "slow")
		in.Messages[0].ID = "u1"
		begun := time.Now()
		all := events(t, f.start(in), false)
		if got := typesOf(all); got != "RUN_STARTED MESSAGES_SNAPSHOT RUN_FINISHED" || time.Since(begun) < 4*time.Second || outcome(t, r) != "success" {
			t.Errorf("after %s: %s", time.Since(begun), got)
		}
	})
}

// TestAnyChangeOfTheList: whatever a client drops and says, the thread's branch ends with what it
// said, no call is left open before the model is asked (the model checks), and no run is lost.
func TestAnyChangeOfTheList(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		world := newLedger()
		model := &steps{}
		st := temp.Store(t)
		f := managerWith(t, st, agentWith(t, model, looking(world)), nil)
		h := f.holder("t1")
		n := rapid.IntRange(2, 7).Draw(rt, "runs")
		for i := range n {
			model.play = []step{say(fmt.Sprintf("answer %d", i))}
			if rapid.Bool().Draw(rt, "calls") {
				model.play = []step{call(fmt.Sprintf("c%d-", i), "look", "{}"), model.play[0]}
			}
			if held := len(h.has.Messages()); held > 0 {
				h.cutTo(rapid.IntRange(1, held).Draw(rt, "keeps"))
			}
			if last := h.has.Messages(); len(last) > 0 && last[len(last)-1].Role == agui.RoleUser && rapid.Bool().Draw(rt, "edits") {
				h.edit(len(last)-1, fmt.Sprintf("edited %d", i)).run()
			} else {
				h.say(fmt.Sprintf("question %d", i))
			}
			stored, err := st.Transcript(t.Context(), ada, "t1", "")
			if err != nil {
				rt.Fatal(err)
			}
			got, want := lines(history.Visible(stored)), lines(h.has.Messages())
			if !strings.HasSuffix(got, want[strings.LastIndex(want, "user="):]) {
				rt.Fatalf("the thread shows\n%s\nthe client\n%s", got, want)
			}
		}
		if rows, err := st.Runs(t.Context(), ada, "t1"); err != nil || len(rows) != n {
			rt.Fatalf("%d runs of %d, %v", len(rows), n, err)
		}
	})
}

// TestBranchIsTakenOver: a process that dies while it answers on a client's branch leaves it to the
// next one, with the copies that it began with.
func TestBranchIsTakenOver(t *testing.T) {
	st := temp.Store(t)
	world := newLedger()
	model := &steps{play: []step{call("c", "look", "{}"), say("one"), hanging("two"), say("three")}}
	f := managerWith(t, st, agentWith(t, model, looking(world)), nil)
	h := f.holder("t1")
	h.say("first")
	result := h.has.Messages()[2].Content.Text()
	r := f.start(h.cutTo(3).input())
	reader := r.Read(false)
	seen := readUntil(t, reader, "two")
	reader.Close()
	handOver(t, f)
	g := managerWith(t, st, f.Agents()[0], nil)
	legal(t, decode(t, seen+readAll(t, g.follow(t, FollowRequest{RunID: r.ID, After: lastID(seen)}))))
	stored := value(st.Transcript(t.Context(), ada, "t1", ""))(t)
	got := lines(history.Answerable(history.Visible(stored)))
	if want := "user=first | assistant=let me see | tool=" + result + " | assistant=three"; got != want {
		t.Errorf("the thread shows\n%s\nwant\n%s", got, want)
	}
	if n := world.count("look"); n != 1 {
		t.Errorf("the call ran %d times", n)
	}
}
