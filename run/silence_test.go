package run

import (
	"context"
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/tool"
)

// nothing is a step that ends for a reason, with calls of the tool look and without a word.
func nothing(finish llm.Finish, ids ...string) step {
	return func(_ context.Context, _ *llm.Request, yield func(llm.Part, error) bool) {
		for i, id := range ids {
			if !yield(llm.Part{Kind: llm.ToolStart, Index: i, ID: id, Name: "look"}, nil) || !yield(llm.Part{Kind: llm.ToolEnd, Index: i}, nil) {
				return
			}
		}
		yield(llm.Part{Kind: llm.FinishPart, Finish: finish}, nil)
	}
}

// TestSilenceHasACode: a run in which the model leaves the user with nothing is an error, the
// thread tells of it when it is loaded, and it can be asked again.
func TestSilenceHasACode(t *testing.T) {
	circle := []step{}
	for _, id := range strings.Fields("a b c d e f") {
		circle = append(circle, nothing(llm.FinishTools, id))
	}
	for _, tt := range []struct {
		code   string
		play   []step
		marked bool // the message of the last calls says why
	}{
		{"llm_empty", []step{nothing(llm.FinishStop), nothing(llm.FinishStop)}, false},
		{"llm_empty", []step{nothing(llm.FinishTools, "a"), nothing(llm.FinishStop), nothing(llm.FinishStop)}, true},
		{"llm_filtered", []step{nothing(llm.FinishFilter)}, false},
		{"llm_filtered", []step{nothing(llm.FinishTools, "a"), nothing(llm.FinishFilter)}, true},
		{"llm_output_limit", []step{nothing(llm.FinishLength)}, false},
		{"tool_loop", circle, true},
	} {
		look := tool.New("look", "", func(context.Context, *tool.Call, struct{}) (tool.Result, error) {
			return tool.Result{Text: "nothing"}, nil
		})
		look.Global = true
		f := managerWith(t, temp.Store(t), agentWith(t, &steps{play: tt.play}, look), nil)
		in := f.input("t1", "hello")
		all := events(t, f.start(in), false)
		legal(t, all)
		end, ok := all[len(all)-1].(*agui.RunError)
		if !ok || end.Code != tt.code || end.Message == "" {
			t.Fatalf("ends with %+v, want %s", all[len(all)-1], tt.code)
		}
		f.wantLastRun("t1", `{"pageside":{"lastRun":{"status":"failed","code":"`+tt.code+`"}}}`)
		if stored := f.metadata("t1"); strings.Contains(stored, `"code":"`+tt.code+`"`) != tt.marked {
			t.Errorf("%s: the messages are marked %q", tt.code, stored)
		}
		again := *in
		again.RunID = "again"
		all = events(t, f.start(&again), false)
		if _, ok := all[len(all)-1].(*agui.RunFinished); !ok || !strings.HasSuffix(f.thread("t1"), "assistant=done") {
			t.Errorf("asked again it ends with %+v and the thread is %q", all[len(all)-1], f.thread("t1"))
		}
		f.wantLastRun("t1", "")
	}
}

// TestStepsExhausted: other calls each time are no circle, and yet come to an end.
func TestStepsExhausted(t *testing.T) {
	n := 0
	count := tool.New("look", "", func(context.Context, *tool.Call, struct{}) (tool.Result, error) {
		n++
		return tool.Result{Text: strings.Repeat("I", n)}, nil
	})
	count.Global = true
	var play []step
	for _, id := range strings.Fields("a b c d e") {
		play = append(play, nothing(llm.FinishTools, id))
	}
	a := agentWith(t, &steps{play: play}, count)
	a.MaxSteps = 3
	f := managerWith(t, temp.Store(t), a, nil)
	all := events(t, f.start(f.input("t1", "hello")), false)
	if end, ok := all[len(all)-1].(*agui.RunError); !ok || end.Code != "steps_exhausted" {
		t.Errorf("ends with %+v", all[len(all)-1])
	}
}

// TestCutIsStored: that an answer was cut is on its message, and is no failure of the run.
func TestCutIsStored(t *testing.T) {
	half := func(_ context.Context, _ *llm.Request, yield func(llm.Part, error) bool) {
		_ = yield(llm.Part{Kind: llm.TextDelta, Delta: "Half of"}, nil) && yield(llm.Part{Kind: llm.FinishPart, Finish: llm.FinishLength}, nil)
	}
	f := managerWith(t, temp.Store(t), agentWith(t, &steps{play: []step{half}}), nil)
	all := events(t, f.start(f.input("t1", "hello")), false)
	if _, ok := all[len(all)-1].(*agui.RunFinished); !ok {
		t.Errorf("ends with %+v", all[len(all)-1])
	}
	if got := f.metadata("t1"); got != `{"pageside":{"status":"cut","reason":"length"}}` {
		t.Errorf("stored is %q", got)
	}
}

// wantLastRun checks what a thread that is loaded tells of its last run. Another process is asked:
// this one may still have the run.
func (f *fixture) wantLastRun(thread, want string) {
	f.t.Helper()
	other := managerWith(f.t, f.store, agentWith(f.t, &steps{}), nil)
	reader, err := other.FollowThread(f.t.Context(), FollowRequest{Owner: ada, ThreadID: thread})
	if err != nil {
		f.t.Fatal(err)
	}
	followed := decode(f.t, readAll(f.t, reader))
	for _, all := range [][]agui.Event{followed, events(f.t, other.start(f.input(thread, "")), false)} {
		end, ok := all[len(all)-1].(*agui.RunFinished)
		if !ok || string(end.Metadata) != want || end.Outcome != nil {
			f.t.Errorf("the thread ends with %+v, want the metadata %s", all[len(all)-1], want)
		}
	}
}

// metadata is that of all messages of a thread.
func (f *fixture) metadata(thread string) string {
	f.t.Helper()
	stored, err := f.store.Transcript(f.t.Context(), ada, thread, "")
	if err != nil {
		f.t.Fatal(err)
	}
	var out []string
	for i := range stored {
		if len(stored[i].Metadata) > 0 {
			out = append(out, string(stored[i].Metadata))
		}
	}
	return strings.Join(out, " ")
}
