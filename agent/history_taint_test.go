package agent

import (
	"encoding/json"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
)

func called(name string) agui.Message {
	return agui.Message{ID: "a1", Role: agui.RoleAssistant, ToolCalls: []agui.ToolCall{{ID: "c1", Name: name, Arguments: "{}"}}}
}

func returned(text string) agui.Message {
	return agui.Message{ID: "m1", Role: agui.RoleTool, ToolCallID: "c1", Content: agui.TextContent(text)}
}

// TestResultsInTheHistoryTaint: whatever the caller knows of the branch.
func TestResultsInTheHistoryTaint(t *testing.T) {
	for _, name := range []string{"save", "paint", "ask_user"} { // ask_user is not offered here
		wantTaint(t, Input{History: []agui.Message{called(name), returned("EVIL")}}, true)
	}
}

// TestBackendCallsAreNotTheClients: an open call of a backend tool is not given to the client,
// whose result would be taken for the tool's. It ends as one that never began.
func TestBackendCallsAreNotTheClients(t *testing.T) {
	for _, after := range []*Crash{nil, {}} {
		model := &fakeModel{steps: [][]fakePart{textStep("Done.")}}
		a := taintedAt(t, model)
		in := Input{ThreadID: "t1", RunID: "r1", History: []agui.Message{{ID: "u1", Role: agui.RoleUser, Content: agui.TextContent("Go")}, called("save")},
			Crash: after, Journal: &fakeJournal{model: model}}
		out := newRecorder(in.History)
		outcome, err := a.Run(t.Context(), in, out)
		if err != nil || len(outcome.Pending) > 0 || len(outcome.Interrupts) > 0 {
			t.Fatalf("after a crash: %t: it waits for %+v, %v", after != nil, outcome, err)
		}
		var asked []llm.Message
		if len(model.requests) == 1 {
			asked = model.requests[0].Messages
		}
		last, _ := json.Marshal(out.lines)
		if len(asked) == 0 || !containsResult(asked, "c1") {
			t.Errorf("after a crash: %t: the call has no result: %s", after != nil, last)
		}
	}
}

func containsResult(messages []llm.Message, id string) bool {
	for _, m := range messages {
		for _, c := range m.Content {
			if r, ok := c.(llm.ToolResult); ok && r.ID == id {
				return true
			}
		}
	}
	return false
}
