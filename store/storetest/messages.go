package storetest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
)

func testSave(t *testing.T, s store.Store) {
	begin(t, s, ada, "r1", "t1", user("q", "?"))
	must(t, s.SaveMessages(t.Context(), ada, "t1", "r1", []agui.Message{user("a", "1"), user("b", "2"), user("c", "3")}))
	first, err := s.Messages(t.Context(), ada, "t1", 0, 10)
	must(t, err)
	must(t, s.EndRun(t.Context(), ada, finished("r1"), nil, store.Batch{}))

	tick() // a new time would show
	begin(t, s, ada, "r2", "t1")
	must(t, s.SaveMessages(t.Context(), ada, "t1", "r2", []agui.Message{user("d", "4"), user("b", "two"), user("d", "four"), user("e", "5")}))
	wantTranscript(t, s, ada, "t1", "q=?", "a=1", "b=two", "c=3", "d=four", "e=5")

	second, err := s.Messages(t.Context(), ada, "t1", 0, 10)
	must(t, err)
	var last int64
	for i, m := range second.Items {
		if m.Seq <= last {
			t.Errorf("message %s has seq %d after %d", m.Message.ID, m.Seq, last)
		}
		last = m.Seq
		if i < 4 && (m.Seq != first.Items[i].Seq || m.RunID != "r1" || !m.CreatedAt.Equal(first.Items[i].CreatedAt)) {
			t.Errorf("message %s moved from %+v to %+v", m.Message.ID, first.Items[i], m)
		}
		if i >= 4 && m.RunID != "r2" {
			t.Errorf("message %s has run %s", m.Message.ID, m.RunID)
		}
	}

	must(t, s.EndRun(t.Context(), ada, finished("r2"), []agui.Message{user("a", "one"), user("f", "6")}, store.Batch{}))
	wantTranscript(t, s, ada, "t1", "q=?", "a=one", "b=two", "c=3", "d=four", "e=5", "f=6")
}

func testSaveNeedsLiveRun(t *testing.T, s store.Store) {
	begin(t, s, ada, "r1", "t1")
	begin(t, s, ada, "r2", "t2")
	must(t, s.EndRun(t.Context(), ada, finished("r2"), nil, store.Batch{}))
	wantErr(t, "no run", s.SaveMessages(t.Context(), ada, "t1", "r9", many("m", 1)), store.ErrNotFound)
	wantErr(t, "no thread", s.SaveMessages(t.Context(), ada, "t9", "r1", many("m", 1)), store.ErrNotFound)
	wantErr(t, "a run of another thread", s.SaveMessages(t.Context(), ada, "t2", "r1", many("m", 1)), store.ErrNotFound)
	wantErr(t, "an ended run", s.SaveMessages(t.Context(), ada, "t2", "r2", many("m", 1)), store.ErrConflict)
	wantErr(t, "an ended run and nothing to save", s.SaveMessages(t.Context(), ada, "t2", "r2", nil), store.ErrConflict)
	wantTranscript(t, s, ada, "t1")
	wantTranscript(t, s, ada, "t2")
}

func testAtomic(t *testing.T, s store.Store) {
	begin(t, s, ada, "r1", "t1", user("m", "1"))
	bad := []agui.Message{user("n", "2"), user("", "no id")}
	wantErr(t, "begin", s.BeginRun(t.Context(), ada, run("r2", "t2"), bad), store.ErrInvalid)
	wantErr(t, "save", s.SaveMessages(t.Context(), ada, "t1", "r1", bad), store.ErrInvalid)
	wantErr(t, "end", s.EndRun(t.Context(), ada, finished("r1"), bad, store.Batch{}), store.ErrInvalid)
	wantTranscript(t, s, ada, "t1", "m=1")
	_, err := s.Thread(t.Context(), ada, "t2")
	wantErr(t, "the thread", err, store.ErrNotFound)
	_, err = s.Run(t.Context(), ada, "r2")
	wantErr(t, "the run", err, store.ErrNotFound)
	if r, err := s.Run(t.Context(), ada, "r1"); err != nil || r.Status != store.RunLive {
		t.Errorf("run is %+v, %v", r, err)
	}
}

// oddContents are contents that a store or a driver could spoil.
var oddContents = []string{
	`"plain"`, `""`, `"\u0001\u001f\u007f\\\/\"\t"`, `"line\nline\r\n"`, `"é😀` + "\u2028\ufeff\ufffd\U0010FFFF" + `"`,
	`"\u00e9"`, `"''; DROP TABLE messages; --"`, `"$1 ? ?1 :a @b %s"`, `"` + strings.Repeat("x", 1<<20) + `"`,
	`[{"type":"text","text":"\u0001"},{"type":"image","source":{"type":"data","value":"AAAA","mimeType":"image/png"}}]`,
	`[ { "type" : "text" , "text" : "spaced" } ]`,
}

