package main

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/config"
	"github.com/pageside/pageside/demo"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/store/sqlstore"
)

// replay repeats the conversation with the demo and returns the model calls that it takes.
func replay(ctx context.Context, c *conversation, d *demo.Demo) ([]call, error) {
	model, err := demo.NewScripted()
	if err != nil {
		return nil, err
	}
	recorder := &recorder{Model: model.WithPace(0)}
	site, err := assistant(ctx, d, recorder, c.pageTools())
	if err != nil {
		return nil, err
	}
	defer site.Close()
	threads, err := sqlstore.OpenTemp(ctx)
	if err != nil {
		return nil, err
	}
	defer threads.Close()
	manager, err := run.NewManager(ctx, run.Config{Store: threads, Agents: site.Served(), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	defer manager.Drain(ctx)
	p := player{manager: manager, agents: site.Agents, recorder: recorder, calls: map[string]string{}}
	for i, r := range c.runs {
		if err := p.play(ctx, i, r); err != nil {
			return nil, fmt.Errorf("run %d: %w", i+1, err)
		}
	}
	return recorder.calls, nil
}

// patience is how long one call of a backend tool may take.
const patience = 5 * time.Minute

// assistant returns the demo's assistant with a given model.
func assistant(ctx context.Context, d *demo.Demo, model llm.Model, ofPage []config.PageTool) (*config.Site, error) {
	source, err := config.FromFile(config.File{PageTools: ofPage, Agents: []config.Agent{{
		ID: "default", Instructions: config.Text(d.AgentInstructions()), Model: model.Info().Name(),
	}}})
	if err != nil {
		return nil, err
	}
	tools := d.Tools()
	for _, t := range tools {
		t.Policy.Timeout = patience // a slow machine must not change what is said
	}
	return config.Build(ctx, source, config.Options{
		Tools: tools, Payloads: d.Payloads(), Pages: d.Pages(), OpenModel: func(config.ModelSpec) (llm.Model, error) { return model, nil },
	})
}

// player posts recorded bodies. The ids of tool calls are random, so it replaces those of the
// recording by those of the replay.
type player struct {
	manager  *run.Manager
	agents   []*agent.Agent
	recorder *recorder
	calls    map[string]string // the replay's call by the recording's
}

func (p *player) play(ctx context.Context, number int, r recorded) error {
	in := *r.input
	in.Messages = slices.Clone(in.Messages)
	for i := range in.Messages {
		if m := &in.Messages[i]; m.Role == agui.RoleTool {
			m.ToolCallID = p.calls[m.ToolCallID]
		}
	}
	p.recorder.next(number, &in)
	started, err := p.manager.Start(ctx, run.Request{Principal: auth.Local, Agent: p.agents[0].ID, Input: &in, Fingerprint: in.RunID})
	if err != nil {
		return err
	}
	pending, err := end(ctx, started)
	if err != nil {
		return err
	}
	if len(pending) != len(r.pending) {
		return fmt.Errorf("it left %d tool calls to the page, in the recording %d: record the conversation again", len(pending), len(r.pending))
	}
	for i, id := range pending {
		p.calls[r.pending[i]] = id
	}
	return nil
}

// end waits for the end of a run and returns the tool calls that it left to the page.
func end(ctx context.Context, r *run.Run) ([]string, error) {
	reader := r.Read(false)
	defer reader.Close()
	var last agui.Event
	if err := reader.Rest(ctx, func(e agui.Event) { last = e }); err != nil {
		return nil, err
	}
	finished, ok := last.(*agui.RunFinished)
	switch {
	case !ok:
		return nil, fmt.Errorf("it ended with %+v", last)
	case finished.Outcome == nil:
		return nil, nil
	}
	return finished.Outcome.PendingToolCallIDs, nil
}
