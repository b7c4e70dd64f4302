package run

import (
	"context"
	"encoding/json"
	"errors"
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

const cutMark = `{"pageside":{"status":"cut","reason":"length"}}`

// TestContinue: an answer that was cut goes on in its message, as often as it is cut. Other
// processes and the next question see one answer, and nothing of how it came to be.
func TestContinue(t *testing.T) {
	restart := restarts(t)
	model := &steps{play: []step{cutBy(llm.FinishLength, "First. Then the sec"), cutBy(llm.FinishLength, "ond", ". And the"), say(" third", ".")}}
	f := managerWith(t, restart(), agentWith(t, model), nil)
	events(t, f.start(f.input("t1", "hello")), false)
	answer := f.answerOf("t1")
	for _, want := range []string{"First. Then the second. And the", "First. Then the second. And the third."} {
		all := events(t, f.start(f.goOn("t1", answer.ID)), false)
		legal(t, all)
		if end, ok := all[len(all)-1].(*agui.RunFinished); !ok {
			t.Fatalf("ends with %+v", end)
		}
		now := f.answerOf("t1")
		if now.ID != answer.ID || now.Content.Text() != want {
			t.Errorf("the answer is %s: %q, want %q", now.ID, now.Content.Text(), want)
		}
	}
	if got := f.metadata("t1"); got != `{"pageside":{}}` {
		t.Errorf("it is still marked %s", got)
	}
	f.Drain(t.Context())
	other := managerWith(t, restart(), agentWith(t, model), nil)
	events(t, other.start(&agui.RunAgentInput{ThreadID: "t1", RunID: "next", ProtocolVersion: "1.0", Messages: []agui.Message{{ID: "next", Role: agui.RoleUser, Content: agui.TextContent("thanks")}}}), false)
	var asked []string
	for _, m := range model.asked[len(model.asked)-1].Messages {
		asked = append(asked, fmt.Sprint(m.Role, "=", m.Content[0].(llm.Text).String()))
	}
	if got := strings.Join(asked, " | "); got != "user=hello | assistant=First. Then the second. And the third. | user=thanks" {
		t.Errorf("the model is asked %q", got)
	}
}

// TestContinueRefuses: a run goes on with the last answer, if that was cut, and with nothing else.
func TestContinueRefuses(t *testing.T) {
	half := cutBy(llm.FinishLength, "Half of")
	f := managerWith(t, temp.Store(t), agentWith(t, &steps{play: []step{half, say("Whole."), half, half, call("c", "paint", "{}")}}), nil)
	for i, text := range []string{"cut", "whole", "cut again"} {
		events(t, f.start(f.input("t1", text)), false)
		if i == 0 {
			events(t, f.start(f.input("whole", text)), false)
		}
	}
	stored := value(f.store.Transcript(t.Context(), ada, "t1", ""))(t)
	events(t, f.start(f.input("waits", "paint")), false)
	last := f.answerOf("t1").ID
	for _, tt := range []struct {
		name, thread, message string
		change                func(*agui.RunAgentInput)
		want                  string
	}{
		{"an unknown message", "t1", "nope", nil, `the thread has no message "nope"`},
		{"a new thread", "new", last, nil, "the thread has no message"},
		{"the user's message", "t1", stored[0].ID, nil, "is not the thread's last answer"},
		{"an earlier answer", "t1", stored[1].ID, nil, "is not the thread's last answer"},
		{"an answer that is whole", "whole", f.answerOf("whole").ID, nil, "was not cut off"},
		{"an answer whose calls wait", "waits", f.answerOf("waits").ID, nil, "was not cut off"},
		{"with a question", "t1", last, func(in *agui.RunAgentInput) {
			in.Messages = []agui.Message{{ID: "more", Role: agui.RoleUser, Content: agui.TextContent("and?")}}
		}, "bring new ones"},
		{"with an answer to an interrupt", "t1", last, func(in *agui.RunAgentInput) {
			in.Resume = []agui.ResumeEntry{{InterruptID: "i", Status: agui.ResumeCancelled}}
		}, "answer interrupts"},
		{"in place of a question", "t1", last, func(in *agui.RunAgentInput) {
			in.ForwardedProps = rawJSON(`{"pageside":{"continues":"` + last + `","replaces":"` + stored[0].ID + `"}}`)
		}, "replace a question"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := f.goOn(tt.thread, tt.message)
			if tt.change != nil {
				tt.change(in)
			}
			_, err := f.Start(t.Context(), Request{Principal: adaPrincipal, Agent: "default", Input: in, Fingerprint: in.RunID})
			if e, ok := errors.AsType[*Error](err); !ok || e.Code != CodeInvalid || e.Field != "forwardedProps.pageside.continues" || !strings.Contains(e.Message, tt.want) {
				t.Errorf("error is %v, want %q", err, tt.want)
			}
		})
	}
	if got := f.metadata("t1"); got != strings.Join([]string{cutMark, cutMark, cutMark}, " ") {
		t.Errorf("the thread is marked %s", got)
	}
}

