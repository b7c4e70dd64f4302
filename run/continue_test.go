package run

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
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
