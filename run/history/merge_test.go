package history

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/calls"
	"github.com/pageside/pageside/run/refusal"
	_ "github.com/pageside/pageside/test/chance"
	"github.com/pageside/pageside/test/must"
)

// messages reads a thread in short hand: "u1 a1(c1,c2) t1:c1" are a user message, an assistant
// message with two calls, and a result. An assistant message written "a1!" was cut off by an error.
func messages(short string) []agui.Message {
	var all []agui.Message
	for _, word := range strings.Fields(short) {
		m := agui.Message{ID: word, Content: agui.TextContent("text of " + word)}
		switch word[0] {
		case 'u':
			m.Role = agui.RoleUser
		case 's':
			m.Role = agui.RoleSystem
		case 'r':
			m.Role = agui.RoleReasoning
		case 'a':
			m.Role = agui.RoleAssistant
			if id, list, ok := strings.Cut(word, "("); ok {
				m.ID = id
				for c := range strings.SplitSeq(strings.TrimSuffix(list, ")"), ",") {
					m.ToolCalls = append(m.ToolCalls, agui.ToolCall{ID: c, Name: "tool", Arguments: "{}"})
				}
			}
			if id, cut := strings.CutSuffix(word, "!"); cut {
				m.ID, m.Metadata = id, json.RawMessage(`{"pageside":{"status":"failed"}}`)
			}
		case 'c': // a card that the model wrote, with ! one that failed
			m.Role, m.ActivityType, m.Content = agui.RoleActivity, "plan", agui.Content{}
			id, bad := strings.CutSuffix(word, "!")
			m.ID, m.Activity, m.Metadata = id, json.RawMessage(`{}`), json.RawMessage(`{"pageside":{"source":"llm","status":"open"}}`)
			if bad {
				m.Metadata = json.RawMessage(`{"pageside":{"source":"llm","status":"failed"}}`)
			}
		case 't':
			m.Role = agui.RoleTool
			m.ID, m.ToolCallID, _ = strings.Cut(word, ":")
		}
		all = append(all, m)
	}
	return all
}

func ids(list []agui.Message) string {
	var out []string
	for _, m := range list {
		switch {
		case strings.HasPrefix(m.ID, "msg_"): // made by the server
			out = append(out, "server:"+m.ToolCallID)
		default:
			out = append(out, m.ID)
		}
	}
	return strings.Join(out, " ")
}

// mergeAll merges what a client sends into a thread with one branch and no interrupts.
func mergeAll(stored, sent []agui.Message) (Merged, error) {
	return mergeInto(&Branch{Messages: stored}, nil, &agui.RunAgentInput{Messages: sent})
}

// mergeInto merges what a client sends into a branch, of a new thread if it is empty.
func mergeInto(b *Branch, backend func(string) bool, in *agui.RunAgentInput) (Merged, error) {
	n := 0
	b.New = len(b.Messages) == 0
	return b.Merge(&Request{
		Input: in, Backend: backend, RunID: "r9",
		NewID: func(prefix string) string { n++; return fmt.Sprintf("%s_%d", prefix, n) },
	})
}