func testBodies(t *testing.T, s store.Store) {
	var messages []agui.Message
	for i, c := range oddContents {
		m := agui.Message{ID: fmt.Sprint("c", i), Role: agui.RoleUser, Content: agui.RawContent(json.RawMessage(c))}
		messages = append(messages, m)
	}
	opaque := json.RawMessage(`{"n":null,"z":1.0,"a":12345678901234567890.10e+5,"\u0001":[null,{}],"é":-0}`)
	messages = append(messages,
		agui.Message{ID: "meta", Role: agui.RoleUser, Content: agui.TextContent(""), Metadata: opaque},
		agui.Message{ID: "act", Role: agui.RoleActivity, ActivityType: "chart", Activity: opaque},
		agui.Message{ID: "tool", Role: agui.RoleTool, ToolCallID: "call", Content: agui.TextContent("{\"a\":1}"), Error: "no\x00"},
		agui.Message{ID: "calls", Role: agui.RoleAssistant, ToolCalls: []agui.ToolCall{{ID: "call", Name: "f", Arguments: "{\"half\": \x00"}}},
		agui.Message{ID: "reason", Role: agui.RoleReasoning, Content: agui.TextContent("hm"), EncryptedValue: "+/="},
		agui.Message{ID: "id é😀'\"%", Role: agui.RoleSystem, Content: agui.TextContent("x"), Name: "n"},
	)
	want := encode(t, messages)
	half := len(messages) / 2
	begin(t, s, ada, "r1", "t", messages[:half]...)
	must(t, s.EndRun(t.Context(), ada, finished("r1"), messages[half:], store.Batch{}))
	got, err := s.Transcript(t.Context(), ada, "t", "")
	must(t, err)
	compareBodies(t, encode(t, got), want)

	page, err := s.Messages(t.Context(), ada, "t", 0, store.MaxLimit)
	must(t, err)
	got = got[:0]
	for _, m := range page.Items {
		got = append(got, m.Message)
	}
	compareBodies(t, encode(t, got), want)
}

func encode(t *testing.T, messages []agui.Message) []string {
	t.Helper()
	out := make([]string, len(messages))
	for i, m := range messages {
		body, err := agui.MarshalMessage(m)
		must(t, err)
		out[i] = string(body)
	}
	return out
}

func compareBodies(t *testing.T, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d messages came back, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("message came back as\n%.200q, want\n%.200q", got[i], want[i])
		}
	}
}

func testInvalid(t *testing.T, s store.Store) {
	long := strings.Repeat("x", store.MaxID+1)
	begin(t, s, ada, strings.Repeat("é", store.MaxID/2), strings.Repeat("t", store.MaxID), user(strings.Repeat("m", store.MaxID), ""))
	for _, c := range []struct {
		field string
		owner store.Owner
		run   store.Run
		msg   agui.Message
	}{
		{"subject", store.Owner{Tenant: "acme"}, run("r", "t"), user("m", "")},
		{"subject", store.Owner{Subject: "a\x00"}, run("r", "t"), user("m", "")},
		{"tenant", store.Owner{Tenant: long, Subject: "a"}, run("r", "t"), user("m", "")},
		{"run id", ada, run("", "t"), user("m", "")},
		{"run id", ada, run("r\xff", "t"), user("m", "")},
		{"run id", ada, run(long, "t"), user("m", "")},
		{"thread id", ada, run("r", ""), user("m", "")},
		{"thread id", ada, run("r", "t\x00"), user("m", "")},
		{"thread id", ada, run("r", long), user("m", "")},
		{"agent", ada, store.Run{ID: "r", ThreadID: "t", Agent: "\x00"}, user("m", "")},
		{"messages[0]", ada, run("r", "t"), user("", "")},
		{"messages[0]", ada, run("r", "t"), user(long, "")},
		{"messages[0]", ada, run("r", "t"), agui.Message{ID: "m", Role: "nobody"}},
		{"messages[0]", ada, run("r", "t"), agui.Message{ID: "m", Role: agui.RoleUser, Content: agui.RawContent([]byte(`"open`))}},
		{"messages[0]", ada, run("r", "t"), agui.Message{ID: "m", Role: agui.RoleUser, Content: agui.RawContent([]byte(`"\u0000"`))}},
		{"messages[0]", ada, run("r", "t"), agui.Message{ID: "m", Role: agui.RoleUser, Content: agui.RawContent([]byte(`"\ud800"`))}},
		{"messages[0]", ada, run("r", "t"), agui.Message{ID: "m", Role: agui.RoleUser, Content: agui.RawContent([]byte("\"\xff\""))}},
		{"messages[0]", ada, run("r", "t"), agui.Message{ID: "m", Role: agui.RoleUser, Metadata: []byte(`{"a":1,"a":2}`)}},
	} {
		err := s.BeginRun(t.Context(), c.owner, c.run, []agui.Message{c.msg})
		wantErr(t, "bad "+c.field, err, store.ErrInvalid)
		if err != nil && !strings.Contains(err.Error(), c.field) {
			t.Errorf("the error does not name %s: %v", c.field, err)
		}
	}
	begin(t, s, ada, "r", "t")
	wantErr(t, "usage", s.EndRun(t.Context(), ada, store.Run{ID: "r", Status: store.RunFailed, Usage: []byte(`{`)}, nil, store.Batch{}), store.ErrInvalid)
	wantErr(t, "pending", s.EndRun(t.Context(), ada, store.Run{ID: "r", Status: store.RunFailed, Pending: []string{"\xff"}}, nil, store.Batch{}), store.ErrInvalid)
	wantErr(t, "title", setTitle(s, t.Context(), ada, "t", "\x00"), store.ErrInvalid)
	for _, id := range []string{"", "\x00", "\xff", long} {
		_, err := s.Thread(t.Context(), ada, id)
		wantErr(t, fmt.Sprintf("thread %.9q", id), err, store.ErrNotFound)
		_, err = s.Run(t.Context(), ada, id)
		wantErr(t, fmt.Sprintf("run %.9q", id), err, store.ErrNotFound)
	}
}

