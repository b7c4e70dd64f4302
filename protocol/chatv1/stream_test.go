package chatv1

import (
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run"
)

// TestWhatIsLeftOfAnOldAnswer: once the events of a run are gone, a client that comes back gets the
// end, made from the thread's snapshot.
func TestWhatIsLeftOfAnOldAnswer(t *testing.T) {
	s := &stream{conversation: 7, after: "r:1.3"}
	var got strings.Builder
	for _, e := range []agui.Event{
		&agui.RunStarted{ThreadID: "chat-7", RunID: "r", ProtocolVersion: agui.ProtocolVersion},
		&agui.MessagesSnapshot{Messages: []agui.Message{
			{ID: "u1", Role: agui.RoleUser, Content: agui.TextContent("hello")},
			{ID: "a1", Role: agui.RoleAssistant, Content: agui.TextContent("Hello.")},
			{ID: "u2", Role: agui.RoleUser, Content: agui.TextContent("count")},
			{ID: "a2", Role: agui.RoleAssistant, Content: agui.TextContent("Let me count."), ToolCalls: []agui.ToolCall{{ID: "c", Name: "count", Arguments: "not JSON"}}},
			{ID: "t2", Role: agui.RoleTool, ToolCallID: "c", Content: agui.TextContent("18")},
			{ID: "a3", Role: agui.RoleAssistant, Content: agui.TextContent("There are 18.")},
		}},
		&agui.RunFinished{ThreadID: "chat-7", RunID: "r"},
	} {
		got.Write(s.translate(run.Event{ID: "r:1.9", Event: e}))
	}
	want := "id: r:1.9\n" + `data: {"type":"complete","payload":{"message":"Let me count.\n\nThere are 18.",` +
		`"tool_history":[{"tool_name":"count","input":"not JSON","output":"18"}],"conversation_id":7}}` + "\n\n"
	if got.String() != want {
		t.Errorf("got  %s\nwant %s", got.String(), want)
	}
}

// TestNumbers: a conversation's number has one spelling, and new ones are numbers of JavaScript.
func TestNumbers(t *testing.T) {
	for range 100 {
		n := newConversation()
		if got, ok := conversationOf(threadID(n)); !ok || got != n {
			t.Fatalf("%d is read as %d, %t", n, got, ok)
		}
	}
	for _, thread := range []string{"", "7", "chat-", "chat-0", "chat-07", "chat-+7", "chat--7", "chat-7x", "chat-9007199254740992", "Chat-7"} {
		if n, ok := conversationOf(thread); ok {
			t.Errorf("%q is the conversation %d", thread, n)
		}
	}
}