func TestMerge(t *testing.T) {
	tests := []struct {
		name         string
		stored, sent string
		want         string // what is stored, in order
		pending      string
		ignored      int
		answer       bool
		snapshot     bool
	}{
		{name: "a first message", sent: "u1", want: "u1", answer: true},
		{name: "nothing sent shows the thread", stored: "u1 a1", snapshot: true},
		{name: "nothing sent on no thread", snapshot: true},
		{name: "only what is new", stored: "u1 a1", sent: "u2", want: "u2", answer: true},
		{name: "the whole history again", stored: "u1 a1", sent: "u1 a1 u2", want: "u2", answer: true},
		{name: "the whole history and nothing new shows the thread", stored: "u1 a1", sent: "u1 a1", snapshot: true},
		{name: "a history of a thread the server does not know", sent: "u1 a1 u2", want: "u1 a1 u2", answer: true},
		{name: "such a history that is answered", sent: "u1 a1", want: "u1 a1", snapshot: true},
		{name: "such a history with calls nobody answered", sent: "u1 a1(c1,c2) t1:c1 u2", want: "u1 a1 t1 server:c2 u2", answer: true},
		{name: "such a history with results nobody asked for", sent: "u1 t9:c9 a1 u2", want: "u1 a1 u2", ignored: 1, answer: true},
		{name: "such a history whose calls wait", sent: "u1 a1(c1)", want: "u1 a1", pending: "c1"},
		{name: "such a history with system messages", sent: "s1 u1", want: "u1", answer: true},
		{name: "a result that is waited for", stored: "u1 a1(c1)", sent: "t1:c1", want: "t1", answer: true},
		{name: "both results", stored: "u1 a1(c1,c2)", sent: "u1 a1(c1,c2) t2:c2 t1:c1", want: "t2 t1", answer: true},
		{name: "one of two results", stored: "u1 a1(c1,c2)", sent: "t1:c1", want: "t1", pending: "c2"},
		{name: "the first result wins", stored: "u1 a1(c1)", sent: "t1:c1 t2:c1", want: "t1", ignored: 1, answer: true},
		{name: "a result that is there already", stored: "u1 a1(c1) t1:c1 a2", sent: "t1:c1", snapshot: true},
		{name: "a second result under another id", stored: "u1 a1(c1) t1:c1 a2", sent: "t7:c1", ignored: 1, snapshot: true},
		{name: "a result for a call nobody made", stored: "u1 a1", sent: "t1:c9 u2", want: "u2", ignored: 1, answer: true},
		{name: "a call id that comes back in a later turn", stored: "u1 a1(c1) t1:c1 a2 u2 a3(c1)", sent: "u1 a1(c1) t1:c1 a2 u2 a3(c1) t2:c1", want: "t2", answer: true},
		{name: "a client that sends all and answers one of two", stored: "u1 a1(c1,c2)", sent: "u1 a1(c1,c2) t2:c2", want: "t2", pending: "c1"},
		{name: "and then the other", stored: "u1 a1(c1,c2) t2:c2", sent: "u1 a1(c1,c2) t2:c2 t1:c1", want: "t1", answer: true},
		{name: "all of it again after that", stored: "u1 a1(c1,c2) t2:c2 t1:c1 a2", sent: "u1 a1(c1,c2) t1:c1 t2:c2", snapshot: true},
		{name: "two new user messages", stored: "u1 a1", sent: "u1 a1 u2 u3", want: "u2 u3", answer: true},
		{name: "a user message twice", stored: "u1 a1", sent: "u2 u2", want: "u2", answer: true},
		{name: "the user goes on instead", stored: "u1 a1(c1,c2)", sent: "t2:c2 u2", want: "t2 server:c1 u2", answer: true},
		{name: "forged messages", stored: "u1 a1", sent: "a9 s9 u2", want: "u2", ignored: 1, answer: true},
		{name: "a retry after an error", stored: "u1 a1 u2 a2!", sent: "u2", answer: true},
		{name: "the question again, which was answered with a card", stored: "u1 c1", sent: "u1", snapshot: true},
		{name: "a retry after a card that could not be shown", stored: "u1 c1!", sent: "u1", answer: true},
		{name: "a retry after an error beside a card", stored: "u1 a1! c1", sent: "u1", answer: true},
		{name: "a retry after an error behind a card", stored: "u1 c1 a1!", sent: "u1", answer: true},
		{name: "a retry when nothing was answered", stored: "u1", sent: "u1", answer: true},
		{name: "a retry after the results", stored: "u1 a1(c1) t1:c1", sent: "u1", answer: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			stored := messages(tt.stored)
			m := must.Get(mergeAll(stored, messages(tt.sent)))(t)
			must.Be(t, ids(m.Messages), tt.want, "stores")
			must.Be(t, strings.Join(m.Pending, " "), tt.pending, "pending")
			if n := len(m.Ignored) + len(m.Doubled); n != tt.ignored {
				t.Errorf("ignores %v and %v, want %d", m.Ignored, m.Doubled, tt.ignored)
			}
			if m.Answer != tt.answer || m.Snapshot != tt.snapshot {
				t.Errorf("answer %v snapshot %v, want %v %v", m.Answer, m.Snapshot, tt.answer, tt.snapshot)
			}
		})
	}
}

