package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/run/history"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/tool"
)

// record records an entry that nothing depends on.
func (m *Manager) record(ctx context.Context, e audit.Entry) {
	if m.cfg.Audit == nil {
		return
	}
	if err := m.cfg.Audit.Record(ctx, e); err != nil {
		m.log.Error("an audit entry was lost", "kind", string(e.Kind), "run", e.RunID, "thread", e.ThreadID,
			"error", err)
	}
}

// entry returns an entry about the run.
func (r *Run) entry(kind audit.Kind) audit.Entry {
	return audit.Entry{Principal: r.principal, Kind: kind, ThreadID: r.ThreadID, RunID: r.ID}
}

// auditMerge records what a request brought: messages that a client may not write, and results of
// calls, the client's and those that the server gave in its place.
func (x *execution) auditMerge(ctx context.Context, thread []agui.Message) {
	if x.m.cfg.Audit == nil {
		return
	}
	if ignored := slices.Concat(x.merged.Ignored, x.merged.Doubled); len(ignored) > 0 {
		e := x.run.entry(audit.Forged)
		e.Decision, e.Outcome = audit.Ignored, audit.NotRun
		e.Detail = fmt.Sprintf("%d messages or answers that the client may not send: %s", len(ignored),
			strings.Join(ignored[:min(len(ignored), 10)], ", "))
		x.m.record(ctx, e)
	}
	byServer := make(map[string]bool, len(x.merged.Answered))
	for i := range x.merged.Answered {
		byServer[x.merged.Answered[i].MessageID] = true
	}
	var names map[string]string
	for i := range x.merged.Messages {
		msg := &x.merged.Messages[i]
		if msg.Role != agui.RoleTool || x.merged.Copied[msg.ID] {
			continue
		}
		if names == nil {
			names = toolNames(thread, x.merged.Messages)
		}
		e := x.run.result(msg.ToolCallID, names[msg.ToolCallID], msg.Content.Text())
		if !byServer[msg.ID] {
			e.Rule = "the page's answer"
		}
		x.m.record(ctx, e)
	}
}

// toolNames returns the names of the tools that calls are of, by their ids.
func toolNames(lists ...[]agui.Message) map[string]string {
	names := map[string]string{}
	for _, messages := range lists {
		for i := range messages {
			for _, c := range messages[i].ToolCalls {
				names[c.ID] = c.Name
			}
		}
	}
	return names
}

// result returns the entry about a call that got a result.
func (r *Run) result(callID, name, text string) audit.Entry {
	e := r.entry(audit.ToolCall)
	e.CallID, e.Tool, e.Outcome, e.Detail = callID, name, audit.OK, tool.ErrorCode(text)
	switch {
	case e.Detail == history.NotExecuted:
		e.Outcome = audit.NotRun
	case e.Detail == "unknown_outcome", e.Detail == "interrupted":
		e.Outcome = audit.Unknown
	case tool.IsErrorText(text):
		e.Outcome = audit.Failed
	}
	return e
}

// auditClosed records the results that calls got because their run ended.
func (x *execution) auditClosed(ctx context.Context, results []agui.ToolCallResult) {
	if x.m.cfg.Audit == nil || len(results) == 0 {
		return
	}
	names := toolNames(x.w.messages())
	for i := range results {
		x.m.record(ctx, x.run.result(results[i].ToolCallID, names[results[i].ToolCallID], results[i].Content.Text()))
	}
}

// auditAllowance records that a standing approval was given.
func (r *Run) auditAllowance(ctx context.Context, id, name, argsHash string) {
	e := r.entry(audit.Allowance)
	e.Tool, e.ArgsHash, e.Decision, e.Outcome, e.Rule = name, argsHash, audit.Given, audit.OK, "allowance "+id
	r.m.record(ctx, e)
}

// auditPurge records which deleted threads were purged, each with its owner.
func auditPurge(ctx context.Context, r audit.Recorder, purged []store.ThreadKey) (err error) {
	if r == nil {
		return nil
	}
	for _, t := range purged {
		e := audit.Entry{
			Kind: audit.Thread, ThreadID: t.ID, Decision: audit.Deleted, Outcome: audit.OK,
			Rule: "runs.keepDeleted", Detail: "the deleted thread was purged because of its age",
		}
		e.Principal = auth.Principal{Tenant: t.Owner.Tenant, Subject: t.Owner.Subject, Method: "server"}
		err = errors.Join(err, r.Record(ctx, e))
	}
	return err
}
