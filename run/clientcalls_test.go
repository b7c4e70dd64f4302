package run

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/run/history"
	"github.com/pageside/pageside/store/storetest/temp"
)

// clicks are the messages that AG-UI's A2UI middleware appends for a click on a surface.
func clicks(callID, tool, result string) []agui.Message {
	return []agui.Message{
		{ID: "made-" + callID, Role: agui.RoleAssistant, Content: agui.TextContent(""), ToolCalls: []agui.ToolCall{{ID: callID, Name: tool, Arguments: `{"name":"book"}`}}},
		{ID: "told-" + callID, Role: agui.RoleTool, ToolCallID: callID, Content: agui.TextContent(result)},
	}
}

// click runs with what the client has and messages that its middleware appends: the client itself
// does not keep them.
func (h *holder) click(appended ...agui.Message) []agui.Event {
	h.t.Helper()
	in := h.input()
	in.Messages = append(in.Messages, appended...)
	all := events(h.t, h.start(in), false)
	legal(h.t, all)
	for _, e := range all {
		if err := h.has.Apply(e); err != nil {
			h.t.Fatal(err)
		}
	}
	return all
}

func (h *holder) wantStored(want string) {
	h.t.Helper()
	stored, err := h.store.Transcript(h.t.Context(), ada, h.thread, "")
	if err != nil {
		h.t.Fatal(err)
	}
	if got := lines(history.Visible(stored)); got != want {
		h.t.Errorf("the thread has\n%s\nwant\n%s", got, want)
	}
}

// TestCallsThatAClientMakes: a click on a surface, which a middleware of the client reports as a
// call and its result, is kept as the client's word, shown to the model, and answered.
func TestCallsThatAClientMakes(t *testing.T) {
	st := temp.Store(t)
	model := answers("one", "two", "three", "four")
	f := managerWith(t, st, agentWith(t, model), nil)
	h := f.holder("t1")
	h.say("first")
	h.click(clicks("k1", "log_a2ui_event", "The user clicked book.")...)
	h.wantStored("user=first | assistant=one | assistant= | tool=The user clicked book. | assistant=two")
	if got := promptText(model.asked[1]); !strings.Contains(got, "log_a2ui_event") || !strings.Contains(got, "The user clicked book.") {
		t.Errorf("the model was shown %s", got)
	}
	stored := value(st.Transcript(t.Context(), ada, "t1", ""))(t)
	for _, msg := range history.Visible(stored)[2:4] {
		if own, _ := agui.ReadMetadata(msg.Metadata); !own.Imported {
			t.Errorf("%s %s is not marked as the client's", msg.Role, msg.ID)
		}
	}
	if row, err := st.Run(t.Context(), ada, "run2"); err != nil || !row.Tainted {
		t.Errorf("the run is %+v, %v, want it tainted", row, err)
	}
	h.click(clicks("k2", "log_a2ui_event", "The user clicked again.")...)
	h.say("and now") // the client has never had the calls
	h.wantStored("user=first | assistant=one | assistant= | tool=The user clicked book. | assistant=two" +
		" | assistant= | tool=The user clicked again. | assistant=three | user=and now | assistant=four")
	if got := f.recorded(audit.Forged); len(got) != 0 {
		t.Errorf("forged messages are recorded: %+v", got)
	}
}

// TestCallsThatAClientMakesOnItsBranch: the click is answered on the branch that the client shows.
func TestCallsThatAClientMakesOnItsBranch(t *testing.T) {
	model := answers("one", "two", "three")
	h := managerWith(t, temp.Store(t), agentWith(t, model), nil).holder("t1")
	h.say("first")
	h.say("second")
	h.cutTo(2).click(clicks("k1", "log_a2ui_event", "The user clicked.")...)
	h.wantStored("user=first | assistant=one | assistant= | tool=The user clicked. | assistant=three")
}

// TestCallsThatAClientMakesWhileOthersWait: a click goes on with the conversation, as a message of
// the user does. It approves nothing.
func TestCallsThatAClientMakesWhileOthersWait(t *testing.T) {
	f, world, _ := guardedScene(t, temp.Store(t), "pay", "paint")
	h := f.holder("t1")
	asks(t, h.say("pay and paint"))
	h.click(clicks("k1", "log_a2ui_event", "yes")...)
	wantEffects(t, world, nil)
	if got := f.thread("t1"); strings.Count(got, "the user sent a new message") != 2 || f.end("t1") != "assistant=done" {
		t.Errorf("thread is %q", got)
	}
}

// TestCallsThatAClientMakesAgain: who clicks the same button ten times is no model in a loop.
func TestCallsThatAClientMakesAgain(t *testing.T) {
	model := answers("counted")
	h := managerWith(t, temp.Store(t), agentWith(t, model), nil).holder("t1")
	h.say("a counter, please")
	for i := range 10 {
		model.mu.Lock()
		model.play = []step{say("counted")}
		model.mu.Unlock()
		all := h.click(clicks(fmt.Sprint("k", i), "log_a2ui_event", "The user clicked plus.")...)
		if end, ok := all[len(all)-1].(*agui.RunFinished); !ok {
			t.Fatalf("click %d ends with %+v", i, end)
		}
	}
	if got := model.asked[len(model.asked)-1]; len(model.asked) != 11 || got.Choice != llm.ChoiceAuto {
		t.Errorf("the model was asked %d times, at last with the choice %q", len(model.asked), got.Choice)
	}
}
