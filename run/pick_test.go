package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/store/storetest/temp"
)

// offered are the models of an agent that users may choose from. They note who was asked, with
// which effort, and report what they used.
type offered struct {
	asked []string
	agent *agent.Agent
}

func offering(t *testing.T) *offered {
	t.Helper()
	o := &offered{}
	small := o.model("small", llm.Prices{Input: 1, Output: 1})
	large := o.model("large", llm.Prices{Input: 100, Output: 100})
	o.agent = agentWith(t, small)
	o.agent.Choices = agent.Choices{{ID: "fast", Model: small}, {ID: "deep", Label: "Thorough", Model: large, Efforts: []string{"low", "high"}}}
	must(t, o.agent.Validate())
	return o
}

func (o *offered) model(name string, prices llm.Prices) llm.Model {
	used := int64(1_000_000)
	m := counting{info: llm.Info{Provider: "fake", Model: name, Tools: true, Reasoning: true, Prices: prices}, steps: &steps{}}
	answer := func(ctx context.Context, req *llm.Request, yield func(llm.Part, error) bool) {
		o.asked = append(o.asked, strings.TrimSuffix(name+" "+req.Effort, " "))
		if !yield(llm.Part{Kind: llm.UsagePart, Usage: &llm.Usage{Input: &used, Output: new(int64)}}, nil) {
			return
		}
		if said := req.Messages[len(req.Messages)-1].Content; strings.Contains(fmt.Sprint(said), "paint") {
			call("c", "paint", "{}")(ctx, req, yield)
			return
		}
		say("Said by "+name+".")(ctx, req, yield)
	}
	for range 20 {
		m.steps.play = append(m.steps.play, answer)
	}
	return m
}

// wants fails unless the models that were asked since the last time are these.
func (o *offered) wants(t *testing.T, what, models string) {
	t.Helper()
	if got := strings.Join(o.asked, ", "); got != models {
		t.Errorf("%s: asked %q, want %q", what, got, models)
	}
	o.asked = nil
}

// TestThePickedModelAnswers: what a user has chosen answers, and goes on answering in that branch
// of the thread, also for clients that don't say it again, and after a restart.
func TestThePickedModelAnswers(t *testing.T) {
	restart := restarts(t)
	o := offering(t)
	f := managerWith(t, restart(), o.agent, nil)
	f.tell("t1", "u1", "")
	o.wants(t, "nothing chosen", "small")
	f.tell("t1", "u1 u2", `{"model":"deep","effort":"high"}`)
	o.wants(t, "chosen", "large high")
	f.tell("t1", "u1 u2 u3", "")
	o.wants(t, "not said again", "large high")
	f.tell("t1", "u1 u2 u3 u4", `{"model":"deep"}`)
	o.wants(t, "without the effort", "large")
	f.tell("t2", "u11", "")
	o.wants(t, "another thread", "small")

	f = managerWith(t, restart(), o.agent, nil)
	f.n = 20
	f.tell("t1", "u1 u2 u3 u4 u5", "")
	o.wants(t, "after a restart", "large")
	f.tell("t1", "u1 u6", `{"replaces":"u2"}`)
	o.wants(t, "on a branch from before", "small")
	f.tell("t1", "u1 u6 u7", `{"model":"fast"}`)
	o.wants(t, "the agent's own", "small")

	o.agent.Choices = o.agent.Choices[:1]
	f.tell("t3", "u12", "")
	o.wants(t, "a new thread", "small")
}

// TestAPickThatIsGone: where the thread's choice is not offered any more, the agent chooses.
func TestAPickThatIsGone(t *testing.T) {
	o := offering(t)
	f := managerWith(t, temp.Store(t), o.agent, nil)
	f.tell("t1", "u1", `{"model":"deep","effort":"low"}`)
	o.wants(t, "chosen", "large low")
	o.agent.Choices[1].Efforts = []string{"high"}
	f.tell("t1", "u1 u2", "")
	o.wants(t, "no such effort", "small")
}

