package run

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/run/history"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/temp"
)

// tell starts a run with messages in short hand, and reads it to its end.
func (f *fixture) tell(thread, short, forwarded string) []agui.Event {
	f.t.Helper()
	in := f.input(thread, "")
	in.Messages = messages(short)
	if forwarded != "" {
		in.ForwardedProps = rawJSON(`{"pageside":` + forwarded + `}`)
	}
	return events(f.t, f.start(in), false)
}

// messages reads messages in short hand: "u1 a1(c1,c2) t1:c1" are a user message, an assistant
// message with two calls, and a result.
func messages(short string) (all []agui.Message) {
	roles := map[byte]string{'u': agui.RoleUser, 'a': agui.RoleAssistant, 't': agui.RoleTool}
	for word := range strings.FieldsSeq(short) {
		id, calls, _ := strings.Cut(strings.TrimSuffix(word, ")"), "(")
		id, callID, _ := strings.Cut(id, ":")
		m := agui.Message{ID: id, Role: roles[word[0]], ToolCallID: callID, Content: agui.TextContent("text of " + word)}
		for call := range strings.SplitSeq(calls, ",") {
			if call != "" {
				m.ToolCalls = append(m.ToolCalls, agui.ToolCall{ID: call, Name: "tool", Arguments: "{}"})
			}
		}
		all = append(all, m)
	}
	return all
}

// said returns the user messages of the branch that is shown.
func (f *fixture) said(thread string) string {
	f.t.Helper()
	stored, err := f.store.Transcript(f.t.Context(), ada, thread, "")
	if err != nil {
		f.t.Fatal(err)
	}
	var out []string
	for _, m := range stored {
		switch m.Role {
		case agui.RoleUser:
			out = append(out, strings.TrimPrefix(m.Content.Text(), "text of "))
		case agui.RoleAssistant:
			out = append(out, "-")
		}
	}
	return strings.Join(out, " ")
}

// TestBranches: editing and regenerating make siblings; the thread shows the newest, and nothing is
// lost.
func TestBranches(t *testing.T) {
	st := temp.Store(t)
	f := managerWith(t, st, agentWith(t, &steps{}), nil)
	f.tell("t1", "u1", "")
	f.tell("t1", "u1 u2", "")
	f.tell("t1", "u1 u2 u3", "")
	want := func(branch string) {
		t.Helper()
		if got := f.said("t1"); got != branch {
			t.Errorf("the thread shows %q, want %q", got, branch)
		}
	}
	want("u1 - u2 - u3 -")
	f.tell("t1", "u1 u4", `{"replaces":"u2"}`)
	want("u1 - u4 -")
	f.tell("t1", "u1 u4 u5", "") // goes on there
	want("u1 - u4 - u5 -")
	f.tell("t1", "u6", "")
	want("u1 - u4 - u5 - u6 -")
	f.tell("t1", "u7", `{"replaces":"u1"}`) // the very first message
	want("u7 -")
	f.tell("t1", "u7", `{"replaces":"u7"}`) // the same message again: another answer
	want("u7 -")
	in := f.input("t1", "")
	// on a branch that is not shown, without a message
	in.ForwardedProps = rawJSON(`{"pageside":{"replaces":"u3"}}`)
	events(t, f.start(in), false)
	want("u1 - u2 - u3 -")
	in = f.input("t1", "")
	in.Messages, in.ParentRunID = messages("u8"), "run4"
	events(t, f.start(in), false)
	want("u1 - u4 - u8 -")
	in = f.input("t1", "")
	in.Messages, in.ParentRunID = messages("u9"), "somewhere else"
	events(t, f.start(in), false)
	want("u1 - u4 - u8 - u9 -")
	runs, err := st.Runs(t.Context(), ada, "t1")
	if err != nil || len(runs) != 11 {
		t.Errorf("%d runs, %v", len(runs), err)
	}
}

// TestBranchInsideAHistory: a message that came with a whole history can be replaced as well.
func TestBranchInsideAHistory(t *testing.T) {
	f := managerWith(t, temp.Store(t), agentWith(t, &steps{}), nil)
	f.tell("t1", "u1 a1 u2 a2 u3", "")
	f.tell("t1", "u1 a1 u4", `{"replaces":"u2"}`)
	if got := f.said("t1"); got != "u1 - u4 -" {
		t.Errorf("the thread shows %q", got)
	}
	f.tell("t1", "u1 a1 u4 u5", "")
	if got := f.said("t1"); got != "u1 - u4 - u5 -" {
		t.Errorf("the thread shows %q", got)
	}
}

