package inspect

import (
	"iter"
	"slices"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/page"
)

// FromEvents returns what the stored events of a run tell of it, for a run that no recorder has
// kept: what the model said and thought, step by step, and the tool calls with their results. The
// effort is the run's. The prompt, the context, times and decisions are in no event, and stay
// empty. An error among the events is returned.
func FromEvents(s Summary, events iter.Seq2[agui.Event, error]) (Detail, error) {
	s.Stored = true
	f := folder{Detail: Detail{
		Summary: s, Sections: []page.Section{}, Tools: []ToolView{}, Withheld: []agent.Withheld{},
		Context: []ContextView{}, Steps: []Step{}, Calls: []CallView{},
	}}
	for e, err := range events {
		if err != nil {
			return f.Detail, err
		}
		f.take(e)
	}
	f.Detail.Summary.Steps, f.Detail.Summary.Calls = len(f.Detail.Steps), len(f.Detail.Calls)
	f.ToolNames = []string{}
	for _, c := range f.Detail.Calls {
		if !slices.Contains(f.ToolNames, c.Name) {
			f.ToolNames = append(f.ToolNames, c.Name)
		}
	}
	return f.Detail, nil
}

// folder collects what events say.
type folder struct{ Detail }

func (f *folder) take(e agui.Event) {
	switch e := e.(type) {
	case *agui.StepStarted:
		f.Detail.Steps = append(f.Detail.Steps, Step{
			Effort: f.Effort, BeganAt: f.BeganAt, FirstMS: -1, MS: -1, Attempt: 1, Messages: []MessageView{},
		})
	case *agui.TextMessageContent:
		f.step().Text += e.Delta
	case *agui.ReasoningMessageContent:
		f.step().Reasoning += e.Delta
	case *agui.ToolCallStart:
		f.step()
		f.Detail.Calls = append(f.Detail.Calls, CallView{
			ID: e.ToolCallID, Name: e.ToolCallName, Step: len(f.Detail.Steps) - 1, BeganAt: f.BeganAt,
		})
	case *agui.ToolCallArgs:
		f.change(e.ToolCallID, func(c *CallView) { c.Args += e.Delta })
	case *agui.ToolCallResult:
		f.change(e.ToolCallID, func(c *CallView) { c.Decision, c.Result = agent.DecisionRuns, e.Content.Text() })
	case *agui.RunError:
		f.Error = e.Message
	}
}

// step returns the model call that an event belongs to. Agents that are not the built-in one need
// not tell their steps.
func (f *folder) step() *Step {
	if len(f.Detail.Steps) == 0 {
		f.take(&agui.StepStarted{})
	}
	return &f.Detail.Steps[len(f.Detail.Steps)-1]
}

func (f *folder) change(id string, change func(*CallView)) {
	for i := range f.Detail.Calls {
		if f.Detail.Calls[i].ID == id {
			change(&f.Detail.Calls[i])
		}
	}
}
