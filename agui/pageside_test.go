package agui_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/test/must"
)

// TestMetadataOnTheWire: what is stored in threads and cached by providers.
func TestMetadataOnTheWire(t *testing.T) {
	cost := 0.00000012
	chips := agui.Suggestions{
		Values:  []agui.SuggestedValue{{Label: "a<b", Value: "b & c"}},
		Actions: []agui.SuggestedAction{{Label: "Go", Action: "go", Handler: "client", Args: json.RawMessage(`{"n":1.50}`)}},
		Static:  true,
	}
	const chipsJSON = `"suggestedValues":[{"label":"a<b","value":"b & c"}],` +
		`"suggestedActions":[{"label":"Go","action":"go","handler":"client","args":{"n":1.50}}],"static":true`
	for _, c := range []struct {
		name, want string
		m          agui.Metadata
	}{
		{"nothing", ``, agui.Metadata{}},
		{"a text cut off", `{"pageside":{"status":"failed"}}`,
			agui.Metadata{EndMark: agui.EndMark{Status: agui.StatusFailed}}},
		{"calls that led to nothing", `{"pageside":{"code":"model_failed","status":"failed"}}`,
			agui.Metadata{EndMark: agui.EndMark{Status: agui.StatusFailed, Code: "model_failed"}}},
		{"an answer's end", `{"pageside":{"status":"cut","reason":"length",` + chipsJSON + `}}`,
			agui.Metadata{EndMark: agui.EndMark{Suggestions: chips, Status: agui.StatusCut, Reason: "length"}}},
		{"a payload", `{"pageside":{"source":"llm","toolCallId":"c","parentMessageId":"m","streaming":true,"encryptedValue":"x==",` +
			`"status":"open","reason":"length",` + chipsJSON + `}}`, agui.Metadata{
			PayloadMark: agui.PayloadMark{
				Source: "llm", ToolCallID: "c", ParentMessageID: "m", Streaming: true, EncryptedValue: "x==",
			},
			EndMark: agui.EndMark{Status: agui.StatusOpen, Reason: "length", Suggestions: chips},
		}},
		{"a result with other arguments", `{"pageside":{"args":{"q": "a<b",  "n":1e3}}}`,
			agui.Metadata{CallMark: agui.CallMark{Args: json.RawMessage(`{"q": "a<b",  "n":1e3}`)}}},
		{"an interrupt", `{"pageside":{"args":{"to":"a"},"tool":"send","effect":"write","summary":"<b> & c",` +
			`"allowance":{"scope":"thread","maxAge":86400}}}`, agui.Metadata{CallMark: agui.CallMark{
			Tool: "send", Effect: "write", Summary: "<b> & c", Args: json.RawMessage(`{"to":"a"}`),
			Allowance: &agui.AllowanceOffer{Scope: "thread", MaxAge: 86400},
		}}},
		{"a cost", `{"pageside":{"cost":0.00000012}}`, agui.Metadata{RunMark: agui.RunMark{Cost: &cost}}},
		{"a snapshot", `{"pageside":{"lastRun":{"status":"failed","code":"x"}}}`,
			agui.Metadata{RunMark: agui.RunMark{LastRun: &agui.LastRun{Status: "failed", Code: "x"}}}},
		{"a rating", `{"pageside":{"feedback":{"rating":-1}}}`,
			agui.Metadata{MessageMark: agui.MessageMark{Feedback: &agui.Feedback{Rating: -1}}}},
	} {
		got := c.m.JSON()
		must.Be(t, string(got), c.want, "%s", c.name)
		if got == nil {
			continue
		}
		if read, ok := agui.ReadMetadata(got); !ok || !reflect.DeepEqual(read, c.m) {
			t.Errorf("%s: %s reads as %+v, want %+v", c.name, got, read, c.m)
		}
	}
}

// What no reader would take does not make the event that carries it illegal.
func TestMetadataWithHalvesOfCharacters(t *testing.T) {
	m := agui.CallMark{Summary: "a\x00b\xffc"}
	e := &agui.TextMessageEnd{Base: agui.Base{Metadata: m.JSON()}, MessageID: "m"}
	const want = `{"type":"TEXT_MESSAGE_END","metadata":{"pageside":{"summary":"a�b�c"}},"messageId":"m"}`
	must.Be(t, string(must.Get(agui.MarshalEvent(e))(t)), want, "the event")
}