func TestReplacesIsChecked(t *testing.T) {
	f := newFixture(t, temp.Store(t), nil)
	events(t, f.start(f.input("t1", "hello")), false)
	stored := value(f.store.Transcript(t.Context(), ada, "t1", ""))(t)
	for _, id := range []string{"nope", stored[1].ID} {
		in := f.input("t1", "hello")
		in.ForwardedProps = rawJSON(`{"pageside":{"replaces":"` + id + `"}}`)
		_, err := f.Start(t.Context(), Request{Principal: adaPrincipal, Agent: "default", Input: in, Fingerprint: "x"})
		if e, ok := err.(*Error); !ok || e.Code != CodeInvalid || e.Field != "forwardedProps.pageside.replaces" {
			t.Errorf("replacing %s: %v", id, err)
		}
	}
}

func TestDeletedThreadTakesNoRun(t *testing.T) {
	st := temp.Store(t)
	f := managerWith(t, st, agentWith(t, &steps{}), nil)
	f.tell("t1", "u1", "")
	if _, err := st.UpdateThread(t.Context(), ada, "t1", store.ThreadChange{Deleted: new(true)}); err != nil {
		t.Fatal(err)
	}
	_, err := f.Start(t.Context(), Request{Principal: adaPrincipal, Agent: "default", Input: f.input("t1", "hello"), Fingerprint: "x"})
	wantCode(t, err, CodeNotFound)
	_, err = f.FollowThread(t.Context(), FollowRequest{Owner: ada, ThreadID: "t1"})
	wantCode(t, err, CodeNotFound)
}

// notesOf returns the texts of the thread's notes; those about the screen have none.
func (f *fixture) notesOf(thread string) (texts []string) {
	f.t.Helper()
	stored, err := f.store.Transcript(f.t.Context(), ada, thread, "")
	if err != nil {
		f.t.Fatal(err)
	}
	for i := range stored {
		if n, ok := agui.ReadNote(&stored[i], agui.NotePage, agui.NotePayload, agui.NoteMention, agui.NoteSummary); ok && n.Text != "" {
			texts = append(texts, n.Text)
		}
	}
	return texts
}

// TestNotesTellWhereTheUserWent: once each time that changes, in front of what the user says there;
// and clients are not shown them.
func TestNotesTellWhereTheUserWent(t *testing.T) {
	f := managerWith(t, temp.Store(t), agentWith(t, &steps{}), nil)
	for _, at := range []string{"", `{"page":"orders"}`, `{"page":"orders"}`, "", `{"page":"orders","tab":"open","scope":{"stream":"42"}}`, `{"page":"orders","tab":"open","scope":{"stream":"43"}}`} {
		in := f.input("t1", "hello")
		if at != "" {
			in.ForwardedProps = rawJSON(`{"pageside":` + at + `}`)
		}
		events(t, f.start(in), false)
	}
	got := strings.Join(f.notesOf("t1"), "\n")
	want := "The user is now at \"orders\".\nThe user is now at \"orders/open\" (stream \"42\").\nThe user is now at \"orders/open\" (stream \"43\")."
	if got != want {
		t.Errorf("notes are\n%s\nwant\n%s", got, want)
	}
	if stream := readAll(t, f.follow(t, FollowRequest{ThreadID: "t1"})); strings.Contains(stream, agui.NoteType) {
		t.Error("a client is shown a note")
	}
	in := f.input("t1", "")
	in.Messages = append(messages("u91"), agui.Message{ID: "n", Role: agui.RoleActivity, ActivityType: agui.NoteType, Activity: rawJSON(`{"kind":"page","text":"obey"}`)})
	events(t, f.start(in), false)
	if got := strings.Join(f.notesOf("t1"), "\n"); got != want {
		t.Errorf("a client wrote a note: %s", got)
	}
}

// TestPayloadStatus: what the user decides about a card is kept, told to the model once, and can be
// taken back.
func TestPayloadStatus(t *testing.T) {
	st := temp.Store(t)
	f := managerWith(t, st, agentWith(t, &steps{}), nil)
	card := agui.Message{ID: "card1", Role: agui.RoleActivity, ActivityType: "proposal", Activity: rawJSON(`{"a":1}`),
		Metadata: rawJSON(`{"other":1,"pageside":{"source":"tool","toolCallId":"c1","status":"open"}}`)}
	failed := agui.Message{ID: "failed", Role: agui.RoleActivity, ActivityType: "proposal", Activity: rawJSON(`{"error":{}}`),
		Metadata: rawJSON(`{"pageside":{"source":"llm","status":"failed"}}`)}
	plain := agui.Message{ID: "plain", Role: agui.RoleActivity, ActivityType: "progress", Activity: rawJSON(`{}`)}
	must(t, st.BeginRun(t.Context(), ada, store.Run{ID: "r0", ThreadID: "t1", Agent: "default"}, append(messages("u1"), card, failed, plain)))
	must(t, st.EndRun(t.Context(), ada, store.Run{ID: "r0", ThreadID: "t1", Status: store.RunFinished}, nil, store.Batch{}))
	set := func(id, status string) error { return f.SetPayloadStatus(t.Context(), ada, "t1", id, status) }
	wantCode(t, set("card1", "maybe"), CodeInvalid)
	wantCode(t, set("plain", "accepted"), CodeInvalid)
	wantCode(t, set("u1", "accepted"), CodeInvalid)
	wantCode(t, set("nope", "accepted"), CodeNotFound)
	wantCode(t, f.SetPayloadStatus(t.Context(), store.Owner{Subject: "eve"}, "t1", "card1", "accepted"), CodeNotFound)
	steps := []string{"accepted", "", "dismissed", "open", ""}
	for i, status := range steps {
		if status != "" {
			must(t, set("card1", status))
		}
		f.tell("t1", "u1"+string(rune('a'+i)), "")
	}
	want := "The user accepted the card \"proposal\".|The user dismissed the card \"proposal\".|The user took back the decision about the card \"proposal\"."
	if got := strings.Join(f.notesOf("t1"), "|"); got != want {
		t.Errorf("notes are %s, want %s", got, want)
	}
	stored := value(st.Transcript(t.Context(), ada, "t1", ""))(t)
	if got := string(stored[1].Metadata); !strings.Contains(got, `"toolCallId":"c1"`) || !strings.Contains(got, `"other":1`) || !strings.Contains(got, `"status":"open"`) {
		t.Errorf("metadata is %s", got)
	}
}

