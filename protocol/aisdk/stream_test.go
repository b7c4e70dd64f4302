package aisdk

import (
	"encoding/json"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run"
)

// TestAResumedAnswerHasItsEarlierRuns: the client begins the message anew, so what came before the
// run that goes on is repeated, once.
func TestAResumedAnswerHasItsEarlierRuns(t *testing.T) {
	s := resumedStream()
	before := []agui.Message{
		{ID: "u1", Role: agui.RoleUser, Content: agui.TextContent("hello")},
		{ID: "a1", Role: agui.RoleAssistant, Content: agui.TextContent("Hello.")},
		{ID: "u2", Role: agui.RoleUser, Content: agui.TextContent("mix")},
		{ID: "r2", Role: agui.RoleReasoning, Content: agui.TextContent("Hm.")},
		{ID: "a2", Role: agui.RoleAssistant, Content: agui.TextContent("Pick."), ToolCalls: []agui.ToolCall{{ID: "c1", Name: "count", Arguments: `{"n":1}`}, {ID: "c2", Name: "pick"}}},
		{ID: "t1", Role: agui.RoleTool, ToolCallID: "c1", Content: agui.TextContent("18")},
		{ID: "d1", Role: agui.RoleActivity, ActivityType: "tally", Activity: json.RawMessage(`{"of":"x"}`)},
		{ID: "t2", Role: agui.RoleTool, ToolCallID: "c2", Content: agui.TextContent(`{"error":{"message":"nothing picked"}}`)},
	}
	play(t, s, []agui.Event{
		&agui.RunStarted{ThreadID: "c", RunID: "snapshot", ProtocolVersion: agui.ProtocolVersion},
		&agui.MessagesSnapshot{Messages: before},
		&agui.RunFinished{ThreadID: "c", RunID: "snapshot"},
		&agui.RunStarted{ThreadID: "c", RunID: "r", ProtocolVersion: agui.ProtocolVersion},
		&agui.TextMessageStart{MessageID: "a3"},
		&agui.TextMessageContent{MessageID: "a3", Delta: "Done."},
		&agui.TextMessageEnd{MessageID: "a3"},
		&agui.RunFinished{ThreadID: "c", RunID: "r"},
	}, []string{
		`start r2`, `start-step`, `reasoning-start r2`, `reasoning-delta r2 Hm.`, `reasoning-end r2`, `text-start a2`, `text-delta a2 Pick.`, `text-end a2`,
		`tool-input-start c1`, `tool-input-delta c1`, `tool-input-start c2`, `tool-input-delta c2`, `tool-input-available c1 {"n":1} true`, `tool-output-available c1 "18"`,
		`data-tally d1 {"of":"x"}`, `tool-input-available c2 {} true`, `tool-output-error c2 nothing picked`,
		`finish-step`, `start-step`, `text-start a3`, `text-delta a3 Done.`, `text-end a3`, `finish-step`, `finish stop`, `[DONE]`,
	})
}

// TestACallThatWaitsIsHandedOutAtTheEnd, and to no other client: a resumed stream does not know the
// client's tools.
func TestACallThatWaitsIsHandedOutAtTheEnd(t *testing.T) {
	s := resumedStream()
	s.replay = false
	play(t, s, []agui.Event{
		&agui.RunStarted{ThreadID: "c", RunID: "r", ProtocolVersion: agui.ProtocolVersion},
		&agui.ToolCallStart{ToolCallID: "c1", ToolCallName: "pick", ParentMessageID: "a1"},
		&agui.ToolCallArgs{ToolCallID: "c1", Delta: "{}"},
		&agui.ToolCallEnd{ToolCallID: "c1"},
		&agui.RunFinished{ThreadID: "c", RunID: "r", Outcome: &agui.Outcome{Type: agui.OutcomeSuccess, PendingToolCallIDs: []string{"c1"}}},
	}, []string{`start a1`, `start-step`, `tool-input-start c1`, `tool-input-delta c1`, `tool-input-available c1 {} false`, `finish-step`, `finish tool-calls`, `[DONE]`})
}

