package calls

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/tool"
)

// Executor runs calls that may run. It records in the audit log that they begin and how they end.
// Safe for concurrent use.
type Executor struct {
	Audit audit.Recorder // may be nil
	Log   *slog.Logger
}

// Run runs one call. e says whose call it is, and under which decision and rule it begins. A
// call that may change something only runs once its beginning is recorded: else Run returns the
// error of the log. report may be nil; see tool.Execute.
func (x *Executor) Run(
	ctx context.Context, t *tool.Tool, call tool.Call, e audit.Entry, report func(tool.Progress),
) (tool.Result, error) {
	e.Outcome = audit.Begun
	if err := x.Begin(ctx, e, nil); err != nil && t.Effect != tool.Read {
		return tool.Result{}, err
	}
	result := tool.Execute(ctx, t, call, report)
	e.Decision = ""
	x.Record(context.WithoutCancel(ctx), Ended(ctx, e, result))
	return result, nil
}

// ErrUnrecorded means that a call may not begin, since the audit log does not take that.
var ErrUnrecorded = errors.New("calls: the audit log has not recorded that a call begins")

// Begin records that a call is about to begin. It may, once Begin has returned nil. start, which
// may be nil, records the same in a journal: both are committed together. Begin returns
// ErrUnrecorded, or the error of start.
func (x *Executor) Begin(ctx context.Context, e audit.Entry, start func(context.Context) error) error {
	confirm, err := audit.Begin(ctx, x.Audit, e)
	if err == nil && start != nil {
		if err := start(ctx); err != nil {
			return err
		}
	}
	if err == nil {
		err = confirm(ctx)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnrecorded, err)
	}
	return nil
}

// Record records an entry that nothing depends on.
func (x *Executor) Record(ctx context.Context, e audit.Entry) {
	if x.Audit == nil {
		return
	}
	if err := x.Audit.Record(ctx, e); err != nil {
		x.Log.ErrorContext(ctx, "an audit entry was lost", "kind", string(e.Kind), "tool", e.Tool,
			"toolCallId", e.CallID, "runId", e.RunID, "error", err)
	}
}

// Ended returns the entry about the end of a call that has begun. ctx is the one that it ran with.
// A call beyond its tool's rate was refused, whatever was decided before.
func Ended(ctx context.Context, e audit.Entry, r tool.Result) audit.Entry {
	e.Outcome, e.Detail = audit.OK, tool.ErrorCode(r.Text)
	switch {
	case e.Detail == tool.CodeRateLimited:
		e.Decision, e.Outcome, e.Rule = audit.Deny, audit.NotRun, tool.RuleRate
	case r.IsError && ctx.Err() != nil:
		e.Outcome = audit.Unknown
	case r.IsError:
		e.Outcome = audit.Failed
	}
	return e
}

// RuleOf is the rule, for the audit log, by which calls of a tool run where no policy names one.
func RuleOf(t *tool.Tool) string {
	return fmt.Sprintf("effect %s, approval %s", t.Effect, cmp.Or(t.Policy.Approval, "policy"))
}
