package agent

import (
	"context"
	"log/slog"
	"sync"

	"github.com/pageside/pageside/calls"

	"github.com/pageside/pageside/tool"
)

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