// TestAnApprovedCallOfThePage: before it is approved, the client sees a call that it must not run;
// then it is the client's, in the same part.
func TestAnApprovedCallOfThePage(t *testing.T) {
	asked := agui.CallMark{Tool: "change", Args: json.RawMessage(`{"n":1}`)}
	fresh := &stream{tools: map[string]bool{"change": true}, held: map[string]bool{}, shown: map[string]bool{}}
	play(t, fresh, []agui.Event{
		&agui.RunStarted{ThreadID: "c", RunID: "r", ProtocolVersion: agui.ProtocolVersion},
		&agui.TextMessageContent{MessageID: "a1", Delta: "May I?"},
		&agui.RunFinished{ThreadID: "c", RunID: "r", Outcome: &agui.Outcome{Type: agui.OutcomeInterrupt, Interrupts: []agui.Interrupt{
			{ID: "i1", Reason: "tool_call", ToolCallID: "c1", Metadata: asked.JSON()}, {ID: "i2", Reason: "input_required", Message: "Which?"}}}},
	}, []string{`start a1`, `start-step`, `text-start a1`, `text-delta a1 May I?`, `text-end a1`, `tool-input-available c1 {"n":1} true`, `tool-approval-request c1 i1`,
		`data-pageside_interrupt i2 {"id":"i2","reason":"input_required","message":"Which?"}`, `finish-step`, `finish tool-calls`, `[DONE]`})
	approved := &stream{id: "a1", continues: true, tools: map[string]bool{"change": true}, held: map[string]bool{"c1": true}, denied: map[string]bool{"c1": false}, shown: map[string]bool{}}
	play(t, approved, []agui.Event{
		&agui.RunStarted{ThreadID: "c", RunID: "r", ProtocolVersion: agui.ProtocolVersion},
		&agui.ToolCallStart{ToolCallID: "c1", ToolCallName: "change", ParentMessageID: "a2"},
		&agui.ToolCallArgs{ToolCallID: "c1", Delta: `{"n":1}`},
		&agui.ToolCallEnd{ToolCallID: "c1"},
		&agui.RunFinished{ThreadID: "c", RunID: "r", Outcome: &agui.Outcome{Type: agui.OutcomeSuccess, PendingToolCallIDs: []string{"c1"}}},
	}, []string{`start a1`, `tool-input-available c1 {"n":1} false`, `finish tool-calls`, `[DONE]`})
}

// TestAnAnswerThatOnlyWaits: a call that the page has not been given is all that there is of it, in
// the stream and in the history.
func TestAnAnswerThatOnlyWaits(t *testing.T) {
	asked := agui.CallMark{Tool: "change", Args: json.RawMessage(`{"n":1}`)}
	waits := &agui.Outcome{Type: agui.OutcomeInterrupt, Interrupts: []agui.Interrupt{{ID: "i1", Reason: "tool_call", ToolCallID: "c1", Metadata: asked.JSON()}}}
	play(t, &stream{shown: map[string]bool{}}, []agui.Event{&agui.RunStarted{}, &agui.RunFinished{Outcome: waits}},
		[]string{`start`, `start-step`, `tool-input-available c1 {"n":1} true`, `tool-approval-request c1 i1`, `finish-step`, `finish tool-calls`, `[DONE]`})
	chat := chatOf([]agui.Message{{ID: "u1", Role: agui.RoleUser, Content: agui.TextContent("change")}}, waits)
	if len(chat) != 2 || chat[1].ID != "i1" || len(chat[1].Parts) != 2 || chat[1].Parts[1].Approval.ID != "i1" || string(chat[1].Parts[1].Input) != `{"n":1}` {
		t.Errorf("the history is %+v", chat)
	}
}

