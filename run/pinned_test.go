package run

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/store/storetest/temp"
)

const approved = `{"approved":true}`

// TestPinnedResumeAtOnce: however often and closely together a body is posted, it is one run.
func TestPinnedResumeAtOnce(t *testing.T) {
	f, world, model := guardedScene(t, temp.Store(t), "pay")
	asked := asks(t, f.tell("t1", "u1", ""))
	in := f.input("t1", "")
	in.RunID, in.Resume = "run1", []agui.ResumeEntry{answerTo(asked[0], approved)}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			r, err := f.Start(t.Context(), Request{Principal: adaPrincipal, Agent: "default", Input: in, Fingerprint: "answer"})
			if err != nil || r.ID != "run1~2" {
				t.Errorf("%+v, %v", r, err)
				return
			}
			readAll(t, r.Read(false))
		})
	}
	all.Wait()
	wantEffects(t, world, map[string]int{"pay": 1})
	if model.calls() != 2 {
		t.Errorf("the model was asked %d times", model.calls())
	}
}

// hanging is a step that says something and then nothing more.
func hanging(text string) step {
	return func(ctx context.Context, _ *llm.Request, yield func(llm.Part, error) bool) {
		if yield(llm.Part{Kind: llm.TextDelta, Delta: text}, nil) && yield(llm.Part{Kind: llm.Pause}, nil) {
			<-ctx.Done()
			yield(llm.Part{}, ctx.Err())
		}
	}
}

// handOver ends a process whose runs are left to the next one.
func handOver(t *testing.T, f *fixture) {
	t.Helper()
	now, stop := context.WithCancel(t.Context())
	stop()
	f.Drain(now)
}

// readUntil reads whole frames until one says something.
func readUntil(t *testing.T, reader *Reader, text string) string {
	t.Helper()
	var seen strings.Builder
	for !strings.Contains(seen.String(), text) {
		frames, done := reader.Next()
		seen.Write(frames)
		if len(frames) > 0 {
			continue
		}
		if done {
			t.Fatalf("the stream ended without %q:\n%s", text, seen.String())
		}
		awaken(t, reader, &seen)
	}
	return seen.String()
}
