package agui

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pageside/pageside/test/must"
)

func TestDowngrade(t *testing.T) {
	const unchanged = "unchanged"
	for in, want := range map[string]string{
		`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"cancelled"}}`:                                                                                                                 `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"success"}}`,
		`{"type":"RUN_FINISHED","threadId":"t","runId":"r","result":1,"outcome":{"type":"success","pendingToolCallIds":[]}}`:                                                                                `{"type":"RUN_FINISHED","threadId":"t","runId":"r","result":1,"outcome":{"type":"success"}}`,
		`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"success"}}`:                                                                                                                   unchanged,
		`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"r"}]}}`:                                                                          unchanged,
		`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"r","expiresAt":"2030-01-02T00:00:00Z"},{"id":"j","reason":"r","message":"m"}]}}`: `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"r"},{"id":"j","reason":"r","message":"m"}]}}`,
		`{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`:                                                                                                                                                unchanged,
		`{"type":"RUN_STARTED","threadId":"t","runId":"r","protocolVersion":"1.0"}`:                                                                                                                         unchanged,
		`{"type":"TOOL_CALL_RESULT","messageId":"m","toolCallId":"c","content":"x"}`:                                                                                                                        unchanged,
		`{"type":"TOOL_CALL_RESULT","messageId":"m","toolCallId":"c","content":[{"type":"text","text":"a\n"},{"type":"image","source":{"type":"url","value":"u"}},{"type":"text","text":"b"}]}`:             `{"type":"TOOL_CALL_RESULT","messageId":"m","toolCallId":"c","content":"a\nb"}`,
		`{"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"n"}`:                                                                                                                                        "",
		`{"type":"SUBAGENT_FINISHED","subagentRunId":"s"}`:                                                                                                                                                  "",
		`{"type":"SUBAGENT_ERROR","subagentRunId":"s","message":"m"}`:                                                                                                                                       "",
		`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"u","role":"user","content":[{"type":"text","text":"parts stay"}]}]}`:                                                                                unchanged,
		`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"u","role":"user","content":[]},{"id":"t","role":"tool","content":[{"type":"text","text":"x"}],"toolCallId":"c"}]}`:                                  `{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"u","role":"user","content":[]},{"id":"t","role":"tool","content":"x","toolCallId":"c"}]}`,
		`{"type":"RUN_STARTED","threadId":"t","runId":"r","input":{"threadId":"t","runId":"r","messages":[{"id":"t","role":"tool","content":[],"toolCallId":"c"}]}}`:                                        `{"type":"RUN_STARTED","threadId":"t","runId":"r","input":{"threadId":"t","runId":"r","messages":[{"id":"t","role":"tool","content":"","toolCallId":"c"}]}}`,
	} {
		e := must.Get(UnmarshalEvent([]byte(in)))(t)
		old := Downgrade(e)
		if want == unchanged {
			if len(old) != 1 || old[0] != e {
				t.Errorf("%s became %v", in, old)
			}
			continue
		}
		var got strings.Builder
		for _, o := range old {
			doc := must.Get(MarshalEvent(o))(t)
			got.Write(doc)
		}
		must.Be(t, got.String(), want, "%s became", in)
		if doc, err := MarshalEvent(e); err != nil || string(doc) != in {
			t.Errorf("the event itself was changed: %s", doc)
		}
	}
}

// TestBinary: media become the parts that 0.x knows, as they were read from such.
func TestBinary(t *testing.T) {
	const old = `[{"type":"text","text":"Look:"},{"type":"binary","mimeType":"image/png","data":"aGk=","filename":"a.png"},{"type":"binary","mimeType":"text/csv","url":"https://example.com/b"}]`
	for content, want := range map[string]string{
		`"text"`: `"text"`,
		`[{"type":"text","text":"Look:"},{"type":"image","source":{"type":"data","value":"aGk=","mimeType":"image/png"},"metadata":{"name":"a.png"}},` +
			`{"type":"document","source":{"type":"url","value":"https://example.com/b","mimeType":"text/csv"}}]`: old,
		`[{"type":"document","source":{"type":"file","value":"file-1","provider":"openai"}}]`: `""`,
	} {
		if got := string(RawContent(json.RawMessage(content)).Binary().Raw()); got != want {
			t.Errorf("%s is %s, want %s", content, got, want)
		}
	}
}