// TestContinueTwice: of two tabs that ask for it at the same time, one goes on with the answer. A
// request that is sent again reads the run that there is.
func TestContinueTwice(t *testing.T) {
	model := &steps{play: []step{cutBy(llm.FinishLength, "Half of"), say(" it.")}}
	f := managerWith(t, temp.Store(t), agentWith(t, model), nil)
	events(t, f.start(f.input("t1", "hello")), false)
	in := f.goOn("t1", f.answerOf("t1").ID)
	first := readAll(t, f.start(in).Read(false))
	if again := readAll(t, f.start(in).Read(false)); again != first {
		t.Errorf("the same request reads\n%s\nand then\n%s", first, again)
	}
	in.RunID = "other"
	if _, err := f.Start(t.Context(), Request{Principal: adaPrincipal, Agent: "default", Input: in, Fingerprint: "other"}); err == nil {
		t.Error("the answer goes on twice")
	}
	if got := f.answerOf("t1"); got.Content.Text() != "Half of it." || model.calls() != 2 {
		t.Errorf("after %d calls the answer is %q", model.calls(), got.Content.Text())
	}
}

// TestContinueEndsEarly: a run that goes on with an answer and fails, or is stopped, leaves what it
// has added. The answer is still cut, not failed, and goes on again.
func TestContinueEndsEarly(t *testing.T) {
	waits := make(chan struct{})
	for name, tt := range map[string]struct {
		play step
		stop bool
	}{
		"fails": {func(_ context.Context, _ *llm.Request, yield func(llm.Part, error) bool) {
			_ = yield(llm.Part{Kind: llm.TextDelta, Delta: " it"}, nil) && yield(llm.Part{}, &llm.Error{Kind: llm.KindBadRequest, Model: "fake/steps", Message: "broken"})
		}, false},
		"is stopped": {func(ctx context.Context, _ *llm.Request, yield func(llm.Part, error) bool) {
			yield(llm.Part{Kind: llm.TextDelta, Delta: " it"}, nil)
			close(waits)
			<-ctx.Done()
			yield(llm.Part{}, &llm.Error{Kind: llm.KindCancelled, Model: "fake/steps", Message: "cancelled"})
		}, true},
		"panics": {func(ctx context.Context, _ *llm.Request, yield func(llm.Part, error) bool) {
			yield(llm.Part{Kind: llm.TextDelta, Delta: " it"}, nil)
			panic("a bug")
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := managerWith(t, temp.Store(t), agentWith(t, &steps{play: []step{cutBy(llm.FinishLength, "Half of"), tt.play, say(", and more.")}}), nil)
			events(t, f.start(f.input("t1", "hello")), false)
			answer := f.answerOf("t1")
			r := f.start(f.goOn("t1", answer.ID))
			if tt.stop {
				<-waits
				must(t, f.Cancel(t.Context(), ada, r.ID))
			}
			legal(t, events(t, r, false))
			if now := f.answerOf("t1"); now.ID != answer.ID || now.Content.Text() != "Half of it" || f.metadata("t1") != cutMark {
				t.Errorf("the answer is %q %s", now.Content.Text(), f.metadata("t1"))
			}
			events(t, f.start(f.goOn("t1", answer.ID)), false)
			if now := f.answerOf("t1"); now.ID != answer.ID || now.Content.Text() != "Half of it, and more." {
				t.Errorf("the answer is %q", now.Content.Text())
			}
		})
	}
}

