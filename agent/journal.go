package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/pageside/pageside/agent/prompt"
	"github.com/pageside/pageside/internal/guard"
	"github.com/pageside/pageside/tool"
)

// plan enters the calls that are about to run into the journal.
func (r *run) plan(ctx context.Context, t *turn) error {
	var calls []JournalCall
	for _, c := range t.calls {
		if c.runs() && c.planned == "" {
			calls = append(calls, JournalCall{
				ID: c.id, Tool: c.ready.tool.Name, RunID: r.in.RunID, Args: c.ready.args, Effect: c.ready.tool.Effect, State: CallPlanned,
			})
		}
	}
	if len(calls) == 0 {
		return nil
	}
	if err := r.journal.Plan(ctx, calls); err != nil {
		return fmt.Errorf("agent: planning %d tool calls: %w", len(calls), err)
	}
	return nil
}

// execute runs a call once the journal has it as started. It runs beside others, in a goroutine of
// its own. A call whose allowance holds no more is answered and never starts.
func (r *run) execute(ctx context.Context, c *call, report func(tool.Progress)) (result tool.Result, err error) {
	defer guard.Error(&err)
	if !c.started && ctx.Err() == nil {
		if r.lapsed(ctx, c) {
			return notAllowed(), nil
		}
		if err := r.journal.Start(ctx, c.id); err != nil {
			return interrupted(), fmt.Errorf("agent: starting tool call %q: %w", c.id, err)
		}
	}
	return tool.Execute(ctx, c.ready.tool, r.toolCall(c), report), nil
}

// finishCall takes a call's result: the journal keeps the whole of it, the model is shown as much
// as it may read at once. A call that was left because the run's context ended stays started:
// whether it had its effect is not known.
func (r *run) finishCall(ctx context.Context, c *call, result tool.Result) error {
	c.answer(result)
	c.result.Text = prompt.Shorten(r.agent.maxResult(), c.id, c.result.Text)
	r.traceResult(c, result)
	if ctx.Err() != nil && result.IsError {
		return nil
	}
	payload, err := payloadJSON(result.Payload)
	if err != nil {
		slog.WarnContext(ctx, "a tool's payload is not JSON", "tool", c.name, "toolCallId", c.id, "error", err)
	}
	entry := JournalCall{
		ID: c.id, Tool: c.name, RunID: r.plannedBy(c), Args: c.ready.args, Effect: c.ready.tool.Effect, State: CallFinished,
		Result: result.Text, Payload: payload, IsError: result.IsError,
	}
	// What happened is recorded even where the run was stopped meanwhile.
	if err := r.journal.Finish(context.WithoutCancel(ctx), c.id, entry); err != nil {
		return fmt.Errorf("agent: recording the result of tool call %q: %w", c.id, err)
	}
	return nil
}

func payloadJSON(payload any) (json.RawMessage, error) {
	if payload == nil {
		return nil, nil
	}
	return json.Marshal(payload)
}

func (r *run) plannedBy(c *call) string {
	if c.planned != "" {
		return c.planned
	}
	return r.in.RunID
}

// callKey is the idempotency key of a call: the same however often the call is run again after
// crashes, since the run that planned it stays the same, and unlike that of any other call of
// anybody.
func (r *run) callKey(c *call) string {
	return keyOf(r.in.Owner, r.in.ThreadID, r.plannedBy(c), c.id)
}

// keyOf is the same for the same parts and tells nothing about them.
func keyOf(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(h, "%d %s ", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// memory is the journal of a run that was given none.
type memory struct {
	mu      sync.Mutex
	results map[string]string
}

func (m *memory) Plan(context.Context, []JournalCall) error { return nil }
func (m *memory) Start(context.Context, string) error       { return nil }
func (m *memory) Taint(context.Context) error               { return nil }

func (m *memory) Finish(_ context.Context, id string, c JournalCall) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.results == nil {
		m.results = map[string]string{}
	}
	m.results[id] = c.Result
	return nil
}

func (m *memory) Result(_ context.Context, id string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	text, ok := m.results[id]
	if !ok {
		return "", errors.New("the result is not kept any more")
	}
	return text, nil
}
