package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/temp"
)

// private is a thread in which everything that a reader of a share must not get says SECRET.
var private = []string{
	`{"id":"n1","role":"activity","activityType":"pageside_note","content":{"kind":"page","text":"SECRET place"}}`,
	`{"id":"s1","role":"system","content":"SECRET instructions"}`,
	`{"id":"d1","role":"developer","content":"SECRET instructions"}`,
	`{"id":"u1","role":"user","name":"SECRET","content":[{"type":"text","text":"Why?","metadata":{"x":"SECRET"}},` +
		`{"type":"image","id":"SECRET","source":{"type":"data","value":"U0VDUkVU","mimeType":"image/png"},"metadata":{"name":"graph \"1\".png","x":"SECRET"}},` +
		`{"type":"document","source":{"type":"url","value":"https://files.example/SECRET"}},` +
		`{"type":"document","source":{"type":"file","value":"SECRET","provider":"SECRET"},"metadata":"SECRET"}],` +
		`"metadata":{"app":"SECRET","pageside":{"suggested":true,"feedback":{"rating":1},"anything":"SECRET"}}}`,
	`{"id":"r1","role":"reasoning","content":"SECRET thoughts","encryptedValue":"SECRET"}`,
	`{"id":"a1","role":"assistant","name":"SECRET","content":"I look.","encryptedValue":"SECRET","metadata":{"app":"SECRET"},"subagentRunId":"lane","toolCalls":[` +
		`{"id":"c1","type":"function","function":{"name":"search","arguments":"{\"q\":\"SECRET\"}"},"encryptedValue":"SECRET","metadata":{"pageside":{"approved":true,"args":{"q":"SECRET"}}}},` +
		`{"id":"c2","type":"function","function":{"name":"mail","arguments":"{\"to\":\"SECRET"}},` +
		`{"id":"c3","type":"function","function":{"name":"ask_user","arguments":"{\"kind\":\"text\",\"question\":\"Which \\\"one\\\"?\",\"options\":[\"SECRET\"]}"}},` +
		`{"id":"c4","type":"function","function":{"name":"pay_secret_account","arguments":"{}"}},` +
		`{"id":"c5","type":"function","function":{"name":"click","arguments":"{}"}}]}`,
	`{"id":"t1","role":"tool","toolCallId":"c1","content":"{\"answer\":\"SECRET rows\"}","metadata":{"pageside":{"sources":[{"title":"SECRET"}]}}}`,
	`{"id":"t2","role":"tool","toolCallId":"c2","content":"{\"error\":{\"code\":\"denied\",\"message\":\"SECRET reason\",\"hint\":\"SECRET\"}}"}`,
	`{"id":"t3","role":"tool","toolCallId":"c3","content":"{\"answer\":[\"this\",\"that\"],\"note\":\"SECRET\"}"}`,
	`{"id":"t5","role":"tool","toolCallId":"c5","content":"[\"SECRET\"]","error":"SECRET of example.com:8080"}`,
	`{"id":"t9","role":"tool","toolCallId":"c9","content":"SECRET of no call"}`,
	`{"id":"so","role":"activity","activityType":"pageside_sources","content":{"sources":[{"number":1,"title":"Log","url":"/logs/1","x":"SECRET"}],"toolCallId":"c1","x":"SECRET"}}`,
	`{"id":"p1","role":"activity","activityType":"chart","content":{"bars":[1,2]},"metadata":{"app":"SECRET","pageside":{"source":"tool","toolCallId":"c1","status":"open","encryptedValue":"SECRET",` +
		`"suggestedValues":[{"label":"SECRET","value":"SECRET"}]}}}`,
	`{"id":"b1","role":"activity","activityType":"pageside_block","content":{"name":"SCHEMA_X","data":1},"metadata":{"pageside":{"source":"llm","status":"open"}}}`,
	`{"id":"x1","role":"activity","activityType":"pageside_later","content":{"x":"SECRET"}}`,
	`{"id":"k1","role":"activity","activityType":"pageside_action","content":{"action":"export","label":"Export","args":{"x":"SECRET"},"status":"complete","text":"Exported.","progress":{"message":"SECRET"}}}`,
	`{"id":"k2","role":"activity","activityType":"pageside_action","content":{"action":"export","status":"complete","text":" [\"SECRET\"]"}}`,
	`{"id":"k3","role":"activity","activityType":"pageside_action","content":{"action":"export","status":"failed","text":"SECRET"}}`,
	`{"id":"u2","role":"user","content":"SECRET of a button","metadata":{"pageside":{"hidden":true}}}`,
	`{"id":"a2","role":"assistant","content":"Because.","metadata":{"pageside":{"status":"cut","reason":"length","suggestedValues":[{"label":"SECRET","value":"SECRET"}],"feedback":{"rating":-1}}}}`,
	`{"id":"a3","role":"assistant","toolCalls":[{"id":"c6","type":"function","function":{"name":"pay_secret_account","arguments":"{}"}}]}`,
}

