package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"sync"

	"github.com/pageside/pageside/agent/prompt"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/calls"
	"github.com/pageside/pageside/internal/guard"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/payload"
	"github.com/pageside/pageside/tool"
)

// executor runs the backend calls of a run and emits their results.
type executor struct {
	out       *emitter
	tools     toolset
	types     *payload.Registry
	journal   *callJournal
	approvals *approvals
	loops     *loopGuard
	trace     *trace
	audit     *auditor
	newID     func(prefix string) string
	log       *slog.Logger
	maxCalls  int  // concurrent calls
	maxResult int  // bytes of a result
	shown     bool // tools have shown a payload since the model's last text
	shared    *sharedState
	numbers   *agui.Numbering // of the sources of the thread
	withdrawn *withdrawals
}

// runCalls runs the judged calls of a step that may run, and emits the results in the order of the
// calls. A call left without a result waits for the client or a person.
func (x *executor) runCalls(ctx context.Context, s *step) error {
	if err := x.journal.plan(ctx, s.calls); err != nil {
		return err
	}
	if err := x.emitResults(s); err != nil {
		return err
	}
	for batch := range batches(s.calls) {
		if err := cmp.Or(x.runBatch(ctx, s, batch), endedBy(batch)); err != nil {
			return err
		}
	}
	return x.out.Flush()
}

// endedBy returns the error with which a call of the batch ends the run, or nil.
func endedBy(batch []*call) error {
	for _, c := range batch {
		if c.result != nil && c.result.Ends != nil {
			e := c.result.Ends
			return &llm.PublicError{
				Code: e.Code, Message: e.Message, Err: fmt.Errorf("the tool %s ended the run", c.name),
			}
		}
	}
	return nil
}

// batches yields the backend calls that may run together, in order. A sequential tool runs alone.
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

// runBatch runs calls concurrently and handles their updates. It returns when all have ended;
// tool.Execute guarantees that they do.
func (x *executor) runBatch(ctx context.Context, s *step, batch []*call) error {
	batchCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	updates := make(chan callUpdate)
	slots := make(chan struct{}, x.maxCalls)
	for _, c := range batch {
		go func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			result, err := x.execute(batchCtx, c, updates)
			updates <- callUpdate{call: c, result: &result, err: err}
		}()
	}
	var failed error
	for running := len(batch); running > 0; {
		u := <-updates
		if u.result != nil {
			running--
		}
		if err := x.handleUpdate(batchCtx, s, u); err != nil && failed == nil {
			failed = err
			cancel()
		}
	}
	if failed == nil {
		failed = context.Cause(ctx)
	}
	return failed
}

// execute runs a call after the journal has recorded its start. It runs in its own goroutine. If
// its allowance no longer holds, the call gets an error result instead, even as a rerun.
func (x *executor) execute(ctx context.Context, c *call, updates chan<- callUpdate) (result tool.Result, err error) {
	defer guard.Error(&err)
	if result := x.stop(ctx, c); result != nil {
		return *result, nil
	}
	if ctx.Err() == nil {
		if refused, err := x.begin(ctx, c); refused != nil || err != nil {
			return *refused, err
		}
	}
	own, over := context.WithCancel(ctx)
	defer over()
	call := x.toolCall(c)
	call.Host = &stateHost{x.shared, (&callHost{own, c, updates}).do}
	return tool.Execute(ctx, c.ready.tool, call, func(p tool.Progress) {
		updates <- callUpdate{call: c, progress: p}
	}), nil
}

// stop returns the result of a call that may no longer run: its permission or allowance has been
// withdrawn. If the call had started before a crash, its outcome is unknown.
func (x *executor) stop(ctx context.Context, c *call) *tool.Result {
	if ctx.Err() != nil {
		return nil
	}
	result := x.approvals.access.withdrawn(ctx, c)
	if result == nil && x.approvals.lapsed(ctx, c) {
		result = new(calls.NotAllowed())
	}
	if result != nil && c.rerun {
		result = new(calls.UnknownOutcome(c.name))
	}
	return result
}

