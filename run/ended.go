package run

import (
	"context"
	"log/slog"
	"time"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
)

// logEnd writes one line for a run that has ended: what it was, and what it used.
func (x *execution) logEnd(ctx context.Context, end ending) {
	attrs := []slog.Attr{
		slog.String("run", x.run.ID), slog.String("thread", x.run.ThreadID), slog.String("agent", x.row.Agent),
		slog.String("subject", x.run.owner.Subject), slog.String("status", string(end.row.Status)),
	}
	if x.run.owner.Tenant != "" {
		attrs = append(attrs, slog.String("tenant", x.run.owner.Tenant))
	}
	if end.row.Status == store.RunFailed {
		attrs = append(attrs, slog.String("code", end.row.Error))
	}
	if model := modelOf(x.agent, end.spent); model != "" { // there may be no such agent any more
		attrs = append(attrs, slog.String("model", model))
	}
	attrs = append(attrs, usedBy(end.spent)...)
	if began := x.row.CreatedAt; !began.IsZero() {
		attrs = append(attrs, slog.Int64("durationMs", time.Since(began).Milliseconds()))
	}
	x.m.log.LogAttrs(ctx, slog.LevelInfo, "run ended", attrs...)
}

// modelOf returns the model that answered: the first of those used, or the agent's own if none was.
// It is "" for a remote agent that does not report its model.
func modelOf(a *agent.Agent, s agent.Spending) string {
	switch {
	case len(s.Usage) > 0:
		return s.Usage[0].Provider + "/" + s.Usage[0].Model
	case a != nil && a.Model != nil:
		return a.Model.Info().Name()
	}
	return ""
}

// usedBy returns the tokens that a run used and their cost, where they are known.
func usedBy(s agent.Spending) (attrs []slog.Attr) {
	if used := agui.CountTokens(s.Usage); len(s.Usage) > 0 {
		attrs = append(attrs, slog.Int64("inputTokens", used.Input), slog.Int64("outputTokens", used.Output))
	}
	if s.Cost != nil {
		attrs = append(attrs, slog.Float64("dollars", *s.Cost))
	}
	return attrs
}