// TestMergeTakesNoCallsOfTheServer: what pretends to be a call of a backend tool, or its result, is
// ignored. The rest of a history that a client brings is marked, and nothing else of Pageside's is
// left in it.
func TestMergeTakesNoCallsOfTheServer(t *testing.T) {
	called := func(id, text string, tools ...string) agui.Message {
		m := agui.Message{ID: id, Role: agui.RoleAssistant}
		if text != "" {
			m.Content = agui.TextContent(text)
		}
		for i, name := range tools {
			m.ToolCalls = append(m.ToolCalls, agui.ToolCall{ID: fmt.Sprintf("%s-%d", id, i), Name: name, Arguments: "{}"})
		}
		return m
	}
	result := func(id, callID string) agui.Message {
		return agui.Message{ID: id, Role: agui.RoleTool, ToolCallID: callID, Content: agui.TextContent("done")}
	}
	backend := func(name string) bool { return name == "pay" }
	answer := called("a2", "I paid.")
	answer.Metadata = json.RawMessage(`{"theirs":1,"pageside":{"status":"stopped"}}`)
	sent := append(messages("u1"), called("a0", "", "pay"), result("t0", "a0-0"), called("a1", "Let me see", "pay", "paint"),
		result("t1", "a1-0"), result("t2", "a1-1"), answer)
	sent = append(sent, messages("u2")...)
	m, err := mergeInto(&Branch{}, backend, &agui.RunAgentInput{Messages: sent})
	must.Do(t, err)
	if got := ids(m.Messages); got != "u1 a1 t2 a2 u2" || len(m.Ignored) != 4 {
		t.Errorf("stores %q, ignores %q", got, m.Ignored)
	}
	if calls := m.Messages[1].ToolCalls; len(calls) != 1 || calls[0].Name != "paint" {
		t.Errorf("its calls are %+v", calls)
	}
	must.Be(t, string(m.Messages[3].Metadata), `{"pageside":{"imported":true},"theirs":1}`, "its metadata")
	for _, msg := range m.Messages {
		if marks, _ := agui.ReadMetadata(msg.Metadata); marks.Imported != (msg.Role != agui.RoleUser) {
			t.Errorf("message %s is marked as imported: %t", msg.ID, marks.Imported)
		}
	}
	// A call of the server that is open in a thread is not the client's to answer.
	stored := append(messages("u1"), called("a1", "", "pay", "paint"))
	sent = []agui.Message{result("t1", "a1-0"), result("t2", "a1-1")}
	m, err = mergeInto(&Branch{Messages: stored}, backend, &agui.RunAgentInput{Messages: sent})
	must.Do(t, err)
	if got := ids(m.Messages); got != "t2" || len(m.Ignored) != 1 || len(m.Pending) != 0 || !m.Answer {
		t.Errorf("stores %q, ignores %q, pending %q, answer %t", got, m.Ignored, m.Pending, m.Answer)
	}
}

// TestMergeOfInterrupts: the first answer to each open interrupt counts, and a call that waits for
// a person takes no result from a client.
func TestMergeOfInterrupts(t *testing.T) {
	stored := messages("u1 a1(c1,c2)")
	asked := []calls.Interrupt{{ID: "i1", ToolCallID: "c1"}}
	got, err := mergeInto(&Branch{Messages: stored, Interrupts: asked}, nil, &agui.RunAgentInput{
		Messages: append(stored, messages("t1:c1 t2:c2")...),
		Resume:   []agui.ResumeEntry{{InterruptID: "i1", Status: "resolved"}, {InterruptID: "i1", Status: "cancelled"}, {InterruptID: "other", Status: "resolved"}},
	})
	if err != nil || len(got.Resume) != 1 || got.Resume[0].InterruptID != "i1" || got.Resume[0].Status != "resolved" {
		t.Errorf("answers taken: %+v, %v", got.Resume, err)
	}
	if ids(got.Messages) != "t2" || !slices.Contains(got.Doubled, "tool t1") || !slices.Contains(got.Ignored, "resume other") {
		t.Errorf("results taken: %q, ignored: %q", ids(got.Messages), got.Ignored)
	}
}

// TestMergeCutsLongResults: what is beyond the limit is left out and told, on new threads too; sent
// again, the whole is known.
func TestMergeCutsLongResults(t *testing.T) {
	for name, text := range map[string]string{"plain": strings.Repeat("x", maxToolResult), "escaped": strings.Repeat("\"é", maxToolResult/2)} {
		large := messages("t1:c1")
		large[0].Content = agui.TextContent(text)
		for stored, sent := range map[string][]agui.Message{"u1 a1(c1)": large, "": append(messages("u1 a1(c1)"), large...)} {
			got, err := mergeAll(messages(stored), sent)
			if err != nil || !got.Answer || len(got.Cut) != 1 || !strings.HasPrefix(got.Cut[0], "c1: ") || len(got.Ignored) != 0 {
				t.Fatalf("%s after %q: %v, cut %q, ignored %q", name, stored, err, got.Cut, got.Ignored)
			}
			kept := got.Messages[len(got.Messages)-1]
			why, head, _ := strings.Cut(kept.Content.Text(), "]\n")
			if n := len(kept.Content.Raw()); n > maxToolResult || n < maxToolResult/4 || !strings.HasPrefix(text, head) || !strings.Contains(why, fmt.Sprintf("it had %d bytes, and the %d below", len(large[0].Content.Raw()), len(head))) {
				t.Errorf("%s after %q: %d bytes are kept: %.200q", name, stored, n, kept.Content.Text())
			}
			again, err := mergeAll(append(messages("u1 a1(c1)"), kept), append(messages("u1 a1(c1) t1:c1"), large...))
			if err != nil || len(again.Messages) != 0 {
				t.Errorf("%s, sent again: %q, %v", name, ids(again.Messages), err)
			}
		}
	}
}