// TestContinueIsFollowed: other tabs see the answer grow once, whether they come before the run,
// while it is live, or follow it when it is over.
func TestContinueIsFollowed(t *testing.T) {
	st := temp.Store(t)
	goes, on := make(chan struct{}), make(chan struct{})
	slow := func(ctx context.Context, req *llm.Request, yield func(llm.Part, error) bool) {
		if yield(llm.Part{Kind: llm.TextDelta, Delta: " it. And "}, nil) && yield(llm.Part{Kind: llm.Pause}, nil) {
			close(goes)
			<-on
			say("more.")(ctx, req, yield)
		}
	}
	f := managerWith(t, st, agentWith(t, &steps{play: []step{cutBy(llm.FinishLength, "Half of"), slow}}), nil)
	events(t, f.start(f.input("t1", "hello")), false)
	early := f.follow(t, FollowRequest{ThreadID: "t1", Stay: true})
	defer early.Close()
	var seen strings.Builder
	for frames, _ := early.Next(); len(frames) > 0; frames, _ = early.Next() {
		seen.Write(frames)
	}
	r := f.start(f.goOn("t1", f.answerOf("t1").ID))
	<-goes
	during := f.follow(t, FollowRequest{ThreadID: "t1"})
	close(on)
	events(t, r, false)
	late := readAll(t, f.follow(t, FollowRequest{ThreadID: "t1"}))
	for !strings.Contains(seen.String(), "more.") || !strings.HasSuffix(strings.TrimSpace(seen.String()), "}") || strings.Count(seen.String(), "RUN_FINISHED") < 3 {
		frames, _ := early.Next()
		if len(frames) == 0 {
			<-early.Wake()
		}
		seen.Write(frames)
	}
	for name, stream := range map[string]string{"before it": seen.String(), "during it": readAll(t, during), "after it": late} {
		if got := threadState(t, decode(t, stream)); got != f.thread("t1") || !strings.HasSuffix(got, "=Half of it. And more.") {
			t.Errorf("who came %s reads %q, the thread is %q", name, got, f.thread("t1"))
		}
	}
	// Whatever part of the run a client has, the rest completes it.
	log := logOf(t, st, r.ID)
	for rest := []byte(log); len(rest) > 0; {
		var frame []byte
		frame, rest = nextFrame(rest)
		if again := readAll(t, f.follow(t, FollowRequest{RunID: r.ID, After: frameID(frame)})); again != string(rest) {
			t.Errorf("behind %s comes %q", frameID(frame), again)
		}
	}
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
		now, stop := context.WithCancel(t.Context())
		stop()
		f.Drain(now)
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

// TestContinueKeepsTheRating: a rating given while the answer goes on is not lost with the answer's
// old metadata.
func TestContinueKeepsTheRating(t *testing.T) {
	st := temp.Store(t)
	var f *fixture
	rated := func(ctx context.Context, req *llm.Request, yield func(llm.Part, error) bool) {
		err := st.SetMessageMetadata(t.Context(), ada, "t1", f.answerOf("t1").ID, func(m agui.Message) (json.RawMessage, error) { return agui.WithRating(m.Metadata, 1) })
		if err != nil {
			t.Error(err)
		}
		say(" it.")(ctx, req, yield)
	}
	f = managerWith(t, st, agentWith(t, &steps{play: []step{cutBy(llm.FinishLength, "Half of"), rated}}), nil)
	events(t, f.start(f.input("t1", "hello")), false)
	events(t, f.start(f.goOn("t1", f.answerOf("t1").ID)), false)
	if got := f.metadata("t1"); got != `{"pageside":{"feedback":{"rating":1}}}` {
		t.Errorf("the answer is marked %s", got)
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
	now, stop := context.WithCancel(t.Context())
	stop()
	f.Drain(now)
	f = managerWith(t, st, agentWith(t, &steps{play: []step{say("and more.")}}), nil)
	f.admission.work.Wait()
	legal(t, decode(t, logOf(t, st, "b")))
	if got := f.thread("t1"); got != "user=hello | assistant=Half of it, and more." || strings.Contains(f.metadata("t1"), "cut") {
		t.Errorf("the thread is %q %s", got, f.metadata("t1"))
	}
}
