package run

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store/storetest/temp"
)

// TestAskedInWords: where front ends draw no interrupts, the run ends in success with the question
// as a message, and only the user's own typed yes runs what waits, all of it, once.
func TestAskedInWords(t *testing.T) {
	both := map[string]int{"pay": 1, "ship": 1}
	for _, tt := range []struct {
		says, metadata string
		relayed        bool
		want           map[string]int
		code           string // in the results
	}{
		{says: " Yes! ", want: both},
		{says: "ja", want: both},
		{says: "go ahead.", want: both},
		{says: "no", code: "denied"},
		{says: "Nein danke.", code: "denied"},
		{says: "yes, but only the first", code: "not_executed"},
		{says: "What does it cost?", code: "not_executed"},
		{says: "yes", metadata: `{"pageside":{"suggested":true}}`, code: "not_executed"},
		{says: "yes", relayed: true, code: "not_executed"},
	} {
		t.Run(fmt.Sprintf("%s %s %v", tt.says, tt.metadata, tt.relayed), func(t *testing.T) {
			f, world, _ := guardedScene(t, temp.Store(t), "pay", "ship")
			f.Agents()[0].Approvals.Words = true
			wantWords(t, f.tell("t1", "u1", ""))
			wantWords(t, decode(t, readAll(t, f.follow(t, FollowRequest{ThreadID: "t1"}))))
			wantEffects(t, world, nil)
			in := f.input("t1", tt.says)
			if tt.metadata != "" {
				in.Messages[len(in.Messages)-1].Metadata = rawJSON(tt.metadata)
			}
			r := value(f.Start(t.Context(), Request{Principal: adaPrincipal, Agent: "default", Input: in, Fingerprint: "x", Relayed: tt.relayed}))(t)
			legal(t, events(t, r, false))
			wantEffects(t, world, tt.want)
			if got := f.thread("t1"); f.end("t1") != "assistant=done" || strings.Count(got, `"`+tt.code+`"`) != 2 && tt.code != "" {
				t.Errorf("thread is %s", got)
			}
			f.tell("t1", "u9:yes", "")
			wantEffects(t, world, tt.want)
		})
	}
}

// wantWords fails unless a run, or a thread that is shown, ends in success with the question as its
// last message.
func wantWords(t *testing.T, all []agui.Event) {
	t.Helper()
	end, ok := all[len(all)-1].(*agui.RunFinished)
	if !ok || end.Outcome == nil || end.Outcome.Type != agui.OutcomeSuccess || len(end.Outcome.PendingToolCallIDs) != 2 {
		t.Fatalf("it ends with %+v", all[len(all)-1])
	}
	said := ""
	for _, e := range all {
		switch e := e.(type) {
		case *agui.TextMessageContent:
			said += e.Delta
		case *agui.MessagesSnapshot:
			said = e.Messages[len(e.Messages)-1].Content.Text()
		}
	}
	if !strings.Contains(said, "`pay` with") || !strings.Contains(said, "`ship` with") || !strings.HasSuffix(said, "allow all of them. Anything else declines.") {
		t.Errorf("it says %q", said)
	}
}
