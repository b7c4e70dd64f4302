package agui

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/test/talk"
)

// fold makes a transcript of messages and the events behind them, given as lines of JSON.
func fold(t *testing.T, given string) *Transcript {
	t.Helper()
	var messages []Message
	var events strings.Builder
	for line := range strings.Lines(given) {
		if strings.HasPrefix(line, `{"id":`) {
			messages = append(messages, must.Get(UnmarshalMessage([]byte(line)))(t))
		} else {
			events.WriteString(line)
		}
	}
	tr := NewTranscript(messages)
	apply(t, tr, events.String())
	return tr
}

func apply(t *testing.T, tr *Transcript, events string) {
	t.Helper()
	for line := range strings.Lines(events) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		e := must.Get(UnmarshalEvent([]byte(line)))(t)
		if err := tr.Apply(e); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
}

func lines(t *testing.T, messages []Message) string {
	t.Helper()
	var b strings.Builder
	for _, m := range messages {
		b.Write(must.Get(MarshalMessage(m))(t))
		b.WriteByte('\n')
	}
	return b.String()
}

func TestTranscriptFoldsAsStockClient(t *testing.T) {
	talk.Open(t, "testdata/folds.txtar", func(t *testing.T, file *talk.File) {
		file.Cases(t, func(t *testing.T, given []string) []string {
			tr := fold(t, strings.Join(given, ""))
			return strings.FieldsFunc(lines(t, tr.Messages()), func(r rune) bool { return r == '\n' })
		})
	})
}

func TestTranscriptState(t *testing.T) {
	tr := fold(t, `{"type":"STATE_DELTA","delta":[{"op":"add","path":"/n","value":1.0}]}`)
	must.Be(t, string(tr.State()), `{"n":1.0}`, "the state of a delta")
	apply(t, tr, `{"type":"STATE_SNAPSHOT","snapshot":{"a":[1,null]}}
{"type":"STATE_DELTA","delta":[{"op":"remove","path":"/a/0"}]}`)
	must.Be(t, string(tr.State()), `{"a":[null]}`, "the state of a snapshot and a delta")
	tr.SetState(nil)
	must.Be(t, string(tr.State()), "", "the state that was taken away")
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
		tr := fold(t, history)
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
{"id":"3","role":"assistant","content":"later"}`)
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
	must.Be(t, lines(t, before), want, "messages that were handed out")
	if got := call.ToolCalls[:2]; got[0].EncryptedValue != "" || got[0].Arguments != "" || got[1].ID != "" {
		t.Errorf("messages handed in changed: %+v", got)
	}
}

// Metadata may come with each piece of an answer: a longer one costs no more for each.
func TestMetadataOfManyPiecesCostsLinearly(t *testing.T) {
	few, many := costOfPieces(t, 500), costOfPieces(t, 2000)
	if many > 6*few {
		t.Errorf("500 pieces cost %d bytes of memory, 2,000 cost %d", few, many)
	}
}

// costOfPieces returns what it allocates to read an answer in pieces, each with metadata of its
// own.
func costOfPieces(t *testing.T, n int) uint64 {
	t.Helper()
	events := []Event{&TextMessageStart{MessageID: "m", Role: RoleAssistant}}
	for i := range n {
		e := &TextMessageContent{MessageID: "m", Delta: "x"}
		e.Metadata = json.RawMessage(fmt.Sprintf(`{"last":%d,"piece %d":true}`, i, i))
		events = append(events, e)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	transcript := NewTranscript(nil)
	for _, e := range events {
		must.Do(t, transcript.Apply(e))
	}
	m, _ := transcript.Message("m")
	runtime.ReadMemStats(&after)
	must.Be(t, string(jsonx.Find(m.Metadata, "last")), strconv.Itoa(n-1), "the last of %d pieces", n)
	if jsonx.Find(m.Metadata, "piece 0") == nil {
		t.Error("the metadata of the first piece is lost")
	}
	return after.TotalAlloc - before.TotalAlloc
}