func testNoAliasing(t *testing.T, s store.Store) {
	content := []byte(`"mine"`)
	messages := []agui.Message{{ID: "m", Role: agui.RoleUser, Content: agui.RawContent(content)}}
	begin(t, s, ada, "r1", "t1", messages...)
	copy(content, `"your"`)
	messages[0].ID = "x"
	got, err := s.Transcript(t.Context(), ada, "t1", "")
	must(t, err)
	got[0].ID, got[0].Content = "y", agui.TextContent("ours")
	wantTranscript(t, s, ada, "t1", "m=mine")

	end := store.Run{ID: "r1", Status: store.RunFinished, Pending: []string{"c"}, Usage: []byte(`[1]`)}
	must(t, s.EndRun(t.Context(), ada, end, nil, store.Batch{}))
	end.Pending[0], end.Usage[1] = "x", '2'
	one, err := s.Run(t.Context(), ada, "r1")
	must(t, err)
	one.Pending[0], one.Usage[1] = "x", '2'
	if two, err := s.Run(t.Context(), ada, "r1"); err != nil || two.Pending[0] != "c" || string(two.Usage) != `[1]` {
		t.Errorf("run is %+v, %v", two, err)
	}
}

func testMessagePages(t *testing.T, s store.Store) {
	begin(t, s, ada, "r1", "t1", many("m", 7)...)
	begin(t, s, ada, "r2", "empty")
	var pages []string
	before := int64(0)
	for range 10 {
		page, err := s.Messages(t.Context(), ada, "t1", before, 3)
		must(t, err)
		var ids []string
		for _, m := range page.Items {
			ids = append(ids, m.Message.ID[5:])
		}
		pages = append(pages, strings.Join(ids, ""))
		if page.Next == "" {
			break
		}
		before, err = store.ParseBefore(page.Next)
		must(t, err)
	}
	if want := []string{"456", "123", "0"}; !slices.Equal(pages, want) {
		t.Errorf("pages are %q, want %q", pages, want)
	}
	for _, c := range []struct {
		thread string
		before int64
		limit  int
		want   int
		more   bool
	}{
		{"t1", 0, 7, 7, false}, {"t1", 0, 6, 6, true}, {"t1", 0, 0, 7, false}, {"t1", -5, -1, 7, false}, {"t1", 1, 3, 0, false},
		{"t1", 1 << 60, 2, 2, true}, {"empty", 0, 5, 0, false},
	} {
		page, err := s.Messages(t.Context(), ada, c.thread, c.before, c.limit)
		if err != nil || len(page.Items) != c.want || (page.Next != "") != c.more {
			t.Errorf("%+v: %d messages, next %q, %v", c, len(page.Items), page.Next, err)
		}
	}
}

func testLongThread(t *testing.T, s store.Store) {
	const n = 10_000
	begin(t, s, ada, "r1", "t1", many("m", n)...)
	messages, err := s.Transcript(t.Context(), ada, "t1", "")
	must(t, err)
	if len(messages) != n || messages[n-1].ID != fmt.Sprintf("m%05d", n-1) {
		t.Fatalf("transcript has %d messages", len(messages))
	}
	next, seen := "", n
	for first := true; first || next != ""; first = false {
		before, err := store.ParseBefore(next)
		must(t, err)
		page, err := s.Messages(t.Context(), ada, "t1", before, 5000) // more than there may be
		must(t, err)
		if len(page.Items) != store.MaxLimit {
			t.Fatalf("page has %d messages", len(page.Items))
		}
		for _, m := range slices.Backward(page.Items) {
			seen--
			if want := fmt.Sprintf("m%05d", seen); m.Message.ID != want {
				t.Fatalf("message is %s, want %s", m.Message.ID, want)
			}
		}
		next = page.Next
	}
	if seen != 0 {
		t.Errorf("%d messages were never listed", seen)
	}
}