var public = []string{
	`{"id":"u1","role":"user","content":[{"type":"text","text":"Why?"},` +
		`{"type":"image","source":{"type":"url","value":"","mimeType":"image/png"},"metadata":{"name":"graph \"1\".png"}},` +
		`{"type":"document","source":{"type":"url","value":""}},{"type":"document","source":{"type":"url","value":""}}],"metadata":{"pageside":{"suggested":true}}}`,
	`{"id":"a1","role":"assistant","content":"I look.","toolCalls":[` +
		`{"id":"c1","type":"function","function":{"name":"search","arguments":"{}"}},{"id":"c2","type":"function","function":{"name":"mail","arguments":"{}"}},` +
		`{"id":"c3","type":"function","function":{"name":"ask_user","arguments":"{\"question\":\"Which \\\"one\\\"?\"}"}},` +
		`{"id":"c5","type":"function","function":{"name":"click","arguments":"{}"}}],"subagentRunId":"lane"}`,
	`{"id":"t1","role":"tool","content":"","toolCallId":"c1"}`,
	`{"id":"t2","role":"tool","content":"{\"error\":{\"code\":\"denied\",\"message\":\"The call did not succeed.\"}}","toolCallId":"c2","error":"The call did not succeed."}`,
	`{"id":"t3","role":"tool","content":"{\"answer\":[\"this\",\"that\"]}","toolCallId":"c3"}`,
	`{"id":"t5","role":"tool","content":"{\"error\":{\"message\":\"The call did not succeed.\"}}","toolCallId":"c5","error":"The call did not succeed."}`,
	`{"id":"so","role":"activity","activityType":"pageside_sources","content":{"sources":[{"number":1,"title":"Log","url":"/logs/1"}],"toolCallId":"c1"}}`,
	`{"id":"p1","role":"activity","activityType":"chart","content":{"bars":[1,2]},"metadata":{"pageside":{"source":"tool","toolCallId":"c1","readOnly":true,"status":"open"}}}`,
	`{"id":"b1","role":"activity","activityType":"pageside_block","content":{"name":"SCHEMA_X","data":1},"metadata":{"pageside":{"source":"llm","readOnly":true,"status":"open"}}}`,
	`{"id":"k1","role":"activity","activityType":"pageside_action","content":{"action":"export","label":"Export","status":"complete","text":"Exported."}}`,
	`{"id":"k2","role":"activity","activityType":"pageside_action","content":{"action":"export","status":"complete"}}`,
	`{"id":"k3","role":"activity","activityType":"pageside_action","content":{"action":"export","status":"failed"}}`,
	`{"id":"u2","role":"user","content":"","metadata":{"pageside":{"hidden":true}}}`,
	`{"id":"a2","role":"assistant","content":"Because.","metadata":{"pageside":{"status":"cut","reason":"length"}}}`,
}

// TestReadersGetWhatWasSaid: a reader of a share gets what the conversation shows, and nothing that
// only the model or the owner needs.
func TestReadersGetWhatWasSaid(t *testing.T) {
	var all []agui.Message
	for _, line := range private {
		m, err := agui.UnmarshalMessage([]byte(line))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		all = append(all, m)
	}
	got := value(encodeMessages(sharedMessages(all)))(t)
	var messages []json.RawMessage
	must(t, json.Unmarshal(got, &messages))
	for i := range max(len(messages), len(public)) {
		var is, want string
		if i < len(messages) {
			is = string(messages[i])
		}
		if i < len(public) {
			want = public[i]
		}
		if is != want {
			t.Errorf("message %d is\n%s\nwant\n%s", i, is, want)
		}
	}
	if strings.Contains(strings.ToLower(string(got)), "secret") || bytes.Contains(got, []byte("U0VDUkVU")) {
		t.Errorf("a reader gets %s", got)
	}
}

// shareOf shares a thread for a day.
func (f *fixture) shareOf(thread string) (store.Share, string) {
	f.t.Helper()
	share, token, err := f.Share(f.t.Context(), ada, thread, 24*time.Hour)
	if err != nil {
		f.t.Fatal(err)
	}
	return share, token
}

// opened returns what a token opens for ada's tenant.
func (f *fixture) opened(token string) string {
	f.t.Helper()
	found, err := f.OpenShare(f.t.Context(), ada.Tenant, token)
	if err != nil {
		f.t.Fatal(err)
	}
	return found.Share.Title + " " + string(found.Share.Messages)
}

// TestTheTitleOfAHiddenMessage: a thread that a button begins has its words as its title, which no
// reader of a share gets.
func TestTheTitleOfAHiddenMessage(t *testing.T) {
	f := managerWith(t, temp.Store(t), agentWith(t, &steps{play: []step{say("an answer")}}), nil)
	in := f.input("t1", "u1")
	in.Messages[0].Metadata = agui.HiddenMetadata()
	events(t, f.start(in), false)
	share, token := f.shareOf("t1")
	if got := f.opened(token); share.Title != "" || !strings.Contains(got, "an answer") {
		t.Errorf("shared is %s", got)
	}
}

