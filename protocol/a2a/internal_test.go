package a2a

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/internal/strict"
	"github.com/pageside/pageside/store"
)

// TestAnswers: a text answers the only question if it can; any other text answers nothing and is
// said instead.
func TestAnswers(t *testing.T) {
	approval := agui.Interrupt{ID: "a", Reason: "tool_call", ResponseSchema: json.RawMessage(`{"type":"object","properties":{"approved":{"type":"boolean"}}}`)}
	free := agui.Interrupt{ID: "f", ResponseSchema: json.RawMessage(`{"type":"object","properties":{"answer":{"type":"string","minLength":1}}}`)}
	choice := agui.Interrupt{ID: "c", ResponseSchema: json.RawMessage(`{"type":"object","properties":{"answer":{"type":"string","enum":["x","y"]}}}`)}
	confirm := agui.Interrupt{ID: "b", ResponseSchema: json.RawMessage(`{"type":"object","properties":{"answer":{"type":"boolean"}}}`)}
	for _, c := range []struct {
		name  string
		waits []agui.Interrupt
		parts string
		want  string // the entries, and what is said
		said  string
	}{
		{"a text for a text", []agui.Interrupt{free}, `[{"text":"2026"}]`, `[f resolved {"answer":"2026"}]`, ""},
		{"a choice", []agui.Interrupt{choice}, `[{"text":"y"}]`, `[c resolved {"answer":"y"}]`, ""},
		{"no choice", []agui.Interrupt{choice}, `[{"text":"z"}]`, `[c cancelled ]`, "z"},
		{"words for yes", []agui.Interrupt{confirm}, `[{"text":"yes"}]`, `[b cancelled ]`, "yes"},
		{"a text for an approval", []agui.Interrupt{approval}, `[{"text":"yes"}]`, `[a cancelled ]`, "yes"},
		{"a text for two", []agui.Interrupt{free, choice}, `[{"text":"x"}]`, `[f cancelled ][c cancelled ]`, "x"},
		{"data for two", []agui.Interrupt{free, approval}, `[{"data":{"interruptId":"a","status":"cancelled"}},{"data":{"interruptId":"f","payload":{"answer":"1"}}}]`, `[a cancelled ][f resolved {"answer":"1"}]`, ""},
		{"numbers keep their digits", []agui.Interrupt{free}, `[{"data":{"interruptId":"f","payload":{"n": 12345678901234567890.10}}}]`, `[f resolved {"n": 12345678901234567890.10}]`, ""},
		{"text among data", []agui.Interrupt{free}, `[{"data":{"interruptId":"f"}},{"text":"1"}]`, "message.parts[1]: must be data, as the others are: texts do not say what they answer", ""},
	} {
		var m message
		if err := strict.Decode([]byte(`{"parts":`+c.parts+`}`), &m); err != nil {
			t.Fatal(err)
		}
		in, got, said := new(agui.RunAgentInput), "", ""
		if err := answerTo(c.waits, &m, in); err != nil {
			got = err.Error()
		} else {
			for _, e := range in.Resume {
				got += "[" + e.InterruptID + " " + e.Status + " " + string(e.Payload) + "]"
			}
			for _, m := range in.Messages {
				said += m.Content.Text()
			}
		}
		if got != c.want || said != c.said {
			t.Errorf("%s: %s and %q is said, want %s and %q", c.name, got, said, c.want, c.said)
		}
	}
}

// TestDataIsRead: as JSON without spaces, with each digit and field where it was.
func TestDataIsRead(t *testing.T) {
	var m message
	const parts = `[{"text":"Look:"},{"data":{ "b": 12345678901234567890.10, "a": [1 , null]}},{"data": null}]`
	if err := strict.Decode([]byte(`{"parts":`+parts+`}`), &m); err != nil {
		t.Fatal(err)
	}
	const want = "Look:\n\n{\"b\":12345678901234567890.10,\"a\":[1,null]}\n\nnull"
	for range 2 {
		if got := m.text(); got != want {
			t.Errorf("read %s, want %s", got, want)
		}
	}
}

// TestWhatIsLeftOfAnOldTask: once the events of a run are gone, its artifacts are those of the
// thread's last answer.
func TestWhatIsLeftOfAnOldTask(t *testing.T) {
	task := newTask("r", "t")
	for _, e := range []agui.Event{
		&agui.RunStarted{ThreadID: "t", RunID: "r", ProtocolVersion: agui.ProtocolVersion},
		&agui.MessagesSnapshot{Messages: []agui.Message{
			{ID: "u1", Role: agui.RoleUser, Content: agui.TextContent("hello")},
			{ID: "a1", Role: agui.RoleAssistant, Content: agui.TextContent("Hello.")},
			{ID: "u2", Role: agui.RoleUser, Content: agui.TextContent("count")},
			{ID: "a2", Role: agui.RoleAssistant, Content: agui.TextContent("Let me count.")},
			{ID: "p2", Role: agui.RoleActivity, ActivityType: "tally", Activity: json.RawMessage(`{"n":18}`)},
			{ID: "p3", Role: agui.RoleActivity, ActivityType: "pageside_note", Activity: json.RawMessage(`{}`)},
			{ID: "a3", Role: agui.RoleAssistant, Content: agui.TextContent("There are 18.")},
		}},
		&agui.RunFinished{ThreadID: "t", RunID: "r"},
	} {
		task.apply(e, nil)
	}
	want := `{"id":"r","artifacts":[{"artifactId":"a2","parts":[{"text":"Let me count.","mediaType":"text/plain"}]},` +
		`{"artifactId":"p2","name":"tally","parts":[{"data":{"n":18},"mediaType":"application/json"}]},{"artifactId":"a3","parts":[{"text":"There are 18.","mediaType":"text/plain"}]}],"contextId":"t","status":{"state":"TASK_STATE_COMPLETED"}}`
	if got := string(jsonx.Marshal(task.Task)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// FuzzRequest: whatever is sent is read or refused, and the id that is answered is JSON.
func FuzzRequest(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hello"},{"data":[1, 2]}]}}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":-1.5e3,"method":"GetTask","params":{"id":"t","metadata":{"a":null}}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":9007199254740993,"method":"GetTask","params":{"id":"t"}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":"\ud800","params":{"message":{"parts":[{"data":null}]}}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var r request
		err := r.parse(body)
		if !json.Valid(r.ID) {
			t.Fatalf("%s has the id %s", body, r.ID)
		}
		h := new(handler)
		if err == nil {
			err = h.readParams(&r)
		}
		if _, told := errors.AsType[*a2a.Error](err); err != nil && !told {
			t.Fatalf("%s is refused with %v", body, err)
		}
		if err == nil && h.sent != nil {
			_ = answerTo([]agui.Interrupt{{ID: "i"}}, h.sent.Message, new(agui.RunAgentInput))
			_ = h.sent.Message.text()
		}
	})
}