// stopWithheld answers frontend calls that lost their permission or allowance while others ran:
// they may no longer be handed to the page.
func (x *executor) stopWithheld(ctx context.Context, s *step) error {
	for _, c := range s.calls {
		if !c.handsOut() {
			continue
		}
		if result := x.stop(ctx, c); result != nil {
			c.answer(*result)
			if err := x.emitResult(s, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// begin records that a call begins: in the journal, unless it is a rerun, and in the audit log. It
// returns the result of a call that may not begin.
func (x *executor) begin(ctx context.Context, c *call) (refused *tool.Result, err error) {
	err = x.audit.begin(ctx, c, func(ctx context.Context) error { return x.journal.start(ctx, c) })
	switch {
	case err == nil:
		c.begun = true
		return nil, nil
	case !errors.Is(err, calls.ErrUnrecorded):
		return new(calls.Interrupted()), err
	case ctx.Err() != nil:
		return new(calls.Interrupted()), nil
	}
	x.log.ErrorContext(ctx, "a call was not run: it could not be recorded in the audit log",
		"tool", c.name, "toolCallId", c.id, "runId", x.journal.runID, "error", err)
	return new(notRecorded()), nil
}

func (x *executor) toolCall(c *call) tool.Call {
	return tool.Call{
		ID: c.id, Args: c.ready.args, ThreadID: x.journal.threadID, RunID: x.journal.runID,
		Principal: x.journal.principal, Origin: x.journal.originOf(c),
		Key: x.journal.key(c), Log: x.log, Reply: c.reply, CanAsk: true,
	}
}

// handleUpdate handles what a call reports. After the batch has failed only results count; they are
// emitted when the step is broken off.
func (x *executor) handleUpdate(ctx context.Context, s *step, u callUpdate) (err error) {
	defer guard.Error(&err) // keep handling the updates of the other calls
	if u.err != nil {
		return u.err
	}
	if u.request != nil {
		return u.request.serve(ctx)
	}
	if u.result != nil {
		if err := x.finishCall(ctx, u.call, *u.result); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return x.emitUpdate(s, u)
}

// finishCall records a call's result: the journal gets all of it, the model an excerpt if it is
// long. A call whose run's context ended stays started: its effect is unknown.
func (x *executor) finishCall(ctx context.Context, c *call, result tool.Result) error {
	if result.Ask != nil && ctx.Err() == nil {
		return x.ask(ctx, c, *result.Ask)
	}
	if result.Ask != nil {
		x.withdrawn.withdraw(ctx, c, x.approvals.question(c, *result.Ask))
		result = calls.Interrupted()
	}
	c.answer(result)
	c.result.Text = prompt.Shorten(x.maxResult, c.id, c.result.Text)
	x.trace.finished(c, result.IsError)
	// After the journal, which wakes the store: both are committed together.
	defer x.audit.ended(ctx, c, result)
	if ctx.Err() != nil && result.IsError {
		return nil
	}
	return x.journal.finish(ctx, c, result)
}

// ask makes a call wait for the user's answer to a question of its tool. In the journal the call
// has ended: if this run crashes, the model learns what was asked.
func (x *executor) ask(ctx context.Context, c *call, q tool.Question) error {
	c.interrupt = x.approvals.question(c, q)
	x.trace.asked(c)
	return x.journal.finish(ctx, c, q.Unanswered().Result())
}

// emitUpdate emits an update and flushes: the next one may take a while.
func (x *executor) emitUpdate(s *step, u callUpdate) error {
	if u.result != nil {
		if err := x.emitResults(s); err != nil {
			return err
		}
		return x.out.Flush()
	}
	if err := x.out.Emit(&agui.Custom{Name: "tool_progress", Value: progressValue(u.progress)}); err != nil {
		return err
	}
	return x.out.Flush()
}

// emitResults emits the known results in the order of the calls, up to the first call still
// running. It skips calls that wait for the client or a person.
func (x *executor) emitResults(s *step) error {
	for ; s.emitted < len(s.calls); s.emitted++ {
		c := s.calls[s.emitted]
		if c.emitted || c.waits() {
			continue
		}
		if c.result == nil {
			return nil
		}
		if err := x.emitResult(s, c); err != nil {
			return err
		}
	}
	return nil
}

func (x *executor) emitResult(s *step, c *call) error {
	if c.ready != nil && !c.ready.page {
		x.loops.watch(c)
	}
	x.audit.answered(c)
	c.emitted, c.resultID = true, x.newID("msg_")
	if err := s.end(c, &agui.ToolCallResult{
		Base: agui.Base{Metadata: c.resultMetadata()}, MessageID: c.resultID, ToolCallID: c.id,
		Content: agui.TextContent(c.result.Text), Role: agui.RoleTool,
	}); err != nil {
		return err
	}
	if err := x.shared.settle(c); err != nil {
		return err
	}
	return cmp.Or(x.showSources(c), x.showPayload(c))
}

// showPayload shows the payload a tool returned with its text. An invalid one is a fault of the
// tool: the user sees that there was one, the log says what is wrong, and the model has the text.
func (x *executor) showPayload(c *call) error {
	if c.result.Payload == nil || c.result.IsError {
		return nil
	}
	t := x.tools.backend(c.name)
	if t == nil {
		return nil
	}
	typ, ok := x.types.Get(t.PayloadType)
	if !ok {
		x.log.Error("a tool returned a payload, but has no payload type", "tool", c.name, "toolCallId", c.id,
			"runId", x.journal.runID)
		return nil
	}
	status := agui.StatusOpen
	content, err := typ.Encode(c.result.Payload)
	if err != nil {
		x.log.Error("a tool returned a payload that cannot be shown", "tool", c.name, "payload", typ.Name,
			"toolCallId", c.id, "runId", x.journal.runID, "error", err)
		status, content = agui.StatusFailed, errorContent(payloadFailure{
			payloadInvalid, "what the tool returned could not be shown",
		})
	}
	x.shown = true
	m := agui.Metadata{
		PayloadMark: agui.PayloadMark{Source: agui.SourceTool, ToolCallID: c.id},
		EndMark:     agui.EndMark{Status: status},
	}
	return x.out.Emit(&agui.ActivitySnapshot{
		Base: agui.Base{Metadata: m.JSON()}, MessageID: x.newID("card_"), ActivityType: typ.Name,
		Content: content,
	})
}

// showSources numbers and shows what a tool's result rests on. The prompt tells the model the
// numbers together with the result.
func (x *executor) showSources(c *call) error {
	if len(c.result.Sources) == 0 || c.result.IsError {
		return nil
	}
	numbered := x.numbers.Number(citable(c.result.Sources))
	if len(numbered) == 0 {
		return nil
	}
	s := agui.Sources{Sources: numbered, ToolCallID: c.id}
	c.sources = s.Message(x.newID("sources_"))
	return x.out.Emit(s.Event(c.sources.ID))
}

// showPageSources does the same for results of frontend tools, whose sources are in their metadata.
// It returns the history including the sources it has shown.
func (x *executor) showPageSources(history []agui.Message) ([]agui.Message, error) {
	shown := map[string]bool{}
	for i := range history {
		if s, ok := agui.ReadSources(&history[i]); ok {
			shown[s.ToolCallID] = true
		}
	}
	for i := range history {
		m := &history[i]
		sources := agui.ResultSources(m)
		if len(sources) == 0 || shown[m.ToolCallID] {
			continue
		}
		s := agui.Sources{Sources: x.numbers.Number(sources), ToolCallID: m.ToolCallID}
		if len(s.Sources) == 0 {
			continue
		}
		shown[m.ToolCallID] = true
		told := s.Message(x.newID("sources_"))
		if err := x.out.Emit(s.Event(told.ID)); err != nil {
			return nil, err
		}
		history = append(history[:len(history):len(history)], told)
	}
	return history, nil
}

func progressValue(p tool.Progress) json.RawMessage {
	value := struct {
		ToolCallID string   `json:"toolCallId"`
		Tool       string   `json:"tool"`
		Stage      string   `json:"stage"`
		Message    string   `json:"message"`
		Progress   *float64 `json:"progress,omitzero"`
	}{ToolCallID: p.CallID, Tool: p.Tool, Stage: p.Stage, Message: p.Message}
	if p.Fraction >= 0 { // false if NaN
		value.Progress = new(min(p.Fraction, 1))
	}
	return jsonx.Marshal(value)
}

// withdrawals tell tools, while the run goes on, that what they have asked gets no answer.
// Agent.Run waits for them.
type withdrawals struct {
	tools   toolset
	journal *callJournal
	log     *slog.Logger
	work    sync.WaitGroup
}

// withdraw tells the tool of a call. A tool that is not the one that asked is not told.
func (w *withdrawals) withdraw(ctx context.Context, c *call, i *calls.Interrupt) {
	t := w.tools.backend(i.Tool)
	if t == nil || t.Definition() != i.Definition {
		return
	}
	call := tool.Call{
		ID: c.id, Args: i.Args, ThreadID: w.journal.threadID, RunID: w.journal.runID,
		Principal: w.journal.principal, Key: w.journal.key(c), Log: w.log,
	}
	if i.Origin != nil {
		call.Origin = *i.Origin
	}
	w.work.Go(func() { tool.Withdraw(ctx, t, call, i.Memo) })
}

// left withdraws the questions of calls that have got a result instead of an answer.
func (w *withdrawals) left(ctx context.Context, calls []*call) {
	for _, c := range calls {
		if c.left != nil {
			w.withdraw(ctx, c, c.left)
		}
	}
}
