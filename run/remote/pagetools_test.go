package remote_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/test/must"
)

// TestRemotePageToolsRunAtOnce: a call of a tool that declares no effect goes to the page as it
// comes.
func TestRemotePageToolsRunAtOnce(t *testing.T) {
	far := newElsewhere(t, stream(whole(`{"type":"TOOL_CALL_CHUNK","toolCallId":"c1","toolCallName":"paint","delta":"{}"}`)...))
	s := newSite(t, agentAt(t, far.URL, nil))
	all := s.ask("far", "r1", user("u1", "paint"), "")
	end, ok := all[len(all)-1].(*agui.RunFinished)
	if !ok || end.Outcome == nil || !slices.Equal(end.Outcome.PendingToolCallIDs, []string{"c1"}) || len(end.Outcome.Interrupts) != 0 || !strings.Contains(typesOf(all), "TOOL_CALL_ARGS") {
		t.Errorf("the page gets %s", typesOf(all))
	}
}

// TestRemotePageTools: calls that change something are held until a person has approved them; the
// agent gets the results with the thread.
func TestRemotePageTools(t *testing.T) {
	far := newElsewhere(t, stream(whole(`{"type":"TOOL_CALL_CHUNK","toolCallId":"c1","toolCallName":"wipe","delta":"{\"colour\":"}`, `{"type":"TOOL_CALL_CHUNK","delta":"\"red\"}"}`)...))
	s := newSite(t, agentAt(t, far.URL, nil))
	all := s.ask("far", "r1", user("u1", "paint"), "")
	end, ok := all[len(all)-1].(*agui.RunFinished)
	if !ok || end.Outcome == nil || len(end.Outcome.Interrupts) != 1 || strings.Contains(typesOf(all), "TOOL_CALL") {
		t.Fatalf("before the approval the page gets %s", typesOf(all))
	}
	all = s.ask("far", "r2", "", `,"resume":[{"interruptId":"`+end.Outcome.Interrupts[0].ID+`","status":"resolved","payload":{"approved":true}}]`)
	if !strings.Contains(typesOf(all), "TOOL_CALL_START") || len(far.bodies) != 1 {
		t.Fatalf("after the approval the page gets %s, and the agent was asked %d times", typesOf(all), len(far.bodies))
	}
	far.play = stream(whole(says("a2", "It is red.")...)...)
	all = s.ask("far", "r3", `{"id":"res1","role":"tool","toolCallId":"c1","content":"painted"}`, "")
	must.Be(t, textOf(all), "It is red.", "the end is %s", typesOf(all))
	in := far.last(t)
	if last := in.Messages[len(in.Messages)-1]; last.Role != agui.RoleTool || last.Content.Text() != "painted" {
		t.Errorf("the agent gets %+v", in.Messages)
	}
}