// TestMergeManyCalls: what a request costs grows with its size and not with its square.
func TestMergeManyCalls(t *testing.T) {
	const n = 20_000
	asked := agui.Message{ID: "a", Role: agui.RoleAssistant}
	sent := []agui.Message{{ID: "u", Role: agui.RoleUser, Content: agui.TextContent("x")}, asked}
	for i := range n {
		id := fmt.Sprint("c", i)
		sent[1].ToolCalls = append(sent[1].ToolCalls, agui.ToolCall{ID: id, Name: "x", Arguments: "{}"})
		sent = append(sent, agui.Message{ID: "t" + id, Role: agui.RoleTool, ToolCallID: id, Content: agui.TextContent("y")})
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m, err := mergeAll(nil, sent)
	runtime.ReadMemStats(&after)
	if err != nil || len(m.Messages) != n+2 || !m.Answer {
		t.Fatalf("%d messages, answer %v, %v", len(m.Messages), m.Answer, err)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 256<<20 {
		t.Errorf("%d bytes were allocated for %d calls", grown, n)
	}
}

func TestMergeRefuses(t *testing.T) {
	tests := []struct {
		name   string
		stored string
		sent   []agui.Message
		field  string
	}{
		{"an id twice on a new thread", "", messages("u1 u1"), "messages[1].id"},
		{"a result under the id of another message", "u1 a1(c1)", messages("u2 t1:c1 u1"), ""},
	}
	stolen := messages("t1:c1")
	stolen[0].ID = "u1"
	tests[1].sent, tests[1].field = stolen, "messages[0].id"
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := mergeAll(messages(tt.stored), tt.sent)
			e, ok := err.(*refusal.Error)
			if !ok || e.Code != refusal.Invalid || e.Field != tt.field {
				t.Fatalf("error is %v, want it at %s", err, tt.field)
			}
		})
	}
}

// TestMergeBalances: whatever a client sends, the thread holds at most one result for each call and
// none for calls nobody made, and where the model is asked, no call is left without one.
func TestMergeBalances(t *testing.T) {
	word := rapid.SampledFrom([]string{"u1", "u2", "u3", "a1(c1,c2)", "a2(c3)", "a3", "t1:c1", "t2:c2", "t3:c3", "t4:c1", "t9:c9", "s1", "r1"})
	rapid.Check(t, func(t *rapid.T) {
		var thread []agui.Message
		for range rapid.IntRange(1, 4).Draw(t, "requests") {
			words := rapid.SliceOfNDistinct(word, 0, 6, rapid.ID).Draw(t, "sent")
			m := must.Get(mergeAll(thread, messages(strings.Join(words, " "))))(t)
			thread = append(thread, m.Messages...)
			pending := m.Pending
			if m.Snapshot { // only looked at
				open := openCalls(thread)
				pending = open.ids()
			}
			if err := balanced(thread, pending); err != nil {
				t.Fatalf("%v: %v", ids(thread), err)
			}
			if m.Answer && len(m.Pending) > 0 {
				t.Fatalf("asks the model although %v wait", m.Pending)
			}
		}
	})
}

func balanced(thread []agui.Message, pending []string) error {
	open := map[string]bool{}
	for _, m := range thread {
		if m.Role == agui.RoleTool {
			if !open[m.ToolCallID] {
				return fmt.Errorf("result %s of %s answers nothing", m.ID, m.ToolCallID)
			}
			delete(open, m.ToolCallID)
			continue
		}
		if len(open) > 0 && m.Role != agui.RoleReasoning {
			return fmt.Errorf("%s comes before the results of %v", m.ID, open)
		}
		for _, c := range m.ToolCalls {
			open[c.ID] = true
		}
	}
	for id := range open {
		if !slices.Contains(pending, id) {
			return fmt.Errorf("call %s is neither answered nor pending", id)
		}
	}
	return nil
}

func TestFirstWords(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"short", "short"},
		{"  white \n space  ", "white space"},
		{"which pages give the most 404s and where do their visitors come from?", "which pages give the most 404s and where do their visitors…"},
		{strings.Repeat("ü", 40), strings.Repeat("ü", 30) + "…"},
		{strings.Repeat("x", 70), strings.Repeat("x", 60) + "…"},
	} {
		must.Be(t, firstWords(tt.text, 60), tt.want, "%q becomes", tt.text)
	}
}

// A run that a crash ended behind its answer is not asked again: neither behind a text nor behind a
// card.
func TestWhatCountsAsAnAnswerAfterACrash(t *testing.T) {
	for short, want := range map[string]bool{
		"u1 a1": true, "u1 c1": true, "u1 a1 c1": true,
		"u1 a1!": false, "u1 c1!": false, "u1 c1 a1(x1)": false, "u1 c1 a1(x1) t1:x1": false, "u1": false,
	} {
		all, made := messages(short), map[string]bool{}
		for i := range all {
			made[all[i].ID] = true
		}
		if got := Answered(all, made); got != want {
			t.Errorf("%s: %v", short, got)
		}
	}
}
