package agent

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/test/must"
)

// pickyModel refuses every request that holds what it does not take.
type pickyModel struct {
	fakeModel
	err     llm.Error
	refuses func(*llm.Request) bool
	refused int
}

func (m *pickyModel) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Part, error] {
	if m.refuses(req) {
		m.refused++
		return func(yield func(llm.Part, error) bool) {
			yield(llm.Part{}, &m.err)
		}
	}
	return m.fakeModel.Stream(ctx, req)
}

func holdsMedia(req *llm.Request) bool {
	return slices.ContainsFunc(req.Messages, func(m llm.Message) bool {
		return slices.ContainsFunc(m.Content, func(c llm.Content) bool { _, ok := c.(llm.Media); return ok })
	})
}

const pixel = `{"type":"image","source":{"type":"data","value":"iVBORw0KGgo=","mimeType":"image/png"},"metadata":{"name":"p.png"}}`

func attached(t *testing.T, id, parts string) agui.Message {
	t.Helper()
	m, err := agui.UnmarshalMessage(fmt.Appendf(nil, `{"id":%q,"role":"user","content":[{"type":"text","text":"see"},%s]}`, id, parts))
	must.Do(t, err)
	return m
}

// A provider that refuses what an attachment holds is told of it in words: the thread goes on.
func TestRefusedMediaAreToldInWords(t *testing.T) {
	for _, refusal := range []llm.Error{{Kind: llm.KindBadRequest, Status: 400}, {Kind: llm.KindContextFull, Status: 413}} {
		kind, model := refusal.Kind, &pickyModel{err: refusal, refuses: holdsMedia}
		model.steps = [][]fakePart{append(calling(0, "noop"), ends(llm.FinishTools)), textStep("It is gone."), textStep("As I said.")}
		a := &Agent{ID: "x", Approvals: Approvals{IgnoreTaint: true}, Model: model, Pages: silencePages(t)}
		history := []agui.Message{attached(t, "u1", pixel)}
		for i, question := range []string{"", "And now?"} {
			if question != "" {
				history = append(history, agui.Message{ID: "u2", Role: agui.RoleUser, Content: agui.TextContent(question)})
			}
			out := newRecorder(history)
			outcome, err := a.Run(t.Context(), Input{ThreadID: "t1", RunID: "r1", History: history}, out)
			if bad := out.finish(outcome, err); err != nil || bad != nil || !readable(out.events) {
				t.Fatalf("%s, question %d: %v, %v", kind, i+1, err, bad)
			}
			history = out.transcript.Messages()
			must.Have(t, string(history[0].Content.Raw()), "iVBORw0KGgo=", "the stored attachment")
		}
		// once in each run, which has a step more
		if model.refused != 2 || len(model.requests) != 3 {
			t.Errorf("%s: refused %d times, taken %d times", kind, model.refused, len(model.requests))
		}
		for _, req := range model.requests {
			if !strings.Contains(fmt.Sprintf("%+v", req.Messages), "the file “p.png” (image/png) that you cannot be shown, since the provider refused") {
				t.Errorf("%s: the model is not told of the attachment: %+v", kind, req.Messages)
			}
		}
	}
}

// What has no attachment that could be why is refused once, and so is what is refused without them.
func TestOtherRefusalsFailAsBefore(t *testing.T) {
	quiet(t)
	all := func(*llm.Request) bool { return true }
	for name, tc := range map[string]struct {
		question agui.Message
		refused  int
	}{
		"no attachment": {user("Go"), 1},
		"a text":        {attached(t, "u1", `{"type":"document","source":{"type":"data","value":"YSxi","mimeType":"text/csv"}}`), 1},
		"an image":      {attached(t, "u1", pixel), 2},
	} {
		model := &pickyModel{err: llm.Error{Kind: llm.KindBadRequest, Status: 400}, refuses: all}
		history := []agui.Message{tc.question}
		out := newRecorder(history)
		_, err := (&Agent{ID: "x", Approvals: Approvals{IgnoreTaint: true}, Model: model, Pages: silencePages(t)}).Run(t.Context(), Input{ThreadID: "t1", RunID: "r1", History: history}, out)
		if e, ok := errors.AsType[*llm.Error](err); !ok || e.Kind != llm.KindBadRequest || model.refused != tc.refused {
			t.Errorf("%s: refused %d times, want %d: %v", name, model.refused, tc.refused, err)
		}
	}
}
