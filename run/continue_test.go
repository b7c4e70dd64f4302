package run

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/store/storetest/temp"
)

// cutBy is a step that says something and is then cut off.
func cutBy(finish llm.Finish, words ...string) step {
	return func(ctx context.Context, req *llm.Request, yield func(llm.Part, error) bool) {
		say(words...)(ctx, req, func(p llm.Part, err error) bool {
			if p.Kind == llm.FinishPart {
				p.Finish = finish
			}
			return yield(p, err)
		})
	}
}

// answerOf returns the thread's last message of the assistant.
func (f *fixture) answerOf(thread string) agui.Message {
	f.t.Helper()
	stored, err := f.store.Transcript(f.t.Context(), ada, thread, "")
	if err != nil {
		f.t.Fatal(err)
	}
	for _, m := range slices.Backward(stored) {
		if m.Role == agui.RoleAssistant {
			return m
		}
	}
	f.t.Fatalf("thread %s has no answer", thread)
	return agui.Message{}
}

// goOn is a request that goes on with a message.
func (f *fixture) goOn(thread, message string) *agui.RunAgentInput {
	in := f.input(thread, "")
	in.ForwardedProps, _ = json.Marshal(map[string]any{"pageside": map[string]any{"continues": message}})
	return in
}

// TestContinueSurvivesCrashes: wherever the process dies, the next one has what was added, goes on
// in the same message, and repeats nothing.
func TestContinueSurvivesCrashes(t *testing.T) {
	st := temp.Store(t)
	n := 0
	scene := func(op int, after bool) (thread string, ops []string) {
		n++
		thread = fmt.Sprint("t", n)
		dying := &mortal{Store: st, left: -1}
		f := managerWith(t, dying, agentWith(t, &steps{play: []step{cutBy(llm.FinishLength, "Half of"), say(" it, ", "and ", "more.")}}), nil)
		in := f.input(thread, "hello")
		in.RunID, in.Messages[0].ID = "a"+thread, "u"+thread
		events(t, f.start(in), false)
		in = f.goOn(thread, f.answerOf(thread).ID)
		in.RunID = "b" + thread
		dying.mu.Lock()
		dying.left, dying.after, dying.ops = op, after, nil
		dying.mu.Unlock()
		if r, err := f.Start(t.Context(), Request{Principal: adaPrincipal, Agent: "default", Input: in, Fingerprint: "f"}); err == nil {
			_ = readAll(t, r.Read(false))
		}
		dying.die()
		handOver(f)
		return thread, dying.ops
	}
	_, ops := scene(-1, false)
	if len(ops) < 3 {
		t.Fatalf("operations are %v", ops)
	}
	for op := 1; op <= len(ops); op++ {
		for _, after := range []bool{false, true} {
			thread, _ := scene(op, after)
			f := managerWith(t, st, agentWith(t, &steps{play: []step{say("the rest")}}), nil)
			f.admission.work.Wait()
			var answers []agui.Message
			stored := value(st.Transcript(t.Context(), ada, thread, ""))(t)
			for _, m := range stored {
				if m.Role == agui.RoleAssistant {
					answers = append(answers, m)
				}
			}
			text := answers[0].Content.Text()
			added, ok := strings.CutPrefix(text, "Half of")
			_, run := st.Run(t.Context(), ada, "b"+thread)
			begun, isCut := run == nil, agui.CutBy(&answers[0]) != ""
			added = strings.TrimSuffix(added, "the rest")
			if len(answers) != 1 || !ok || !strings.HasPrefix(" it, and more.", added) || isCut == begun {
				t.Errorf("operation %d, %s, after %v: begun %v, %d answers, %q %s", op, ops[op-1], after, begun, len(answers), text, answers[0].Metadata)
			}
			if begun {
				legal(t, decode(t, logOf(t, st, "b"+thread)))
			}
		}
	}
}

// TestContinueSurvivesACrashInTheText: what the log has of the added text is folded onto the old
// text, and the next process goes on behind it.
func TestContinueSurvivesACrashInTheText(t *testing.T) {
	st := temp.Store(t)
	dying := &mortal{Store: st, left: -1}
	dies := func(_ context.Context, _ *llm.Request, yield func(llm.Part, error) bool) {
		if !yield(llm.Part{Kind: llm.TextDelta, Delta: " it, "}, nil) || !yield(llm.Part{Kind: llm.Pause}, nil) {
			return
		}
		for !strings.Contains(logOf(t, st, "b"), " it, ") {
			runtime.Gosched()
		}
		dying.die()
	}
	f := managerWith(t, dying, agentWith(t, &steps{play: []step{cutBy(llm.FinishLength, "Half of"), dies}}), nil)
	events(t, f.start(f.input("t1", "hello")), false)
	in := f.goOn("t1", f.answerOf("t1").ID)
	in.RunID = "b"
	_ = readAll(t, f.start(in).Read(false))
	handOver(f)
	f = managerWith(t, st, agentWith(t, &steps{play: []step{say("and more.")}}), nil)
	f.admission.work.Wait()
	legal(t, decode(t, logOf(t, st, "b")))
	if got := f.thread("t1"); got != "user=hello | assistant=Half of it, and more." || strings.Contains(f.metadata("t1"), "cut") {
		t.Errorf("the thread is %q %s", got, f.metadata("t1"))
	}
}
