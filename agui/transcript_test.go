package agui

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pageside/pageside/test/must"
)

// fold applies events given as JSON lines to a transcript that starts with messages given as JSON
// lines.
func fold(t *testing.T, history, events string) *Transcript {
	t.Helper()
	var messages []Message
	for line := range strings.Lines(history) {
		m, err := UnmarshalMessage([]byte(line))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		messages = append(messages, m)
	}
	tr := NewTranscript(messages)
	apply(t, tr, events)
	return tr
}

func apply(t *testing.T, tr *Transcript, events string) {
	t.Helper()
	for line := range strings.Lines(events) {
		e, err := UnmarshalEvent([]byte(line))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if err := tr.Apply(e); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
}

func lines(t *testing.T, messages []Message) string {
	t.Helper()
	var b strings.Builder
	for _, m := range messages {
		doc := must.Get(MarshalMessage(m))(t)
		b.Write(doc)
		b.WriteByte('\n')
	}
	return b.String()
}

var folds = []struct{ name, history, events, want string }{
	{
		name: "text is appended, metadata merges key by key, an untagged role is the assistant's",
		events: `{"type":"TEXT_MESSAGE_START","messageId":"m","name":"P","subagentRunId":"s","metadata":{"a":1,"b":1}}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"Hel\"","metadata":{"b":2}}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"lo ü\n"}
{"type":"TEXT_MESSAGE_END","messageId":"m","metadata":{"c":{"d":1.0}}}`,
		want: `{"id":"m","role":"assistant","content":"Hel\"lo ü\n","name":"P","metadata":{"a":1,"b":2,"c":{"d":1.0}},"subagentRunId":"s"}`,
	}, {
		name:    "a message that is started again goes on, keeping its role",
		history: `{"id":"m","role":"user","content":"Hi\u00e9"}`,
		events: `{"type":"TEXT_MESSAGE_START","messageId":"m"}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"!"}
{"type":"TEXT_MESSAGE_END","messageId":"m"}
{"type":"TEXT_MESSAGE_START","messageId":"m"}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"?"}`,
		want: `{"id":"m","role":"user","content":"Hi\u00e9!?"}`,
	}, {
		name:    "content that is not text gives way to text",
		history: `{"id":"m","role":"user","content":[{"type":"text","text":"old"}]}`,
		events: `{"type":"TEXT_MESSAGE_START","messageId":"m"}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"new"}`,
		want: `{"id":"m","role":"user","content":"new"}`,
	}, {
		name:    "a tool call joins its parent message",
		history: `{"id":"m","role":"assistant","content":"Let me look."}`,
		events: `{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"n","parentMessageId":"m","metadata":{"x":1}}
{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{\"a\":"}
{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"1}","metadata":{"y":2}}
{"type":"TOOL_CALL_END","toolCallId":"c","metadata":{"x":3}}`,
		want: `{"id":"m","role":"assistant","content":"Let me look.","toolCalls":[{"id":"c","type":"function","function":{"name":"n","arguments":"{\"a\":1}"},"metadata":{"x":3,"y":2}}]}`,
	}, {
		name: "a tool call makes its message: with the parent's id, or its own",
		events: `{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"n","parentMessageId":"m","subagentRunId":"s"}
{"type":"TOOL_CALL_START","toolCallId":"d","toolCallName":"n","parentMessageId":"m"}
{"type":"TOOL_CALL_START","toolCallId":"e","toolCallName":"n"}
{"type":"TEXT_MESSAGE_START","messageId":"m"}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"text after"}`,
		want: `{"id":"m","role":"assistant","content":"text after","toolCalls":[{"id":"c","type":"function","function":{"name":"n","arguments":""}},{"id":"d","type":"function","function":{"name":"n","arguments":""}}],"subagentRunId":"s"}
{"id":"e","role":"assistant","toolCalls":[{"id":"e","type":"function","function":{"name":"n","arguments":""}}]}`,
	}, {
		name:    "a parent that is not an assistant's gets no tool call",
		history: `{"id":"m","role":"user","content":"q"}`,
		events:  `{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"n","parentMessageId":"m"}`,
		want: `{"id":"m","role":"user","content":"q"}
{"id":"c","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"n","arguments":""}}]}`,
	}, {
		name:    "a tool call that is started again keeps its arguments",
		history: `{"id":"m","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"old","arguments":"{"}}]}`,
		events: `{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"new","parentMessageId":"other"}
{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"}"}`,
		want: `{"id":"m","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"new","arguments":"{}"}}]}`,
	}, {
		name: "a result goes behind its call and the results there, even after later text",
		history: `{"id":"m","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"n","arguments":""}},{"id":"d","type":"function","function":{"name":"n","arguments":""}}]}
{"id":"later","role":"assistant","content":"…"}`,
		events: `{"type":"TOOL_CALL_RESULT","messageId":"r1","toolCallId":"c","content":"1","metadata":{"a":1}}
{"type":"TOOL_CALL_RESULT","messageId":"r2","toolCallId":"d","content":[{"type":"text","text":"2"}],"role":"tool","subagentRunId":"s"}
{"type":"TOOL_CALL_RESULT","messageId":"r3","toolCallId":"unknown","content":""}`,
		want: `{"id":"m","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"n","arguments":""}},{"id":"d","type":"function","function":{"name":"n","arguments":""}}]}
{"id":"r1","role":"tool","content":"1","toolCallId":"c","metadata":{"a":1}}
{"id":"r2","role":"tool","content":[{"type":"text","text":"2"}],"toolCallId":"d","subagentRunId":"s"}
{"id":"later","role":"assistant","content":"…"}
{"id":"r3","role":"tool","content":"","toolCallId":"unknown"}`,
	}, {
		name: "reasoning and encrypted values",
		events: `{"type":"REASONING_START","messageId":"x"}
{"type":"REASONING_MESSAGE_START","messageId":"x","role":"reasoning"}
{"type":"REASONING_MESSAGE_CONTENT","messageId":"x","delta":"Hm"}
{"type":"REASONING_MESSAGE_END","messageId":"x"}
{"type":"REASONING_END","messageId":"x","metadata":{"not":"merged"}}
{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"n"}
{"type":"TOOL_CALL_END","toolCallId":"c"}
{"type":"REASONING_ENCRYPTED_VALUE","subtype":"message","entityId":"x","encryptedValue":"sig1","metadata":{"not":"merged"}}
{"type":"REASONING_ENCRYPTED_VALUE","subtype":"tool-call","entityId":"c","encryptedValue":"sig2"}
{"type":"REASONING_ENCRYPTED_VALUE","subtype":"message","entityId":"nobody","encryptedValue":"sig3"}`,
		want: `{"id":"x","role":"reasoning","content":"Hm","encryptedValue":"sig1"}
{"id":"c","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"n","arguments":""},"encryptedValue":"sig2"}]}`,
	}, {
		name:    "the run's input adds what is not known",
		history: `{"id":"m","role":"user","content":"mine"}`,
		events:  `{"type":"RUN_STARTED","threadId":"t","runId":"r","input":{"threadId":"t","runId":"r","messages":[{"id":"m","role":"user","content":"theirs"},{"id":"n","role":"user","content":"new"},{"id":"n","role":"user","content":"twice"}]}}`,
		want: `{"id":"m","role":"user","content":"mine"}
{"id":"n","role":"user","content":"new"}`,
	}, {
		name: "activities are made, kept, replaced and patched",
		events: `{"type":"ACTIVITY_SNAPSHOT","messageId":"a","activityType":"CARD","content":{"rows":[]},"metadata":{"m":1},"subagentRunId":"s"}
{"type":"ACTIVITY_SNAPSHOT","messageId":"a","activityType":"OTHER","content":{},"replace":false,"metadata":{"n":2}}
{"type":"ACTIVITY_DELTA","messageId":"a","activityType":"LIST","patch":[{"op":"add","path":"/rows/-","value":{"id":1.0}}],"metadata":{"o":3}}
{"type":"ACTIVITY_DELTA","messageId":"a","activityType":"LIST","patch":[{"op":"add","path":"/rows/0","value":null},{"op":"add","path":"/t","value":"T"}]}
{"type":"ACTIVITY_DELTA","messageId":"nobody","activityType":"LIST","patch":[{"op":"remove","path":"/x"}]}
{"type":"ACTIVITY_SNAPSHOT","messageId":"b","activityType":"CARD","content":{"old":1},"metadata":{"m":1},"subagentRunId":"s"}
{"type":"ACTIVITY_SNAPSHOT","messageId":"b","activityType":"CARD","content":{"new":1},"metadata":{"n":2}}`,
		want: `{"id":"a","role":"activity","activityType":"LIST","content":{"rows":[null,{"id":1.0}],"t":"T"},"metadata":{"m":1,"n":2,"o":3},"subagentRunId":"s"}
{"id":"b","role":"activity","activityType":"CARD","content":{"new":1},"metadata":{"m":1,"n":2}}`,
	}, {
		name: "an activity takes the place of a message with its id, unless it replaces nothing",
		history: `{"id":"a","role":"user","content":"q","metadata":{"gone":1}}
{"id":"b","role":"user","content":"q"}`,
		events: `{"type":"ACTIVITY_SNAPSHOT","messageId":"a","activityType":"CARD","content":{}}
{"type":"ACTIVITY_SNAPSHOT","messageId":"b","activityType":"CARD","content":{},"replace":false,"metadata":{"lost":1}}`,
		want: `{"id":"a","role":"activity","activityType":"CARD","content":{}}
{"id":"b","role":"user","content":"q"}`,
	}, {
		name: "a snapshot replaces where messages stand, appends new ones and keeps what it does not know of",
		history: `{"id":"1","role":"user","content":"old"}
{"id":"2","role":"assistant","content":"dropped"}
{"id":"3","role":"activity","activityType":"CARD","content":{}}
{"id":"4","role":"reasoning","content":"hm"}
{"id":"5","role":"assistant","content":"kept"}`,
		events: `{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"6","role":"user","content":"new"},{"id":"5","role":"assistant","content":"kept"},{"id":"1","role":"user","content":"changed"}]}`,
		want: `{"id":"1","role":"user","content":"changed"}
{"id":"3","role":"activity","activityType":"CARD","content":{}}
{"id":"4","role":"reasoning","content":"hm"}
{"id":"5","role":"assistant","content":"kept"}
{"id":"6","role":"user","content":"new"}`,
	}, {
		name: "a snapshot that has activities and reasoning is complete for them",
		history: `{"id":"3","role":"activity","activityType":"CARD","content":{}}
{"id":"4","role":"reasoning","content":"hm"}`,
		events: `{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"7","role":"activity","activityType":"CARD","content":{}},{"id":"8","role":"reasoning","content":""}]}`,
		want: `{"id":"7","role":"activity","activityType":"CARD","content":{}}
{"id":"8","role":"reasoning","content":""}`,
	}, {
		name:    "a snapshot may say that it is complete for all activities",
		history: `{"id":"3","role":"activity","activityType":"CARD","content":{}}`,
		events:  `{"type":"MESSAGES_SNAPSHOT","messages":[],"metadata":{"@ag-ui/client":{"authoritativeActivityTypes":null}}}`,
	}, {
		name: "or for some",
		history: `{"id":"3","role":"activity","activityType":"CARD","content":{}}
{"id":"4","role":"activity","activityType":"LIST","content":{}}`,
		events: `{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"7","role":"activity","activityType":"X","content":{}}],"metadata":{"@ag-ui/client":{"authoritativeActivityTypes":["CARD"]}}}`,
		want: `{"id":"4","role":"activity","activityType":"LIST","content":{}}
{"id":"7","role":"activity","activityType":"X","content":{}}`,
	}, {
		name: "a message goes on from a snapshot of it",
		events: `{"type":"TEXT_MESSAGE_START","messageId":"m"}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"abc"}
{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"n","parentMessageId":"m"}
{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"abc"}
{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m","role":"assistant","content":"x","toolCalls":[{"id":"c","type":"function","function":{"name":"n","arguments":"x"}}]}]}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"def"}
{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"def"}`,
		want: `{"id":"m","role":"assistant","content":"xdef","toolCalls":[{"id":"c","type":"function","function":{"name":"n","arguments":"xdef"}}]}`,
	},
}

func TestTranscriptFoldsAsStockClient(t *testing.T) {
	for _, c := range folds {
		t.Run(c.name, func(t *testing.T) {
			tr := fold(t, c.history, c.events)
			if got := strings.TrimSpace(lines(t, tr.Messages())); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestTranscriptState(t *testing.T) {
	tr := fold(t, "", `{"type":"STATE_DELTA","delta":[{"op":"add","path":"/n","value":1.0}]}`)
	if got := string(tr.State()); got != `{"n":1.0}` {
		t.Fatal(got)
	}
	apply(t, tr, `{"type":"STATE_SNAPSHOT","snapshot":{"a":[1,null]}}
{"type":"STATE_DELTA","delta":[{"op":"remove","path":"/a/0"}]}`)
	if got := string(tr.State()); got != `{"a":[null]}` {
		t.Fatal(got)
	}
	tr.SetState(nil)
	if tr.State() != nil {
		t.Fatal("state after it was taken away")
	}
}

// What does not fit is reported and changes nothing.
func TestTranscriptReportsWhatDoesNotFit(t *testing.T) {
	const history = `{"id":"a","role":"activity","activityType":"CARD","content":{"x":1}}
{"id":"u","role":"user","content":"q"}`
	for _, event := range []string{
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"nobody","delta":"x"}`,
		`{"type":"TEXT_MESSAGE_END","messageId":"nobody"}`,
		`{"type":"TEXT_MESSAGE_START","messageId":"a"}`,
		`{"type":"REASONING_MESSAGE_CONTENT","messageId":"a","delta":"x"}`,
		`{"type":"TOOL_CALL_ARGS","toolCallId":"nobody","delta":"x"}`,
		`{"type":"TOOL_CALL_END","toolCallId":"nobody"}`,
		`{"type":"ACTIVITY_DELTA","messageId":"u","activityType":"CARD","patch":[]}`,
		`{"type":"ACTIVITY_DELTA","messageId":"a","activityType":"LIST","patch":[{"op":"add","path":"/y","value":1},{"op":"remove","path":"/z"}]}`,
		`{"type":"ACTIVITY_DELTA","messageId":"a","activityType":"LIST","patch":[{"op":"replace","path":"","value":[]}]}`,
		`{"type":"STATE_DELTA","delta":[{"op":"add","path":"/y","value":1},{"op":"test","path":"/y","value":2}]}`,
		`{"type":"TEXT_MESSAGE_CHUNK"}`,
	} {
		tr := fold(t, history, "")
		tr.SetState(json.RawMessage(`{"s":1}`))
		e := must.Get(UnmarshalEvent([]byte(event)))(t)
		err := tr.Apply(e)
		if err == nil || !strings.HasPrefix(err.Error(), "fold "+string(e.Type())) {
			t.Errorf("%s: got %v", event, err)
		}
		must.Be(t, strings.TrimSpace(lines(t, tr.Messages())), history, "the messages after %s", event)
		must.Be(t, string(tr.State()), `{"s":1}`, "the state after %s", event)
	}
}

func TestChangedReturnsWhatIsNewSinceLastTime(t *testing.T) {
	tr := fold(t, `{"id":"1","role":"user","content":"q"}
{"id":"2","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"n","arguments":""}}]}
{"id":"3","role":"assistant","content":"later"}`, "")
	changed := func(events, want string) {
		t.Helper()
		apply(t, tr, events)
		var ids []string
		for _, m := range tr.Changed() {
			ids = append(ids, m.ID)
		}
		must.Be(t, strings.Join(ids, " "), want, "changed")
	}
	changed("", "")
	changed(`{"type":"TEXT_MESSAGE_START","messageId":"4"}
{"type":"TOOL_CALL_RESULT","messageId":"r","toolCallId":"c","content":"x"}`, "r 4")
	changed(`{"type":"CUSTOM","name":"n","value":1}`, "")
	changed(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"4","delta":"a"}`, "4")
	changed(`{"type":"TEXT_MESSAGE_END","messageId":"4"}`, "")
	changed(`{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"a"}`, "2")
	changed(`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"1","role":"user","content":"q"},{"id":"4","role":"assistant","content":"b"},{"id":"5","role":"user","content":""}]}`, "4 5")
}

// What was handed out, or handed in, does not change with later events.
func TestMessagesAreSnapshots(t *testing.T) {
	call := Message{ID: "m", Role: RoleAssistant, ToolCalls: make([]ToolCall, 1, 4)}
	call.ToolCalls[0] = ToolCall{ID: "c", Name: "n"}
	tr := NewTranscript([]Message{call})
	apply(t, tr, `{"type":"TEXT_MESSAGE_START","messageId":"t"}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"t","delta":"a"}
{"type":"TOOL_CALL_START","toolCallId":"d","toolCallName":"n","parentMessageId":"m"}`)
	before := tr.Messages()
	want := lines(t, before)
	apply(t, tr, `{"type":"TEXT_MESSAGE_CONTENT","messageId":"t","delta":"b"}
{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"x"}
{"type":"TOOL_CALL_ARGS","toolCallId":"d","delta":"x"}
{"type":"TOOL_CALL_END","toolCallId":"d"}
{"type":"REASONING_ENCRYPTED_VALUE","subtype":"tool-call","entityId":"c","encryptedValue":"e"}`)
	if got := lines(t, before); got != want {
		t.Errorf("messages handed out changed:\n%s\nwere\n%s", got, want)
	}
	if got := call.ToolCalls[:2]; got[0].EncryptedValue != "" || got[0].Arguments != "" || got[1].ID != "" {
		t.Errorf("messages handed in changed: %+v", got)
	}
}