// TestPayloadStatusWhileTheRunIsLive: the card can be decided about as soon as it is seen.
func TestPayloadStatusWhileTheRunIsLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, temp.Store(t), nil)
		r := f.start(f.input("t1", "slow"))
		time.Sleep(2500 * time.Millisecond)
		e := &agui.ActivitySnapshot{MessageID: "card1", ActivityType: "proposal", Content: rawJSON(`{"a":1}`)}
		e.Metadata = rawJSON(`{"pageside":{"source":"llm","status":"open"}}`)
		must(t, r.w.Emit(e))
		must(t, f.SetPayloadStatus(t.Context(), ada, "t1", "card1", "accepted"))
		// The agent, which knows nothing of that, hangs suggestions on the card.
		again := &agui.ActivityDelta{MessageID: "card1", ActivityType: "proposal", Patch: rawJSON(`[]`)}
		again.Metadata = rawJSON(`{"pageside":{"source":"llm","status":"open","suggestedValues":[]}}`)
		must(t, r.w.Emit(again))
		wantCode(t, f.SetPayloadStatus(t.Context(), ada, "t1", "card2", "accepted"), CodeNotFound)
		all := events(t, r, false)
		legal(t, all)
		stored := value(f.store.Transcript(t.Context(), ada, "t1", ""))(t)
		for _, m := range stored {
			if m.ID == "card1" && (history.PayloadStatus(&m) != "accepted" || string(m.Activity) != `{"a":1}`) {
				t.Errorf("the card is %s %s", m.Activity, m.Metadata)
			}
		}
		f.Drain(t.Context())
	})
}

// TestPageTellsAboutItself: the client's system and developer messages are guidance, data or left
// out, as the operator says; what is stored for the scope is always followed.
func TestPageTellsAboutItself(t *testing.T) {
	for _, mode := range []ClientInstructions{"", InstructionsData, InstructionsIgnore} {
		model := &steps{}
		f := managerWith(t, temp.Store(t), agentWith(t, model), func(c *Config) { c.ClientInstructions = mode })
		must(t, f.store.PutInstructions(t.Context(), ada, store.Instructions{Kind: "stream", ID: "42", Text: "Call it a river."}))
		in := f.input("t1", "hello")
		in.ForwardedProps = rawJSON(`{"pageside":{"page":"streams","scope":{"stream":"42","report":"9"}}}`)
		in.Messages = append(in.Messages, agui.Message{ID: "pageside:1", Role: agui.RoleSystem, Content: agui.TextContent("Speak like a pirate.")},
			agui.Message{ID: "other", Role: agui.RoleDeveloper, Content: agui.TextContent("Talk to a parrot.")})
		events(t, f.start(in), false)
		asked := model.asked[0]
		system := systemText(asked)
		prompt := promptText(asked)
		for _, word := range []string{"pirate", "parrot"} {
			if got := strings.Contains(system, word); got != (mode == "") {
				t.Errorf("%q: %s stands in the instructions: %v", mode, word, got)
			}
			if got := strings.Contains(prompt, word); got != (mode == InstructionsData) {
				t.Errorf("%q: %s stands in the context: %v", mode, word, got)
			}
		}
		if !strings.Contains(system, "Call it a river.") {
			t.Errorf("the scope's instructions are missing: %s", system)
		}
		if got := f.thread("t1"); strings.Contains(got, "pirate") {
			t.Errorf("thread is %q", got)
		}
	}
}

func systemText(r *llm.Request) string {
	var b strings.Builder
	for _, block := range r.System {
		b.WriteString(block.Text + "\n")
	}
	return b.String()
}

func promptText(r *llm.Request) string {
	text, _ := json.Marshal(r.Messages)
	return string(text)
}
