package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/test/must"
)

var ofMessages = []promise{
	// whatever becomes of what the store was given and has returned
	{"messages come back byte for byte", func(t *testing.T, s Store) {
		given := oddMessages()
		half := len(given) / 2
		begin(t, s, ada, "r1", "t", given[:half]...)
		end(t, s, ada, "r1", given[half:]...)
		for _, m := range given {
			clear(m.Content.Raw())
			clear(m.Metadata)
			clear(m.Activity)
		}
		clear(given)
		wantBodies(t, s, "t", oddMessages())
		clear(must.Get(s.Transcript(ctx, ada, "t", ""))(t))
		wantBodies(t, s, "t", oddMessages())
	}},
	{"a long thread is paged without loss", func(t *testing.T, s Store) {
		const n = 10_000
		var brought, paged []string
		for _, m := range many("m", n) {
			brought = append(brought, m.ID+"=text")
		}
		begin(t, s, ada, "r1", "t1", many("m", n)...)
		for _, m := range pages(t, s, "t1", 5000) { // more than a page may have
			paged = append(paged, m.Message.ID+"="+m.Message.Content.Text())
		}
		must.Be(t, slices.Equal(paged, brought), true, "whether all are there, page by page")
		must.Be(t, slices.Equal(must.Get(transcript(s, ada, "t1", ""))(t), brought), true, "whether all are there")
	}},
	// of a thread that began with a long history, also where many are looked for
	{"messages are found by their ids", func(t *testing.T, s Store) {
		var brought []agui.Message
		var ids []string
		for i := range 40 {
			id := fmt.Sprintf("m%d \"%d\"\n", i, i)
			brought, ids = append(brought, user(id, "?")), append(ids, id)
		}
		begin(t, s, ada, "r1", "t", brought...)
		end(t, s, ada, "r1", user("a", "!"))
		for _, id := range append(ids, "a") {
			must.Be(t, must.Get(s.MessageRun(ctx, ada, "t", id))(t).ID, "r1", "the run of message %q", id)
		}
		for _, asked := range [][]string{ids[:1], ids[39:], ids} {
			has := map[string]bool{"a": true}
			for _, id := range asked {
				has[id] = true
			}
			want(t, "messages it has", has)(s.HasMessages(ctx, ada, "t", append([]string{"m", "m1", "a"}, asked...)))
		}
	}},
	{"runs say what they were asked", func(t *testing.T, s Store) {
		long := strings.Repeat("Why é ", 60)
		asked := &store.UserMessage{ID: "long", Preview: store.Preview(user("", long))}
		reply := func(id string) agui.Message {
			return agui.Message{ID: id, Role: agui.RoleTool, ToolCallID: "c", Content: agui.TextContent("user")}
		}
		parts := user("parts", "")
		parts.Content = agui.PartsContent([]agui.ContentPart{{Type: "text", Text: " two\n\nlines "}})
		for i, c := range []struct {
			brought []agui.Message
			want    *store.UserMessage
		}{
			{nil, nil},
			{[]agui.Message{reply("tool")}, nil},
			{[]agui.Message{reply("tool2"), user("long", long), user("n", "x")}, asked},
			{[]agui.Message{user("long", "known"), parts}, &store.UserMessage{ID: "parts", Preview: "two lines"}},
			{[]agui.Message{user("long", "known")}, nil},
		} {
			begin(t, s, ada, fmt.Sprint("r", i), "t", c.brought...)
			want(t, "first user message", c.want)(must.Get(s.Runs(ctx, ada, "t"))(t)[i].FirstUser, nil)
		}
	}},
	{"feedback is kept", testFeedback},
	{"metadata is replaced", testMetadata},
}

// pages reads the messages of a thread, page by page from the end. All pages but the first of the
// thread must be full.
func pages(t *testing.T, s store.Store, thread string, limit int) (all []store.StoredMessage) {
	t.Helper()
	for before, more := int64(0), true; more; {
		page := must.Get(s.Messages(ctx, ada, thread, before, limit))(t)
		all = slices.Concat(page.Items, all)
		if more = page.Next != ""; more {
			before = must.Get(strconv.ParseInt(page.Next, 10, 64))(t)
			want(t, "messages of a page", min(limit, store.MaxLimit))(len(page.Items), nil)
		}
	}
	for i := range all[min(1, len(all)):] {
		if all[i].Seq >= all[i+1].Seq {
			t.Errorf("seq %d follows %d", all[i+1].Seq, all[i].Seq)
		}
	}
	return all
}

