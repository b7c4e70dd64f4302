package run

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run/history"
	"github.com/pageside/pageside/store/storetest/faulty"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/must"
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
		must.Do(h.t, h.has.Apply(e))
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

func looking(world *ledger) *tool.Tool {
	return world.tool("look", tool.Read, faulty.NewMortal(nil), "")
}

// TestAnyChangeOfTheList: whatever a client drops and says, the thread's branch ends with what it
// said, no call is left open before the model is candidate (the model checks), and no run is lost.
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
			stored := must.Get(st.Transcript(t.Context(), ada, "t1", ""))(rt)
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

// TestTaintOfABranchOfTheClient: what is kept of a run that has read what others may have written
// is as tainted as the run, whatever else on the branch is.
func TestTaintOfABranchOfTheClient(t *testing.T) {
	model := &steps{play: []step{say("hi"), call("c", "look", "{}"), say("one")}}
	f := managerWith(t, temp.Store(t), agentWith(t, model, looking(newLedger())), nil)
	h := f.holder("t1")
	h.bare = true // tools of the page taint
	h.say("first")
	h.say("second") // reads what the tool returns
	h.cutTo(5)      // the result is kept
	input := history.Request{Input: h.input(), NewID: newID}
	x := &candidate{m: f.Manager, run: f.newRun(ada, "x", "t1", ""), Request: input}
	if b, err := x.branch(t.Context()); err != nil || !b.taint {
		t.Errorf("the branch beside the result: %+v, %v", b, err)
	}
}
