package inspect

import (
	"iter"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
)

// FromEvents returns what the stored events of a run tell of it, for a run that no recorder has
// kept: what the model said and thought, step by step, and the tool calls with their results. The
// effort is the run's. The prompt, the context, times and decisions are in no event, and stay
// empty. An error among the events is returned.
func FromEvents(s Summary, events iter.Seq2[agui.Event, error]) (Detail, error) {
	s.Stored = true
	d := detailOf(s)
	for e, err := range events {
		if err != nil {
			return d, err
		}
		d.take(e)
	}
	d.Summary.Steps, d.Summary.Calls = len(d.Steps), len(d.Calls)
	d.ToolNames = []string{}
	for _, c := range d.Calls {
		d.name(c.Name)
	}
	return d, nil
}

// take takes what an event says.
func (d *Detail) take(e agui.Event) {
	switch e := e.(type) {
	case *agui.StepStarted:
		d.Steps = append(d.Steps, Step{
			Effort: d.Effort, BeganAt: d.BeganAt, FirstMS: -1, MS: -1, Attempt: 1, Messages: []MessageView{},
		})
	case *agui.TextMessageContent:
		d.step().Text += e.Delta
	case *agui.ReasoningMessageContent:
		d.step().Reasoning += e.Delta
	case *agui.ToolCallStart:
		d.step()
		d.Calls = append(d.Calls, CallView{
			ID: e.ToolCallID, Name: e.ToolCallName, Step: len(d.Steps) - 1, BeganAt: d.BeganAt,
		})
	case *agui.ToolCallArgs:
		d.change(e.ToolCallID, func(c *CallView) { c.Args += e.Delta })
	case *agui.ToolCallResult:
		d.change(e.ToolCallID, func(c *CallView) { c.Decision, c.Result = agent.DecisionRuns, e.Content.Text() })
	case *agui.RunError:
		d.Error = e.Message
	}
}

// step returns the model call that an event belongs to. Agents that are not the built-in one need
// not tell their steps.
func (d *Detail) step() *Step {
	if len(d.Steps) == 0 {
		d.take(&agui.StepStarted{})
	}
	return &d.Steps[len(d.Steps)-1]
}

func (d *Detail) change(id string, change func(*CallView)) {
	for i := range d.Calls {
		if d.Calls[i].ID == id {
			change(&d.Calls[i])
		}
	}
}