// TestCallsOfAHistory: each is a part of its own, also if the model uses an id again, and one that
// led nowhere is nobody's to run.
func TestCallsOfAHistory(t *testing.T) {
	call := func(id string) []agui.ToolCall { return []agui.ToolCall{{ID: id, Name: "count"}} }
	chat := chatOf([]agui.Message{
		{ID: "a1", Role: agui.RoleAssistant, ToolCalls: call("k")},
		{ID: "t1", Role: agui.RoleTool, ToolCallID: "k", Content: agui.TextContent("1")},
		{ID: "a2", Role: agui.RoleAssistant, ToolCalls: call("k")},
		{ID: "t2", Role: agui.RoleTool, ToolCallID: "k", Content: agui.TextContent("2")},
		{ID: "a3", Role: agui.RoleAssistant, ToolCalls: call("l")},
	}, nil)
	var got []string
	for _, p := range chat[0].Parts {
		got = append(got, strings.TrimSpace(p.Type+" "+p.State+" "+string(p.Output)))
		if p.isTool() && !p.ProviderExecuted {
			t.Errorf("%+v is the client's", p)
		}
	}
	want := []string{`step-start`, `tool-count output-available "1"`, `step-start`, `tool-count output-available "2"`, `step-start`, `tool-count input-available`}
	if len(chat) != 1 || !slices.Equal(got, want) {
		t.Errorf("the history is %q, want %q", got, want)
	}
}