// oddMessages returns messages that a store or a driver could spoil.
func oddMessages() (messages []agui.Message) {
	for i, content := range []string{
		`"plain"`, `""`, `"\u0001\u001f\u007f\\\/\"\t"`, `"line\nline\r\n"`,
		`"é😀` + "\u2028\ufeff\ufffd\U0010FFFF" + `"`, `"\u00e9"`, `"''; DROP TABLE messages; --"`,
		`"$1 ? ?1 :a @b %s"`, `"` + strings.Repeat("x", 1<<20) + `"`,
		`[{"type":"text","text":"\u0001"},` +
			`{"type":"image","source":{"type":"data","value":"AAAA","mimeType":"image/png"}}]`,
		`[ { "type" : "text" , "text" : "spaced" } ]`,
	} {
		raw := agui.RawContent(json.RawMessage(content))
		messages = append(messages, agui.Message{ID: fmt.Sprint("c", i), Role: agui.RoleUser, Content: raw})
	}
	opaque := json.RawMessage(`{"n":null,"z":1.0,"a":12345678901234567890.10e+5,"\u0001":[null,{}],"é":-0}`)
	text := agui.TextContent
	call := agui.ToolCall{ID: "call", Name: "f", Arguments: "{\"half\": \x00"}
	return append(messages,
		agui.Message{ID: "meta", Role: agui.RoleUser, Content: text(""), Metadata: opaque},
		agui.Message{ID: "act", Role: agui.RoleActivity, ActivityType: "chart", Activity: opaque},
		agui.Message{ID: "tool", Role: agui.RoleTool, ToolCallID: "call", Content: text("{\"a\":1}"), Error: "no\x00"},
		agui.Message{ID: "calls", Role: agui.RoleAssistant, ToolCalls: []agui.ToolCall{call}},
		agui.Message{ID: "reason", Role: agui.RoleReasoning, Content: text("hm"), EncryptedValue: "+/="},
		agui.Message{ID: "id é😀'\"%", Role: agui.RoleSystem, Content: text("x"), Name: "n"},
	)
}

// wantBodies checks the messages of a thread byte for byte, however they are read.
func wantBodies(t *testing.T, s store.Store, thread string, messages []agui.Message) {
	t.Helper()
	var paged []agui.Message
	for _, m := range pages(t, s, thread, store.MaxLimit) {
		paged = append(paged, m.Message)
	}
	given := bodies(t, messages)
	for _, read := range [][]agui.Message{paged, must.Get(s.Transcript(ctx, ada, thread, ""))(t)} {
		got := bodies(t, read)
		if len(got) != len(given) {
			t.Fatalf("%d messages came back, want %d", len(got), len(given))
		}
		for i := range given {
			must.Be(t, got[i], given[i], "a message that came back")
		}
	}
}

func bodies(t *testing.T, messages []agui.Message) (all []string) {
	t.Helper()
	for _, m := range messages {
		all = append(all, string(must.Get(agui.MarshalMessage(m))(t)))
	}
	return all
}

func testFeedback(t *testing.T, s Store) {
	wholeRun(t, s, "r1", "t", "")
	thread := must.Get(s.Thread(ctx, ada, "t"))(t)
	wantFeedback := func(of ...*store.Feedback) {
		t.Helper()
		var got []*store.Feedback
		for _, m := range pages(t, s, "t", 9) {
			got = append(got, m.Feedback)
		}
		want(t, "feedback", of)(got, nil)
	}
	for _, f := range []store.Feedback{
		{Rating: -1, At: in2020},
		{Rating: -1, Reason: "incomplete", At: in2020},
		{Rating: -1, Reason: "incorrect", Comment: "no", At: in2020},
		{Rating: 1, Comment: "é\n", At: in2020.Add(time.Hour)},
		{Comment: "so so", At: in2020},
	} {
		f.MessageID = "r1a"
		must.Do(t, s.SetFeedback(ctx, ada, "t", f))
		wantFeedback(nil, &f)
	}
	for _, id := range []string{"r1a", "r1q"} {
		must.Do(t, s.SetFeedback(ctx, ada, "t", store.Feedback{MessageID: id}))
		wantFeedback(nil, nil)
	}
	want(t, "thread", thread)(s.Thread(ctx, ada, "t"))
}

func testMetadata(t *testing.T, s Store) {
	card := agui.Message{
		ID: "card", Role: agui.RoleActivity, ActivityType: "chart", Activity: []byte(`{"a":1.0}`),
		Metadata: []byte(`{"n":1}`),
	}
	brought := []agui.Message{user("q", "?"), card}
	begin(t, s, ada, "r1", "t", brought...)
	thread := must.Get(s.Thread(ctx, ada, "t"))(t)
	set := func(to string) error {
		return s.SetMessageMetadata(ctx, ada, "t", "card", func(m agui.Message) (json.RawMessage, error) {
			if m.ID != "card" || string(m.Activity) != `{"a":1.0}` {
				t.Errorf("message is %+v", m)
			}
			return json.RawMessage(to), nil
		})
	}
	for i, to := range []string{`{"n":1.50,"é":null}`, ``, `{"pageside":{"status":"accepted"}}`} {
		if i == 2 {
			end(t, s, ada, "r1")
		}
		must.Do(t, set(to))
		if brought[1].Metadata = nil; to != "" {
			brought[1].Metadata = json.RawMessage(to)
		}
		wantBodies(t, s, "t", brought)
	}
	boom := errors.New("boom")
	fail := func(agui.Message) (json.RawMessage, error) { return nil, boom }
	must.FailWith(t, s.SetMessageMetadata(ctx, ada, "t", "card", fail), boom, "a change that fails")
	wantBodies(t, s, "t", brought)
	want(t, "thread", thread)(s.Thread(ctx, ada, "t"))
}
