package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
)

var ofMessages = []promise{
	{"messages are appended and replaced in place", func(t *testing.T, s Store) {
		begin(t, s, ada, "r1", "t1", user("q", "?"))
		must(t, s.SaveMessages(ctx, ada, "t1", "r1", []agui.Message{user("a", "1"), user("b", "2"), user("c", "3")}))
		first := pages(t, s, "t1", 3)
		end(t, s, ada, "r1")
		tick() // a new time would show
		begin(t, s, ada, "r2", "t1")
		must(t, s.SaveMessages(ctx, ada, "t1", "r2",
			[]agui.Message{user("d", "4"), user("b", "two"), user("d", "four"), user("e", "5")}))
		end(t, s, ada, "r2", user("a", "one"), user("f", "6"))
		wantTranscript(t, s, "t1", "q=?", "a=one", "b=two", "c=3", "d=four", "e=5", "f=6")
		for i, m := range pages(t, s, "t1", 3) {
			if i < len(first) { // it has kept its position, run and time
				first[i].Message = m.Message
				want(t, "message that was there", first[i])(m, nil)
			} else if m.RunID != "r2" {
				t.Errorf("new message is %+v", m)
			}
		}
	}},
	{"messages belong to a live run of the thread", func(t *testing.T, s Store) {
		begin(t, s, ada, "r1", "t1")
		begin(t, s, ada, "r2", "t2")
		end(t, s, ada, "r2")
		begin(t, s, ada, "r3", "t2") // which is live
		save := func(run string, n int) error { return s.SaveMessages(ctx, ada, "t2", run, many("m", n)) }
		wantErr(t, "no run", save("r9", 1), store.ErrNotFound)
		wantErr(t, "another thread's run", save("r1", 1), store.ErrNotFound)
		wantErr(t, "an ended run", save("r2", 1), store.ErrConflict)
		wantErr(t, "an ended run and nothing to save", save("r2", 0), store.ErrConflict)
		wantTranscript(t, s, "t1")
		wantTranscript(t, s, "t2")
	}},
	{"a failed write leaves nothing", func(t *testing.T, s Store) {
		begin(t, s, ada, "r1", "t1", user("m", "1"))
		bad := []agui.Message{user("n", "2"), user("", "no id")}
		wantErr(t, "begin", s.BeginRun(ctx, ada, run("r2", "t2"), bad), store.ErrInvalid)
		wantErr(t, "save", s.SaveMessages(ctx, ada, "t1", "r1", bad), store.ErrInvalid)
		wantErr(t, "end", s.EndRun(ctx, ada, finished("r1"), bad, noEvents), store.ErrInvalid)
		wantTranscript(t, s, "t1", "m=1")
		wantErr(t, "the thread", errOf(s.Thread(ctx, ada, "t2")), store.ErrNotFound)
		wantErr(t, "the run", errOf(s.Run(ctx, ada, "r2")), store.ErrNotFound)
		if r := get(s.Run(ctx, ada, "r1")); r.Status != store.RunLive {
			t.Errorf("run is %+v", r)
		}
	}},
	{"messages come back byte for byte", func(t *testing.T, s Store) {
		messages := oddMessages()
		half := len(messages) / 2
		begin(t, s, ada, "r1", "t", messages[:half]...)
		end(t, s, ada, "r1", messages[half:]...)
		wantBodies(t, s, "t", messages)
	}},
	{"messages are paged from the end", func(t *testing.T, s Store) {
		begin(t, s, ada, "r1", "t1", many("m", 7)...)
		begin(t, s, ada, "r2", "empty")
		pages(t, s, "t1", 3)
		for _, c := range []struct {
			thread string
			before int64
			limit  int
			want   int
			more   bool
		}{
			{"t1", 0, 7, 7, false}, {"t1", 0, 6, 6, true}, {"t1", 0, 0, 7, false}, {"t1", -5, -1, 7, false},
			{"t1", 1, 3, 0, false}, {"t1", 1 << 60, 2, 2, true}, {"empty", 0, 5, 0, false},
		} {
			page, err := s.Messages(ctx, ada, c.thread, c.before, c.limit)
			if err != nil || len(page.Items) != c.want || (page.Next != "") != c.more {
				t.Errorf("%+v: %d messages, next %q, %v", c, len(page.Items), page.Next, err)
			}
		}
	}},
	{"a long thread is paged without loss", func(t *testing.T, s Store) {
		const n = 10_000
		begin(t, s, ada, "r1", "t1", many("m", n)...)
		all := pages(t, s, "t1", 5000) // more than a page may have
		for i, m := range all {
			if want := fmt.Sprintf("m%05d", i); m.Message.ID != want {
				t.Fatalf("message is %s, want %s", m.Message.ID, want)
			}
		}
		if got := get(transcript(s, ada, "t1", "")); len(all) != n || len(got) != n {
			t.Errorf("there are %d messages, and %d in the transcript", len(all), len(got))
		}
	}},
	{"feedback is kept", testFeedback},
	{"metadata is replaced", testMetadata},
}