func TestMetadataThatIsNotOurs(t *testing.T) {
	for _, raw := range []string{``, `{}`, `{"own":{"status":"failed"}}`, `{"pageside":"own"}`, `{"pageside":{"source":7}}`} {
		if m, ok := agui.ReadMetadata(json.RawMessage(raw)); ok {
			t.Errorf("%s reads as %+v", raw, m)
		}
	}
}

func TestARatingLeavesTheRestOfTheMetadata(t *testing.T) {
	for _, c := range []struct{ before, with, without string }{
		{``, `{"pageside":{"feedback":{"rating":-1}}}`, ``},
		{`{"own":{"n":1.50}}`, `{"own":{"n":1.50},"pageside":{"feedback":{"rating":-1}}}`, `{"own":{"n":1.50}}`},
		{`{"pageside":{"status":"open","feedback":{"rating":1}}}`, `{"pageside":{"feedback":{"rating":-1},"status":"open"}}`, `{"pageside":{"status":"open"}}`},
		{`{"pageside":null}`, `{"pageside":{"feedback":{"rating":-1}}}`, ``},
		{`{"pageside":"own"}`, `{"pageside":"own"}`, `{"pageside":"own"}`},
	} {
		with := must.Get(agui.WithRating(json.RawMessage(c.before), -1))(t)
		without := must.Get(agui.WithRating(json.RawMessage(c.before), 0))(t)
		must.Be(t, string(with), c.with, "%s", c.before)
		must.Be(t, string(without), c.without, "%s", c.before)
	}
}

func TestAStatusLeavesTheRestOfTheMetadata(t *testing.T) {
	const before = `{"other":1,"pageside":{"source":"tool","toolCallId":"c1","status":"open"}}`
	const want = `{"other":1,"pageside":{"source":"tool","status":"accepted","toolCallId":"c1"}}`
	must.Be(t, string(must.Get(agui.WithStatus(json.RawMessage(before), agui.StatusAccepted))(t)), want, "with a status")
}

// TestNotesAreTheSameBytes: they stay in threads.
func TestNotesAreTheSameBytes(t *testing.T) {
	for _, c := range []struct {
		want string
		note agui.Note
	}{
		{`{"kind":"page","text":"The user is now at \"a\".","page":"a","scope":{"stream":"42"}}`, agui.Note{
			Kind: agui.NotePage, Text: `The user is now at "a".`, Page: "a", Scope: map[string]string{"stream": "42"},
		}},
		{`{"kind":"payload","text":"x","messageId":"m","status":"accepted"}`, agui.Note{Kind: agui.NotePayload, Text: "x", MessageID: "m", Status: agui.StatusAccepted}},
		{`{"kind":"context","id":"b","items":["k1","k2"]}`, agui.Note{Kind: agui.NoteContext, ID: "b", Items: []string{"k1", "k2"}}},
		{`{"kind":"summary","text":"a \u003c b","before":"m"}`, agui.Note{Kind: agui.NoteSummary, Text: "a < b", Before: "m"}},
		{`{"kind":"cleared","through":"c"}`, agui.Note{Kind: agui.NoteCleared, Through: "c"}},
	} {
		m := c.note.Message("n")
		if string(m.Activity) != c.want || !m.IsNote() {
			t.Errorf("%s, want %s", m.Activity, c.want)
		}
		if e := c.note.Event("n").(*agui.ActivitySnapshot); string(e.Content) != c.want || e.ActivityType != m.ActivityType {
			t.Errorf("the event has %s, want %s", e.Content, c.want)
		}
		if _, ok := agui.ReadNote(&m, agui.NoteCall); ok {
			t.Errorf("%s reads as a note of another kind", m.Activity)
		}
		if read, ok := agui.ReadNote(&m, c.note.Kind); !ok || !reflect.DeepEqual(read, c.note) {
			t.Errorf("%s reads as %+v", m.Activity, read)
		}
	}
	if _, ok := agui.ReadNote(&agui.Message{Role: agui.RoleUser, ActivityType: agui.NoteType, Activity: json.RawMessage(`{}`)}, ""); ok {
		t.Error("a message of the user reads as a note")
	}
}
