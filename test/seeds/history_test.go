package seeds

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/test/must"
)

// message is what these tests read of a message.
type message struct {
	ID, Role, ToolCallID string
	Content              json.RawMessage
	ToolCalls            []struct{ ID string }
}

// window is a MESSAGES_SNAPSHOT, or what GET …/history returns.
type window struct {
	Messages []message
	Before   string
	Metadata struct{ Pageside struct{ Before string } }
}

// turns is a history of so many turns of five messages each: a question, two calls, their results
// and the answer.
func turns(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(`{"id":"q%[1]d","role":"user","content":"question %[1]d"},
			{"id":"a%[1]d","role":"assistant","toolCalls":[{"id":"c%[1]d","type":"function","function":{"name":"read_form","arguments":"{}"}},
				{"id":"d%[1]d","type":"function","function":{"name":"read_form","arguments":"{}"}}]},
			{"id":"r%[1]d","role":"tool","toolCallId":"c%[1]d","content":"one"},{"id":"s%[1]d","role":"tool","toolCallId":"d%[1]d","content":"two"},
			{"id":"e%[1]d","role":"assistant","content":"answer %[1]d"}`, i))
	}
	return strings.Join(all, ",")
}

const longThread = 2000

// long starts a site with a thread t of 2,000 messages and two more.
func long(t *testing.T) *world {
	w := start(t, oneAgent, nil)
	w.model.will(says("The last answer."))
	w.run(`{"threadId":"t","runId":"r1","tools":[],"context":[],"messages":[` + turns(longThread/5) + `,{"id":"last","role":"user","content":"And now?"}]}`)
	return w
}

// shown returns the snapshot of the thread t that a request without messages gets.
func (w *world) shown(run, forwarded string) window {
	w.t.Helper()
	return snapshotIn(w.t, w.run(fmt.Sprintf(`{"threadId":"t","runId":%q,"protocolVersion":"1.0","messages":[],"tools":[],"context":[],"forwardedProps":%s}`, run, forwarded)))
}

func snapshotIn(t testing.TB, all []event) (got window) {
	t.Helper()
	snapshots := named(all, "MESSAGES_SNAPSHOT")
	if len(snapshots) != 1 {
		t.Fatalf("there are %d snapshots in %v", len(snapshots), all)
	}
	must.Do(t, json.Unmarshal(snapshots[0].Raw, &got))
	got.Before = got.Metadata.Pageside.Before
	return got
}

// older returns the window before a message.
func (w *world) older(before string, limit int) window {
	w.t.Helper()
	path := fmt.Sprintf("/v1/threads/t/history?limit=%d&before=%s", limit, url.QueryEscape(before))
	return must.JSON[window](w.t, w.get(path))
}

// whole reports a window that begins within a turn, or has a call without its result or the other
// way round.
func whole(t *testing.T, messages []message) {
	t.Helper()
	if len(messages) == 0 || messages[0].Role != "user" {
		t.Fatalf("the window begins with %+v", messages[:min(1, len(messages))])
	}
	open := map[string]bool{}
	for _, m := range messages {
		for _, c := range m.ToolCalls {
			open[c.ID] = true
		}
		if m.Role == "tool" && !open[m.ToolCallID] {
			t.Errorf("the result %s is without its call", m.ID)
		}
		delete(open, m.ToolCallID)
	}
	must.Be(t, len(open), 0, "calls without results: %v", open)
}

func ids(messages []message) string {
	var all []string
	for _, m := range messages {
		all = append(all, m.ID)
	}
	return strings.Join(all, " ")
}

func TestALongThreadIsShownInWindows(t *testing.T) {
	w := long(t)
	everything := w.shown("all", `{}`)
	if len(everything.Messages) != longThread+2 || everything.Before != "" {
		t.Fatalf("a stock client gets %d messages, before %q", len(everything.Messages), everything.Before)
	}
	newest := w.shown("some", `{"pageside":{"history":48}}`)
	// 48 would begin within the turn of q390
	if got := len(newest.Messages); got != 52 || newest.Before != "q390" || newest.Messages[0].ID != "q390" {
		t.Errorf("the newest window is %d messages from %s, before %q", got, newest.Messages[0].ID, newest.Before)
	}
	whole(t, newest.Messages)
	all := newest.Messages
	for before := newest.Before; before != ""; {
		part := w.older(before, 147)
		whole(t, part.Messages)
		if n := len(part.Messages); n < 147 && part.Before != "" || n > 151 {
			t.Errorf("the window before %s has %d messages", before, n)
		}
		all, before = append(part.Messages, all...), part.Before
	}
	must.Be(t, ids(all), ids(everything.Messages), "the windows together")
}