// pages reads the messages of a thread, page by page from the end. All pages but the first of the
// thread must be full.
func pages(t *testing.T, s store.Store, thread string, limit int) (all []store.StoredMessage) {
	t.Helper()
	for next, more := "", true; more; more = next != "" {
		before := get(store.ParseBefore(next))
		page := get(s.Messages(ctx, ada, thread, before, limit))
		if next = page.Next; next != "" && len(page.Items) != min(limit, store.MaxLimit) {
			t.Fatalf("a page has %d messages", len(page.Items))
		}
		all = slices.Concat(page.Items, all)
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
	bodies := get(encode(messages))
	for _, read := range [][]agui.Message{paged, get(s.Transcript(ctx, ada, thread, ""))} {
		got := get(encode(read))
		if len(got) != len(bodies) {
			t.Fatalf("%d messages came back, want %d", len(got), len(bodies))
		}
		for i := range bodies {
			if got[i] != bodies[i] {
				t.Errorf("message came back as\n%.200q, want\n%.200q", got[i], bodies[i])
			}
		}
	}
}

func encode(messages []agui.Message) (bodies []string, err error) {
	for _, m := range messages {
		body, bad := agui.MarshalMessage(m)
		bodies, err = append(bodies, string(body)), errors.Join(err, bad)
	}
	return bodies, err
}

func testFeedback(t *testing.T, s Store) {
	wholeRun(t, s, "r1", "t", "")
	thread := get(s.Thread(ctx, ada, "t"))
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
		must(t, s.SetFeedback(ctx, ada, "t", f))
		wantFeedback(nil, &f)
	}
	for _, id := range []string{"r1a", "r1q"} {
		must(t, s.SetFeedback(ctx, ada, "t", store.Feedback{MessageID: id}))
		wantFeedback(nil, nil)
	}
	for what, c := range map[string]struct {
		message         string
		rating          int
		reason, comment string
		want            error
	}{
		"no message":              {"m", 1, "", "", store.ErrNotFound},
		"rating 2":                {"r1a", 2, "", "", store.ErrInvalid},
		"reason of a good rating": {"r1a", 1, "incorrect", "", store.ErrInvalid},
		"reason":                  {"r1a", -1, "\xff", "", store.ErrInvalid},
		"comment":                 {"r1a", 0, "", "\xff", store.ErrInvalid},
	} {
		f := store.Feedback{MessageID: c.message, Rating: c.rating, Reason: c.reason, Comment: c.comment}
		wantErr(t, what, s.SetFeedback(ctx, ada, "t", f), c.want)
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
	thread := get(s.Thread(ctx, ada, "t"))
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
		must(t, set(to))
		if brought[1].Metadata = nil; to != "" {
			brought[1].Metadata = json.RawMessage(to)
		}
		wantBodies(t, s, "t", brought)
	}
	wantErr(t, "no object", set(`[1]`), store.ErrInvalid)
	wantErr(t, "a key twice", set(`{"a":1,"a":2}`), store.ErrInvalid)
	boom := errors.New("boom")
	fail := func(agui.Message) (json.RawMessage, error) { return nil, boom }
	wantErr(t, "a change that fails", s.SetMessageMetadata(ctx, ada, "t", "card", fail), boom)
	wantErr(t, "no message", s.SetMessageMetadata(ctx, ada, "t", "m", fail), store.ErrNotFound)
	wantBodies(t, s, "t", brought)
	want(t, "thread", thread)(s.Thread(ctx, ada, "t"))
}
