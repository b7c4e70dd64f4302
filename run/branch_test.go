package run

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/run/history"
	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/must"
)

// tell starts a run with messages in short hand, and reads it to its end.
func (f *fixture) tell(thread, short, forwarded string) []agui.Event {
	f.t.Helper()
	in := f.input(thread, "")
	in.Messages = messages(short)
	if forwarded != "" {
		in.ForwardedProps = rawJSON(`{"pageside":` + forwarded + `}`)
	}
	return events(f.t, f.start(in), false)
}

// messages reads messages in short hand: "u1 a1(c1,c2) t1:c1" are a user message, an assistant
// message with two calls, and a result.
func messages(short string) (all []agui.Message) {
	roles := map[byte]string{'u': agui.RoleUser, 'a': agui.RoleAssistant, 't': agui.RoleTool}
	for word := range strings.FieldsSeq(short) {
		id, calls, _ := strings.Cut(strings.TrimSuffix(word, ")"), "(")
		id, callID, _ := strings.Cut(id, ":")
		m := agui.Message{ID: id, Role: roles[word[0]], ToolCallID: callID, Content: agui.TextContent("text of " + word)}
		for call := range strings.SplitSeq(calls, ",") {
			if call != "" {
				m.ToolCalls = append(m.ToolCalls, agui.ToolCall{ID: call, Name: "tool", Arguments: "{}"})
			}
		}
		all = append(all, m)
	}
	return all
}

// TestPayloadStatusWhileTheRunIsLive: the card can be decided about as soon as it is seen.
func TestPayloadStatusWhileTheRunIsLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, temp.Store(t), nil)
		r := f.start(f.input("t1", "slow"))
		time.Sleep(2500 * time.Millisecond)
		e := &agui.ActivitySnapshot{MessageID: "card1", ActivityType: "proposal", Content: rawJSON(`{"a":1}`)}
		e.Metadata = rawJSON(`{"pageside":{"source":"llm","status":"open"}}`)
		must.Do(t, r.w.Emit(e))
		must.Do(t, f.SetPayloadStatus(t.Context(), ada, "t1", "card1", "accepted"))
		// The agent, which knows nothing of that, hangs suggestions on the card.
		again := &agui.ActivityDelta{MessageID: "card1", ActivityType: "proposal", Patch: rawJSON(`[]`)}
		again.Metadata = rawJSON(`{"pageside":{"source":"llm","status":"open","suggestedValues":[]}}`)
		must.Do(t, r.w.Emit(again))
		wantCode(t, f.SetPayloadStatus(t.Context(), ada, "t1", "card2", "accepted"), refusal.NotFound)
		all := events(t, r, false)
		legal(t, all)
		stored := must.Get(f.store.Transcript(t.Context(), ada, "t1", ""))(t)
		for _, m := range stored {
			if m.ID == "card1" && (history.PayloadStatus(&m) != "accepted" || string(m.Activity) != `{"a":1}`) {
				t.Errorf("the card is %s %s", m.Activity, m.Metadata)
			}
		}
		f.Drain(t.Context())
	})
}

func systemText(r *llm.Request) string {
	var b strings.Builder
	for _, block := range r.System {
		b.WriteString(block.Text + "\n")
	}
	return b.String()
}