// TestSeals: what is sealed is opened by its key, for its config and its address only. What is not
// sealed is read as it is.
func TestSeals(t *testing.T) {
	made := func(secrets ...string) sealer {
		var keys [][]byte
		for _, s := range secrets {
			keys = append(keys, []byte(s))
		}
		s, err := newSealer(keys)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	ann, bob := store.Owner{Tenant: "acme", Subject: "ann"}, store.Owner{Tenant: "acme", Subject: "bob"}
	hook := store.Webhook{RunID: "r", ID: "h"}
	c := &a2a.PushConfig{URL: "https://a.example", Token: "secret", Auth: &a2a.PushAuthInfo{Scheme: "Bearer", Credentials: "credentials"}}
	sealed, plain := hook, hook
	sealed.Config, plain.Config = made("old").seal(ann, hook, c), made().seal(ann, hook, c)
	other, elsewhere, broken := sealed, sealed, sealed
	other.ID = "h2"
	elsewhere.Config = bytes.Replace(sealed.Config, []byte("a.example"), []byte("b.example"), 1)
	broken.Config = bytes.Replace(sealed.Config, []byte(`"}`), []byte(`!"}`), 1)
	for name, k := range map[string]struct {
		with sealer
		of   store.Owner
		hook store.Webhook
		want string // of the error
	}{
		"its key":         {made("old"), ann, sealed, ""},
		"a later key":     {made("new", "old"), ann, sealed, ""},
		"not sealed":      {made("new"), ann, plain, ""},
		"no key":          {made(), ann, sealed, "which pushKeys does not have"},
		"another key":     {made("new"), ann, sealed, "which pushKeys does not have"},
		"another person":  {made("old"), bob, sealed, "belong to another config"},
		"another config":  {made("old"), ann, other, "belong to another config"},
		"another address": {made("old"), ann, elsewhere, "belong to another config"},
		"no base64":       {made("old"), ann, broken, "belong to another config"},
		"no config":       {made("old"), ann, store.Webhook{Config: json.RawMessage(`[]`)}, "cannot be read"},
	} {
		got, err := k.with.open(k.of, k.hook)
		if k.want == "" && (err != nil || !reflect.DeepEqual(got, c)) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if k.want != "" && (err == nil || !strings.Contains(err.Error(), k.want) || got.Token != "" || got.Auth != nil) {
			t.Errorf("%s: %+v, %v, want %q", name, got, err, k.want)
		}
	}
	// as another version has stored it
	hook.Config = json.RawMessage(`{"url":"https://a.example/?b=1&c=<2>","sealed":"ded80666.Uj1zDUWNpYPwDmG3TpGXH5g5xQoqnZBW1T8nrHFOgt5bdcp6AtQNS52Klnrg8A"}`)
	if got, err := made("old").open(ann, hook); err != nil || got.Token != "secret" {
		t.Errorf("what was stored is %+v, %v", got, err)
	}
	if again := made("old").seal(ann, hook, c); bytes.Equal(again, sealed.Config) {
		t.Error("sealed twice it is the same")
	}
	if got := made("old").seal(ann, hook, &a2a.PushConfig{URL: c.URL}); string(got) != `{"url":"https://a.example"}` {
		t.Errorf("a config without credentials is stored as %s", got)
	}
}

// TestLongTexts: what a text costs grows with its length, not with its square: each look at a task
// reads it again.
func TestLongTexts(t *testing.T) {
	const pieces = 20_000
	piece := &agui.TextMessageContent{MessageID: "m", Delta: "abcd"}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	task := newTask("r", "t")
	task.apply(&agui.TextMessageStart{MessageID: "m", Role: agui.RoleAssistant}, nil)
	for range pieces {
		task.apply(piece, nil)
	}
	runtime.ReadMemStats(&after)
	if text := task.Artifacts[0].Parts[0].Text(); text != strings.Repeat("abcd", pieces) {
		t.Errorf("the text has %d bytes", len(text))
	}
	if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 100 {
		t.Errorf("a text of %d KiB took %d MiB", len("abcd")*pieces>>10, used)
	}
}
