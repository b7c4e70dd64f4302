package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/calls"
	"github.com/pageside/pageside/journal"
	"github.com/pageside/pageside/tool"
)

// callJournal records the progress of a run's calls in its Journal.
type callJournal struct {
	kept                   Journal
	owner, threadID, runID string
	principal              auth.Principal
	origin                 tool.Origin // of the run's own calls
	log                    *slog.Logger
}

func newCallJournal(in *Input, from tool.Origin, log *slog.Logger) *callJournal {
	j := &callJournal{in.Journal, in.Owner, in.ThreadID, in.RunID, in.Principal, from, log}
	if j.kept == nil {
		j.kept = &memory{}
	}
	return j
}

// plan records the calls that are about to run.
func (j *callJournal) plan(ctx context.Context, calls []*call) error {
	var planned []journal.ToolCall
	for _, c := range calls {
		if c.runs() && c.planned == "" {
			planned = append(planned, journal.ToolCall{
				ID: c.id, Tool: c.ready.tool.Name, RunID: j.runID, Args: c.ready.args,
				Effect: string(c.ready.tool.Effect), State: journal.Planned,
				Definition: c.ready.tool.Definition(), AllowedBy: c.allowedBy(), Origin: c.originJSON(),
			})
		}
	}
	if len(planned) == 0 {
		return nil
	}
	if err := j.kept.Plan(ctx, planned); err != nil {
		return fmt.Errorf("agent: planning %d tool calls: %w", len(planned), err)
	}
	return nil
}

// start records that the call's handler is about to begin, unless that is known.
func (j *callJournal) start(ctx context.Context, c *call) error {
	if c.rerun {
		return nil
	}
	if err := j.kept.Start(ctx, c.id); err != nil {
		return fmt.Errorf("agent: starting tool call %q: %w", c.id, err)
	}
	return nil
}

// originOf returns where the user was when the model made a call.
func (j *callJournal) originOf(c *call) tool.Origin {
	if c.origin != nil {
		return *c.origin
	}
	return j.origin
}

// finish records the full result of a call, even if the run has been stopped.
func (j *callJournal) finish(ctx context.Context, c *call, result tool.Result) error {
	payload, err := payloadJSON(result.Payload)
	if err != nil {
		j.log.WarnContext(ctx, "a tool's payload is not JSON", "tool", c.name, "toolCallId", c.id, "error", err)
	}
	entry := journal.ToolCall{
		ID: c.id, Tool: c.name, RunID: j.plannedBy(c), Args: c.ready.args, Effect: string(c.ready.tool.Effect),
		State:  journal.Finished,
		Result: result.Text, Payload: payload, Sources: sourcesJSON(result.Sources), IsError: result.IsError,
	}
	if err := j.kept.Finish(context.WithoutCancel(ctx), c.id, entry); err != nil {
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

func (j *callJournal) plannedBy(c *call) string {
	if c.planned != "" {
		return c.planned
	}
	return j.runID
}

// key returns the idempotency key of a call. It is unique to the call and stays the same if the
// call runs again after crashes, as the run that planned it stays the same.
func (j *callJournal) key(c *call) string { return keyOf(j.owner, j.threadID, j.plannedBy(c), c.id) }

// keyOf hashes parts into a key that does not reveal them.
func keyOf(parts ...string) string { return calls.Key(parts...)[:calls.KeyLength] }

// memory is the journal of a run that was given none.
type memory struct {
	mu      sync.Mutex
	results map[string]string
}

func (m *memory) Plan(context.Context, []journal.ToolCall) error { return nil }
func (m *memory) Start(context.Context, string) error            { return nil }
func (m *memory) Taint(context.Context) error                    { return nil }

func (m *memory) Finish(_ context.Context, id string, c journal.ToolCall) error {
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