// TestThePickAnswersTheRestOfAQuestion: the run that goes on with the page's result is the same
// model's, whatever its request names.
func TestThePickAnswersTheRestOfAQuestion(t *testing.T) {
	o := offering(t)
	f := managerWith(t, temp.Store(t), o.agent, nil)
	in := f.input("t1", "paint it")
	in.ForwardedProps = rawJSON(`{"pageside":{"model":"deep","effort":"low"}}`)
	events(t, f.start(in), false)
	o.wants(t, "the question", "large low")
	in = f.input("t1", "")
	in.ForwardedProps = rawJSON(`{"pageside":{"model":"fast"}}`) // for the next question
	in.Messages = []agui.Message{{ID: "r1", Role: agui.RoleTool, ToolCallID: "c1", Content: agui.TextContent("done")}}
	events(t, f.start(in), false)
	o.wants(t, "the rest", "large low")
}

// TestAQuestionAskedAgainMayPickAnother: what failed is asked again of another model.
func TestAQuestionAskedAgainMayPickAnother(t *testing.T) {
	o := offering(t)
	small := o.agent.Model.(counting)
	small.steps.play[0] = func(_ context.Context, _ *llm.Request, yield func(llm.Part, error) bool) {
		yield(llm.Part{}, &llm.Error{Kind: llm.KindBadRequest, Model: "fake/small", Message: "no"})
	}
	f := managerWith(t, temp.Store(t), o.agent, nil)
	f.tell("t1", "u1", "")
	o.wants(t, "it fails", "")
	f.tell("t1", "u1", `{"model":"deep"}`)
	o.wants(t, "asked again", "large")
	f.tell("t1", "u1 u2", "")
	o.wants(t, "and it stays", "large")
}

// TestThePickIsPaidFor: what a run used is of the model that answered, at its price.
func TestThePickIsPaidFor(t *testing.T) {
	o := offering(t)
	f := managerWith(t, temp.Store(t), o.agent, nil)
	in := f.input("t1", "hello")
	in.ForwardedProps = rawJSON(`{"pageside":{"model":"deep"}}`)
	r := f.start(in)
	events(t, r, false)
	o.wants(t, "chosen", "large")
	runs, err := f.store.Runs(t.Context(), ada, "t1")
	if err != nil || len(runs) != 1 {
		t.Fatal(runs, err)
	}
	var used struct {
		Usage []struct{ Model string }
		Cost  float64
	}
	if err := json.Unmarshal(runs[0].Usage, &used); err != nil || len(used.Usage) != 1 || used.Usage[0].Model != "large" || used.Cost != 100 {
		t.Errorf("the run used %s (%v)", runs[0].Usage, err)
	}
}

// TestOnlyWhatIsOfferedIsPicked: anything else is refused, with what there is.
func TestOnlyWhatIsOfferedIsPicked(t *testing.T) {
	o := offering(t)
	f := managerWith(t, temp.Store(t), o.agent, nil)
	for pick, want := range map[string]string{
		`{"model":"openai/gpt-5"}`:           "forwardedProps.pageside.model: must be one of fast, deep",
		`{"model":"deep","effort":"medium"}`: "forwardedProps.pageside.effort: must be one of low, high",
		`{"model":"fast","effort":"low"}`:    "forwardedProps.pageside.effort: there is no choice",
		`{"effort":"low"}`:                   "forwardedProps.pageside.effort: there is no choice",
	} {
		in := f.input("t1", "hello")
		in.ForwardedProps = rawJSON(`{"pageside":` + pick + `}`)
		_, err := f.Start(t.Context(), Request{Principal: adaPrincipal, Agent: "default", Input: in, Fingerprint: "f" + in.RunID})
		if e, ok := errors.AsType[*Error](err); !ok || e.Code != CodeInvalid || e.Field+": "+e.Message != want {
			t.Errorf("%s: %+v, want %s", pick, err, want)
		}
	}
	o.wants(t, "refused", "")
	o.agent.Choices = nil
	_, err := f.Start(t.Context(), Request{Principal: adaPrincipal, Agent: "default", Fingerprint: "f", Input: func() *agui.RunAgentInput {
		in := f.input("t2", "hello")
		in.ForwardedProps = rawJSON(`{"pageside":{"model":"fast"}}`)
		return in
	}()})
	if e, ok := errors.AsType[*Error](err); !ok || e.Message != "there is no choice" {
		t.Errorf("an agent without choices: %v", err)
	}
}
