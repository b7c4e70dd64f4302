package opensearch

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run"
)

// TestQuestions: each kind of question becomes a call of the plugin's tool, and its answer one that
// the server takes.
func TestQuestions(t *testing.T) {
	tool := json.RawMessage(`{"pageside":{"tool":"ask_user","args":{"a":1}}}`)
	for name, c := range map[string]struct {
		interrupt           agui.Interrupt
		args, said, payload string
	}{
		"approval": {agui.Interrupt{Reason: "tool_call", Message: "Erases."}, `{"question":"Erases.\n\nask_user {\"a\":1}","type":"confirm","allowFreeText":false}`, "yes", `{"approved":true}`},
		"confirm":  {agui.Interrupt{Reason: "confirmation", Message: "Sure?"}, `{"question":"Sure?","type":"confirm","allowFreeText":false}`, "no", `{"answer":false}`},
		"text":     {agui.Interrupt{Reason: "input_required", Message: "Who?"}, `{"question":"Who?","type":"text","allowFreeText":false}`, "Ann", `{"answer":"Ann"}`},
		"choice": {agui.Interrupt{Reason: "input_required", Message: "Which?", ResponseSchema: json.RawMessage(`{"properties":{"answer":{"type":"string","enum":["a","b"]}}}`)},
			`{"question":"Which?","type":"select","options":["a","b"],"allowFreeText":false}`, "b", `{"answer":"b"}`},
		"choices": {agui.Interrupt{Reason: "input_required", Message: "Which?", ResponseSchema: json.RawMessage(`{"properties":{"answer":{"type":"array","items":{"enum":["a"]}}}}`)},
			`{"question":"Which?","type":"select","options":["a"],"allowFreeText":false}`, "a", `{"answer":["a"]}`},
	} {
		t.Run(name, func(t *testing.T) {
			c.interrupt.ID, c.interrupt.Metadata = "int_1", tool
			call, ok := ask(&c.interrupt)
			if !ok || call.Name != "ask_user" || call.Arguments != c.args {
				t.Fatalf("%t %+v", ok, call)
			}
			in := &agui.RunAgentInput{Messages: []agui.Message{{Role: agui.RoleTool, ToolCallID: call.ID, Content: agui.TextContent(`{"answered":true,"answer":"` + c.said + `"}`)}}}
			takeAnswers(in)
			if len(in.Messages) != 0 || len(in.Resume) != 1 || in.Resume[0].InterruptID != "int_1" || in.Resume[0].Status != agui.ResumeResolved || string(in.Resume[0].Payload) != c.payload {
				t.Errorf("%+v", in)
			}
			in = &agui.RunAgentInput{Messages: []agui.Message{{Role: agui.RoleTool, ToolCallID: call.ID, Content: agui.TextContent(`{"answered":false,"declined":true}`)}}}
			if takeAnswers(in); name == "approval" && string(in.Resume[0].Payload) != `{"approved":false}` || name != "approval" && in.Resume[0].Status != agui.ResumeCancelled {
				t.Errorf("declined: %+v", in.Resume)
			}
		})
	}
	if _, ok := ask(&agui.Interrupt{ID: "i", Reason: "tool_call", Message: "of another agent"}); ok {
		t.Error("an interrupt of any form is asked about")
	}
	in := &agui.RunAgentInput{Messages: []agui.Message{{Role: agui.RoleTool, ToolCallID: "call~1"}, {Role: agui.RoleUser, ToolCallID: "approve~1"}}}
	if takeAnswers(in); len(in.Messages) != 2 {
		t.Errorf("results of other calls are answers: %+v", in)
	}
}

// TestHeld: a call of a tool that the client has too goes out only if the client is to run it.
func TestHeld(t *testing.T) {
	s := newStream(&agui.RunAgentInput{Tools: []agui.Tool{{Name: "both"}, {Name: "ask_user"}}})
	play := func(events ...agui.Event) string {
		out := ""
		for _, e := range events {
			out += string(s.translate(run.Event{Event: e}))
		}
		return out
	}
	out := play(
		&agui.ToolCallStart{ToolCallID: "1", ToolCallName: "both"}, &agui.ToolCallEnd{ToolCallID: "1"}, &agui.ToolCallResult{MessageID: "m", ToolCallID: "1", Content: agui.TextContent("x"), Role: "tool"},
		&agui.ToolCallStart{ToolCallID: "2", ToolCallName: "both"}, &agui.ToolCallArgs{ToolCallID: "2", Delta: "{}"}, &agui.ToolCallEnd{ToolCallID: "2"},
		&agui.ReasoningStart{MessageID: "r"}, &agui.StateSnapshot{Snapshot: json.RawMessage("{}")}, &agui.StepStarted{StepName: "s"}, &agui.Custom{Name: "retrying", Value: json.RawMessage("{}")},
	)
	if out != "" {
		t.Errorf("before the end: %s", out)
	}
	if out = play(&agui.TextMessageContent{MessageID: "m", Delta: "ü🎉"}); !strings.HasPrefix(out, "data: ") || !strings.Contains(out, `"\u00fc\ud83c\udf89"`) {
		t.Errorf("not ASCII: %s", out)
	}
	out = play(&agui.RunFinished{ThreadID: "t", RunID: "r", Outcome: &agui.Outcome{Type: agui.OutcomeSuccess, PendingToolCallIDs: []string{"2"}}})
	var types []string
	for line := range strings.SplitSeq(strings.TrimSpace(out), "\n\n") {
		var e struct{ Type, ToolCallID string }
		if err := json.Unmarshal([]byte(strings.TrimPrefix(line, "data: ")), &e); err != nil {
			t.Fatal(err)
		}
		types = append(types, strings.TrimSpace(e.Type+" "+e.ToolCallID))
	}
	if got := strings.Join(types, ", "); got != "TOOL_CALL_START 2, TOOL_CALL_ARGS 2, TOOL_CALL_END 2, RUN_FINISHED" {
		t.Error(got)
	}
}

func FuzzASCII(f *testing.F) {
	f.Add("plain <&> \x00 \x7f \u2028")
	f.Add("Grüße, 漢字 and 🎉🏽")
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "?")
		in, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		out := appendASCII(nil, in)
		if strings.ContainsFunc(string(out), func(r rune) bool { return r > 0x7f }) {
			t.Errorf("%s", out)
		}
		var back string
		if err := json.Unmarshal(out, &back); err != nil || back != text {
			t.Errorf("%q became %q: %v", text, back, err)
		}
	})
}
