package agui

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/test/must"
)

// genStored draws messages whose JSON comes from this package or from elsewhere, sound or not.
var genStored = rapid.Custom(func(t *rapid.T) Message {
	deep := strings.Repeat("[", MaxDepth-1) + strings.Repeat("]", MaxDepth-1)
	m := Message{ID: rapid.String().Draw(t, "id"), Role: rapid.SampledFrom(append(roles, "nobody", "")).Draw(t, "role")}
	m.Content = rapid.OneOf(
		rapid.Custom(func(t *rapid.T) Content { return TextContent(rapid.String().Draw(t, "text")) }),
		rapid.Custom(func(t *rapid.T) Content {
			raw := json.RawMessage(rapid.SampledFrom([]string{
				`"plain"`, `"open`, `"a"b`, `"\ud800"`, `"\u0000"`, "\"\xff\"", "\"\n\"", `""`, `1`, `[]`, `[{"type":"text","text":"x"}]`,
				`[{"type":"text","text":"x","metadata":` + deep + `}]`, `[{"type":"text"}]`, `[{"type":"binary","mimeType":"a/b","url":"u"}]`,
				"[\n{\"type\":\"text\",\"text\":\"x\",\"text\":\"y\"}]",
			}).Draw(t, "raw"))
			return RawContent(raw)
		}),
		rapid.Just(PartsContent([]ContentPart{{Type: PartText, Text: "a"}, {Type: "odd"}})),
		rapid.Just(Content{}),
	).Draw(t, "content")
	opaque := rapid.SampledFrom([]json.RawMessage{nil, json.RawMessage(`{}`), json.RawMessage(`{"a":1,"a":2}`), json.RawMessage(`{"a":` + deep + `}`), json.RawMessage(`[`)})
	m.Metadata, m.Activity, m.ActivityType = opaque.Draw(t, "metadata"), opaque.Draw(t, "activity"), "chart"
	if rapid.Bool().Draw(t, "calls") {
		m.ToolCalls = []ToolCall{{ID: "c", Name: rapid.String().Draw(t, "name"), Arguments: "{\xff", Metadata: opaque.Draw(t, "call metadata")}}
	}
	return m
})

// TestStoredReadsBack holds AppendStoredMessage and ReadStoredMessage to what UnmarshalMessage
// makes of the same bytes.
func TestStoredReadsBack(t *testing.T) {
	for _, m := range []Message{
		{ID: "a", Role: RoleUser, Content: TextContent("plain")},
		{ID: "b", Role: RoleAssistant, ToolCalls: []ToolCall{{ID: "c", Name: "f", Arguments: "{}"}}},
	} {
		checkReadsBack(t, must.Get(AppendStoredMessage([]byte("before"), &m))(t))
	}
	rapid.Check(t, func(t *rapid.T) {
		m := genStored.Draw(t, "message")
		out, err := AppendStoredMessage([]byte("before"), &m)
		if err != nil {
			must.Be(t, string(out), "before", "what a refused message left")
			return
		}
		checkReadsBack(t, out)
	})
}

func checkReadsBack(t rapid.TB, out []byte) {
	t.Helper()
	body := out[len("before"):]
	if bytes.ContainsAny(body, "\n\r") {
		t.Fatalf("more than one line: %q", body)
	}
	want := must.Get(UnmarshalMessage(body))(t)
	must.Same(t, must.Get(ReadStoredMessage(body))(t), want, "%s is read back as", body)
}

// FuzzReadStoredMessage reads what a broken disk might hold.
func FuzzReadStoredMessage(f *testing.F) {
	for _, seed := range []string{
		`{"id":"a","role":"user","content":"x"}`, `{"id":"a","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}`,
		`{"id":"a","role":"user","content":[{"type":"image","source":{"type":"data","value":"","mimeType":"a/b"}}],"metadata":{}}`,
		`{"id":"a","role":"assistant","toolCalls":[{"id":"c","type":"`, `{"role":"`, `{"id":"`, `{"`, `[`, ``, `{"role":"activity","content":{`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := ReadStoredMessage(data)
		if err == nil {
			m.Content.Text()
		}
	})
}