// TestASharedThreadStaysAsItWas: later turns, other branches, an answer that goes on in its
// message, ratings and another title are not in a share.
func TestASharedThreadStaysAsItWas(t *testing.T) {
	st := temp.Store(t)
	model := &steps{play: []step{say("hidden branch"), cutBy(llm.FinishLength, "the answer so f"), say("the answer so far, and further")}}
	f := managerWith(t, st, agentWith(t, model), nil)
	f.tell("t1", "u1", "")
	f.tell("t1", "u2", `{"replaces":"u1"}`)
	share, token := f.shareOf("t1")
	before := f.opened(token)
	if !strings.Contains(before, "text of u2") || !strings.Contains(before, "the answer so f\"") || strings.Contains(before, "hidden branch") {
		t.Errorf("shared is %s", before)
	}
	if stored, err := json.Marshal(share); err != nil || bytes.Contains(stored, []byte(token)) || len(token) < 26 {
		t.Errorf("the store has the token %s in %s, %v", token, stored, err)
	}

	answer := f.answerOf("t1").ID
	events(t, f.start(f.goOn("t1", answer)), false)
	if now := f.answerOf("t1"); !strings.Contains(now.Content.Text(), "further") {
		t.Fatalf("the answer is %q", now.Content.Text())
	}
	f.tell("t1", "u3", "")
	f.tell("t1", "u4", `{"replaces":"u3"}`)
	if _, err := st.UpdateThread(t.Context(), ada, "t1", store.ThreadChange{Title: new("renamed")}); err != nil {
		t.Fatal(err)
	}
	rated := func(m agui.Message) (json.RawMessage, error) { return agui.WithRating(m.Metadata, 1) }
	must(t, st.SetMessageMetadata(t.Context(), ada, "t1", answer, rated))
	if after := f.opened(token); after != before {
		t.Errorf("shared was %s\nand is %s", before, after)
	}
	if _, again := f.shareOf("t1"); again == token || !strings.Contains(f.opened(again), "further") {
		t.Errorf("shared again, it is %s", f.opened(again))
	}
}

// TestSharingIsRefused: of a live thread, of one that is deleted or unknown, and of one that is too
// long.
func TestSharingIsRefused(t *testing.T) {
	st := temp.Store(t)
	f := newFixture(t, st, nil)
	share := func(o store.Owner, thread string, want Code) {
		t.Helper()
		_, _, err := f.Share(t.Context(), o, thread, time.Hour)
		wantCode(t, err, want)
	}
	live := f.start(f.input("t1", "hang"))
	<-live.decided
	share(ada, "t1", CodeThreadBusy)
	must(t, f.Cancel(t.Context(), ada, live.ID))
	readAll(t, live.Read(false))
	f.shareOf("t1")
	share(store.Owner{Tenant: ada.Tenant, Subject: "bob"}, "t1", CodeNotFound)
	share(ada, "t2", CodeNotFound)
	long := f.input("t3", "hello "+strings.Repeat("x", maxShared))
	events(t, f.start(long), false)
	share(ada, "t3", CodeTooLarge)
	if _, err := st.UpdateThread(t.Context(), ada, "t1", store.ThreadChange{Deleted: new(true)}); err != nil {
		t.Fatal(err)
	}
	share(ada, "t1", CodeNotFound)
	_, err := f.Shares(t.Context(), ada, "t1")
	wantCode(t, err, CodeNotFound)
}

// TestPendingCallsAreNotShared: what waits for a person is its owner's.
func TestPendingCallsAreNotShared(t *testing.T) {
	f, _, _ := guardedScene(t, temp.Store(t), "pay")
	asks(t, f.tell("t1", "u1", ""))
	_, token := f.shareOf("t1")
	if got := f.opened(token); strings.Contains(got, "pay") || !strings.Contains(got, "text of u1") {
		t.Errorf("shared is %s", got)
	}
}

// TestExpiredSharesArePurged: the copy goes once nobody can read it.
func TestExpiredSharesArePurged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, temp.Store(t), nil)
		events(t, f.start(f.input("t1", "hello")), false)
		_, token := f.shareOf("t1")
		time.Sleep(23 * time.Hour)
		f.opened(token)
		time.Sleep(time.Hour)
		_, err := f.OpenShare(t.Context(), ada.Tenant, token)
		wantCode(t, err, CodeNotFound)
		if e, ok := errors.AsType[*Error](err); !ok || e.Message != NoShare().Message {
			t.Errorf("the error is %v", err)
		}
		time.Sleep(2 * purgeEvery)
		if n, err := f.store.PurgeShares(t.Context(), time.Now()); n != 0 || err != nil {
			t.Errorf("%d shares were left, %v", n, err)
		}
		f.Drain(t.Context())
	})
}
