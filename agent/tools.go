package agent

import (
	"context"
	"iter"
	"strconv"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/guard"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/tool"
)

// runTools runs the backend calls of a turn and tells all results the server has, in the order of
// the calls. What has no result then waits for the client or for a person.
func (r *run) runTools(ctx context.Context, t *turn) error {
	r.judge(ctx, t)
	if err := r.readResults(ctx, t); err != nil {
		return err
	}
	return r.carryOut(ctx, t)
}

// carryOut runs what may run of a turn whose calls are judged.
func (r *run) carryOut(ctx context.Context, t *turn) error {
	if err := r.plan(ctx, t); err != nil {
		return err
	}
	if err := r.tellResults(t); err != nil {
		return err
	}
	for batch := range batches(t.calls) {
		if err := r.runBatch(ctx, t, batch); err != nil {
			return err
		}
	}
	return r.out.Flush()
}

func (c *call) frontend() bool { return c.ready != nil && c.ready.tool == nil }

// runs reports whether the server is to carry the call out now.
func (c *call) runs() bool {
	return c.result == nil && c.ready != nil && c.ready.tool != nil && c.interrupt == nil
}

// batches yields the backend calls that may run together, in order: a sequential tool runs alone.
func batches(calls []*call) iter.Seq[[]*call] {
	return func(yield func([]*call) bool) {
		var batch []*call
		for _, c := range calls {
			if !c.runs() {
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

// news is what a running call has to say: progress, or its result. err is why it was not begun.
type news struct {
	call     *call
	progress tool.Progress
	result   *tool.Result
	err      error
}

// runBatch runs calls side by side and tells what they say. It returns when all have ended, and
// that they do is promised by tool.Execute.
func (r *run) runBatch(ctx context.Context, t *turn, batch []*call) error {
	batchCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	heard := make(chan news)
	slots := make(chan struct{}, r.agent.maxToolCalls())
	for _, c := range batch {
		go func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			result, err := r.execute(batchCtx, c, func(p tool.Progress) { heard <- news{call: c, progress: p} })
			heard <- news{c, tool.Progress{}, &result, err}
		}()
	}
	var failed error
	for running := len(batch); running > 0; {
		n := <-heard
		if n.result != nil {
			running--
		}
		if err := r.hear(batchCtx, t, n); err != nil && failed == nil {
			failed = err
			cancel()
		}
	}
	if failed == nil {
		failed = context.Cause(ctx)
	}
	return failed
}

func (r *run) toolCall(c *call) tool.Call {
	return tool.Call{ID: c.id, Args: c.ready.args, ThreadID: r.in.ThreadID, RunID: r.in.RunID, Key: r.callKey(c)}
}

// hear takes in news. Once the batch is given up only results count, and they are told when the
// turn is broken off.
func (r *run) hear(ctx context.Context, t *turn, n news) (err error) {
	defer guard.Error(&err) // the other calls of the batch still have to be heard
	if n.err != nil {
		return n.err
	}
	if n.result != nil {
		if err := r.finishCall(ctx, n.call, *n.result); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return r.tell(t, n)
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

// tellResults emits the results that are known, in the order of the calls: up to the first one that
// is still running. Calls that wait for the client or a person have none and hold nobody up.
func (r *run) tellResults(t *turn) error {
	for ; t.told < len(t.calls); t.told++ {
		c := t.calls[t.told]
		if c.told || c.waits() {
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
	if err := r.out.Emit(&agui.ToolCallResult{
		Base: agui.Base{Metadata: c.resultMetadata()}, MessageID: c.resultID, ToolCallID: c.id, Content: agui.TextContent(c.result.Text), Role: agui.RoleTool,
	}); err != nil {
		return err
	}
	return r.showPayload(c)
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
