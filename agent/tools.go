package agent

import (
	"context"
	"iter"
	"strconv"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/tool"
)

// runTools runs the backend calls of a turn and tells all results the server has, in the order of the calls.
// It returns the frontend calls, which wait for the client.
func (r *run) runTools(ctx context.Context, t *turn) (waiting []*call, err error) {
	r.judge(t)
	if err := r.tellResults(t); err != nil {
		return nil, err
	}
	for batch := range batches(t.calls) {
		if err := r.runBatch(ctx, t, batch); err != nil {
			return nil, err
		}
	}
	for _, c := range t.calls {
		if c.frontend() {
			waiting = append(waiting, c)
		}
	}
	return waiting, r.out.Flush()
}

func (c *call) frontend() bool { return c.ready != nil && c.ready.tool == nil }

// batches yields the backend calls that may run together, in order: a sequential tool runs alone.
func batches(calls []*call) iter.Seq[[]*call] {
	return func(yield func([]*call) bool) {
		var batch []*call
		for _, c := range calls {
			if c.ready == nil || c.ready.tool == nil {
				continue
			}
			if c.ready.tool.Policy.Sequential {
				if !yield(batch) || !yield([]*call{c}) {
					return
				}
				batch = nil
				continue
			}
			batch = append(batch, c)
		}
		yield(batch)
	}
}

// news is what a running call has to say: progress, or its result.
type news struct {
	call     *call
	progress tool.Progress
	result   *tool.Result
}

// runBatch runs calls side by side and tells what they say. It returns when all have ended, and that they do is promised by tool.Execute.
func (r *run) runBatch(ctx context.Context, t *turn, batch []*call) error {
	batchCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	heard := make(chan news)
	slots := make(chan struct{}, r.agent.maxToolCalls())
	for _, c := range batch {
		go func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			result := tool.Execute(batchCtx, c.ready.tool, r.toolCall(c), func(p tool.Progress) { heard <- news{call: c, progress: p} })
			heard <- news{call: c, result: &result}
		}()
	}
	var failed error
	for running := len(batch); running > 0; {
		n := <-heard
		if n.result != nil {
			running--
			n.call.answer(*n.result)
		}
		if failed == nil {
			if failed = r.tell(t, n); failed != nil {
				cancel()
			}
		}
	}
	if failed == nil {
		failed = context.Cause(ctx)
	}
	return failed
}

func (r *run) toolCall(c *call) tool.Call {
	return tool.Call{ID: c.id, Args: c.ready.args, ThreadID: r.in.ThreadID, RunID: r.in.RunID}
}

// tell passes news on at once: nothing else may be ready for a while.
func (r *run) tell(t *turn, n news) error {
	if n.result != nil {
		if err := r.tellResults(t); err != nil {
			return err
		}
		return r.out.Flush()
	}
	if err := r.out.Emit(&agui.Custom{Name: "tool_progress", Value: progressValue(n.progress)}); err != nil {
		return err
	}
	return r.out.Flush()
}

// tellResults emits the results that are known, in the order of the calls: up to the first one that is still running.
// Frontend calls have none and hold nobody up.
func (r *run) tellResults(t *turn) error {
	for ; t.told < len(t.calls); t.told++ {
		c := t.calls[t.told]
		if c.told || c.result == nil && c.frontend() {
			continue
		}
		if c.result == nil {
			return nil
		}
		if err := r.tellResult(t, c); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) tellResult(t *turn, c *call) error {
	if err := t.end(c); err != nil {
		return err
	}
	if c.ready != nil && c.ready.tool != nil {
		r.watch(c)
	}
	c.told, c.resultID = true, r.agent.id("msg_")
	return r.out.Emit(&agui.ToolCallResult{
		MessageID: c.resultID, ToolCallID: c.id, Content: agui.TextContent(c.result.Text), Role: agui.RoleTool,
	})
}

func progressValue(p tool.Progress) []byte {
	b := append([]byte(nil), `{"toolCallId":`...)
	b = jsonx.AppendString(b, p.CallID)
	b = append(b, `,"tool":`...)
	b = jsonx.AppendString(b, p.Tool)
	b = append(b, `,"stage":`...)
	b = jsonx.AppendString(b, p.Stage)
	b = append(b, `,"message":`...)
	b = jsonx.AppendString(b, p.Message)
	if p.Fraction >= 0 { // false for NaN
		b = append(b, `,"progress":`...)
		b = strconv.AppendFloat(b, min(p.Fraction, 1), 'g', -1, 64)
	}
	return append(b, '}')
}