// play checks the chunks of a stream, in short.
func play(t *testing.T, s *stream, events []agui.Event, want []string) {
	t.Helper()
	var got []string
	for _, e := range events {
		for line := range strings.Lines(string(s.translate(run.Event{Event: e}))) {
			if data, is := strings.CutPrefix(strings.TrimSpace(line), "data: "); is {
				got = append(got, short(t, data))
			}
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the stream is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func short(t *testing.T, data string) string {
	t.Helper()
	if data == "[DONE]" {
		return data
	}
	var c chunk
	if err := json.Unmarshal([]byte(data), &c); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	all := []string{c.Type}
	for _, s := range []string{c.ID, c.MessageID, c.ToolCallID, c.Delta, c.ApprovalID, string(c.Input), string(c.Output), string(c.Data), c.ErrorText, c.FinishReason} {
		if s != "" {
			all = append(all, s)
		}
	}
	if c.Type == "tool-input-available" {
		all = append(all, map[bool]string{true: "true", false: "false"}[*c.ProviderExecuted])
	}
	return strings.Join(all, " ")
}

// FuzzRequest: no message makes the conversion fail in another way than with an error.
func FuzzRequest(f *testing.F) {
	f.Add(`{"id":"a","role":"assistant","parts":[{"type":"text","text":"x","providerMetadata":{"pageside":{"messageId":"m"}}},{"type":"tool-x","toolCallId":"c","state":"output-error","errorText":"e"}]}`)
	f.Add(`{"id":"a","role":"assistant","parts":[{"type":"dynamic-tool","toolName":"x","toolCallId":"c","state":"approval-responded","approval":{"id":"i","approved":true}}]}`)
	f.Add(`{"id":"u","role":"user","parts":[{"type":"file","mediaType":"image/png","url":"data:;base64,"}]}`)
	f.Fuzz(func(t *testing.T, message string) {
		r := request{ID: "c", Messages: []json.RawMessage{json.RawMessage(message)}}
		in, err := r.input()
		if err != nil {
			return
		}
		for i := range r.chat {
			m := &r.chat[i]
			for _, msg := range append(imported(m), echo(m, map[string]bool{})...) {
				r.add(in, i, msg)
			}
			_, _ = contentOf("messages[0]", m)
		}
		if _, err := agui.MarshalRunAgentInput(in); err != nil && !strings.Contains(err.Error(), "messages[") {
			t.Errorf("the input cannot be encoded: %v", err)
		}
	})
}

// TestATextGoesOnBehindACard, and the card begins no step.
func TestATextGoesOnBehindACard(t *testing.T) {
	s := &stream{tools: map[string]bool{}, held: map[string]bool{}, shown: map[string]bool{}}
	play(t, s, []agui.Event{
		&agui.RunStarted{ThreadID: "c", RunID: "r", ProtocolVersion: agui.ProtocolVersion},
		&agui.TextMessageStart{MessageID: "a1"},
		&agui.TextMessageContent{MessageID: "a1", Delta: "Here:"},
		&agui.ActivitySnapshot{MessageID: "d1", ActivityType: "tally", Content: json.RawMessage(`{"n":1}`)},
		&agui.TextMessageContent{MessageID: "a1", Delta: "So."},
		&agui.TextMessageEnd{MessageID: "a1"},
		&agui.RunFinished{ThreadID: "c", RunID: "r"},
	}, []string{`start a1`, `start-step`, `text-start a1`, `text-delta a1 Here:`, `text-end a1`, `data-tally d1 {"n":1}`,
		`text-start a1`, `text-delta a1 So.`, `text-end a1`, `finish-step`, `finish stop`, `[DONE]`})
}

// TestOnlyResultsOfTheClientAreSentBack: the server has its own.
func TestOnlyResultsOfTheClientAreSentBack(t *testing.T) {
	m := &uiMessage{ID: "a1", Role: agui.RoleAssistant, Parts: []part{
		{Type: "tool-count", ToolCallID: "c1", State: outputAvailable, Output: json.RawMessage(`"18"`), ProviderExecuted: true, CallProviderMetadata: from("a1")},
		{Type: "tool-pick", ToolCallID: "c2", State: outputAvailable, Output: json.RawMessage(`"two"`), CallProviderMetadata: from("a1")},
	}}
	got := echo(m, map[string]bool{})
	if len(got) != 2 || got[0].ID != "a1" || got[1].ToolCallID != "c2" || got[1].Content.Text() != "two" {
		t.Errorf("the answer says %+v", got)
	}
}

// TestLongArguments: what they cost grows with their length, not with its square.
func TestLongArguments(t *testing.T) {
	const pieces = 20_000
	s := resumedStream()
	s.translate(run.Event{Event: &agui.RunStarted{ThreadID: "c", RunID: "r"}})
	s.translate(run.Event{Event: &agui.ToolCallStart{ToolCallID: "k", ToolCallName: "note"}})
	piece := run.Event{Event: &agui.ToolCallArgs{ToolCallID: "k", Delta: "1234"}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range pieces {
		s.translate(piece)
	}
	runtime.ReadMemStats(&after)
	if c := s.call("k"); c == nil || c.Arguments != strings.Repeat("1234", pieces) {
		t.Fatalf("the call is %+v", c)
	}
	if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 100 {
		t.Errorf("arguments of %d KiB took %d MiB", len("1234")*pieces>>10, used)
	}
}

// TestDeepCalls: arguments and results that are nested too deeply to be written as JSON are texts.
func TestDeepCalls(t *testing.T) {
	deep := strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000)
	s := resumedStream()
	s.replay = false
	var out string
	for _, e := range []agui.Event{
		&agui.RunStarted{ThreadID: "c", RunID: "r", ProtocolVersion: agui.ProtocolVersion},
		&agui.ToolCallStart{ToolCallID: "c1", ToolCallName: "count"},
		&agui.ToolCallArgs{ToolCallID: "c1", Delta: deep},
		&agui.ToolCallEnd{ToolCallID: "c1"},
		&agui.ToolCallResult{MessageID: "t1", ToolCallID: "c1", Content: agui.TextContent(deep)},
	} {
		out += string(s.translate(run.Event{Event: e}))
	}
	for _, want := range []string{`"input":"[`, `"output":"[`} {
		if !strings.Contains(out, want) {
			t.Errorf("%s is not in the stream", want)
		}
	}
}