// A client that follows a thread gets windows too, and no window leaves out what the thread waits
// for.
func TestAWindowHoldsWhatTheThreadWaitsFor(t *testing.T) {
	w := long(t)
	stream := func(path string) window { return snapshotIn(t, events(t, w.get(path))) }
	const path = "/v1/threads/t/events?protocolVersion=1.0&history=3"
	got := stream(path)
	// For a moment after its stream has ended a run may be live: its answer comes as events then.
	for until := time.Now().Add(time.Minute); len(got.Messages) < 7 && time.Now().Before(until); time.Sleep(time.Millisecond) {
		got = stream(path)
	}
	if len(got.Messages) != 7 || got.Before != "q399" || ids(got.Messages) != "q399 a399 r399 s399 e399 last "+got.Messages[6].ID {
		t.Errorf("the thread's stream shows %s before %q", ids(got.Messages), got.Before)
	}
	w.model.will(calls("form", "read_form", "{}"))
	w.ask("t", "r2", "Read the form.", `"tools":[{"name":"read_form","description":"Reads.","parameters":{"type":"object"}}]`)
	if got := w.shown("waits", `{"pageside":{"history":1}}`); got.Messages[0].ID != "r2-q" || got.Before != "r2-q" {
		t.Errorf("the turn that waits is shown from %s", got.Messages[0].ID)
	}
}

// Another branch has a history of its own.
func TestOlderMessagesAreThoseOfTheBranch(t *testing.T) {
	w := long(t)
	w.model.will(says("Otherwise."))
	w.run(`{"threadId":"t","runId":"r2","protocolVersion":"1.0","tools":[],"context":[],"messages":[{"id":"other","role":"user","content":"Or now?"}],
		"forwardedProps":{"pageside":{"replaces":"last"}}}`)
	must.Be(t, w.shown("after", `{"pageside":{"history":2}}`).Before, "other", "the new branch is shown before")
	old, other := w.older("last", 5), w.older("other", 5)
	must.Be(t, ids(old.Messages), "q399 a399 r399 s399 e399", "the old branch has")
	// the new branch has copies of what the run brought before the replaced message
	whole(t, other.Messages)
	must.Be(t, string(other.Messages[4].Content), `"answer 399"`, "the new branch has")
}

func TestWhatCannotBeAWindowIsRefused(t *testing.T) {
	w := start(t, oneAgent, nil)
	w.ask("t", "r1", "Hello?")
	for path, want := range map[string]string{
		"/v1/threads/t/history?before=nothing": `no message \"nothing\"`,
		"/v1/threads/t/history?limit=0":        "limit",
		"/v1/threads/none/history":             "no thread",
		"/v1/threads/t/events?history=many":    "history",
		"/v1/runs/r1/events?history=-1":        "history",
	} {
		if status, body := w.do(http.MethodGet, path, ""); status < 400 || status >= 500 || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	for _, history := range []string{`-1`, `201`, `"all"`, `1.5`} {
		body := `{"threadId":"t","runId":"x","messages":[],"tools":[],"context":[],"forwardedProps":{"pageside":{"history":` + history + `}}}`
		if status, answer := w.do(http.MethodPost, "/v1/agents/default/run", body); status != 422 && status != 400 || !strings.Contains(answer, "pageside.history") {
			t.Errorf("history %s: %d %s", history, status, answer)
		}
	}
	if status, _ := w.do(http.MethodGet, "/v1/threads/t/history", "", "X-User", "acme/bob"); status != http.StatusNotFound {
		t.Errorf("another user's thread: %d", status)
	}
}
