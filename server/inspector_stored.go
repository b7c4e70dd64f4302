package server

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pageside/pageside/inspect"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/run/refusal"
)

// Of how many threads inspectPast asks, and how many runs it returns.
const (
	pastThreads = 50
	pastRuns    = 100
)

// inspectPast lists the newest stored runs of an owner, newest first.
func inspectPast(ctx context.Context, from *run.Manager, o run.Owner) ([]inspect.Summary, error) {
	threads, err := from.Threads(ctx, o, run.ThreadQuery{Limit: pastThreads})
	if err != nil {
		return nil, fmt.Errorf("list threads for the inspector: %w", err)
	}
	all := []inspect.Summary{}
	for _, t := range threads.Items {
		runs, err := inspectThread(ctx, from, o, t.ID)
		if refusal.CodeOf(err) == refusal.NotFound { // deleted meanwhile
			continue
		}
		if err != nil {
			return nil, err
		}
		for i := range runs {
			runs[i].ThreadTitle = t.Title
		}
		all = append(all, runs...)
	}
	slices.SortStableFunc(all, func(a, b inspect.Summary) int { return b.BeganAt.Compare(a.BeganAt) })
	return all[:min(len(all), pastRuns)], nil
}

// inspectedTitles returns a function that tells the titles of the threads of runs, of one tenant,
// and reads each once. A thread that is deleted, or not there yet, has none.
func inspectedTitles(ctx context.Context, from *run.Manager, tenant string) func(inspect.Summary) (string, error) {
	read := map[[2]string]string{}
	return func(r inspect.Summary) (string, error) {
		key := [2]string{r.Subject, r.ThreadID}
		if title, ok := read[key]; ok {
			return title, nil
		}
		t, err := from.Thread(ctx, run.Owner{Tenant: tenant, Subject: r.Subject}, r.ThreadID)
		if err != nil && refusal.CodeOf(err) != refusal.NotFound {
			return "", fmt.Errorf("read the title of thread %q for the inspector: %w", r.ThreadID, err)
		}
		if read[key] = t.Title; !t.DeletedAt.IsZero() {
			read[key] = ""
		}
		return read[key], nil
	}
}

// inspectThread returns what is stored of the runs of a thread.
func inspectThread(ctx context.Context, from *run.Manager, o run.Owner, threadID string) ([]inspect.Summary, error) {
	runs, err := from.RunsOf(ctx, o, threadID)
	if err != nil {
		return nil, fmt.Errorf("list the runs of thread %q for the inspector: %w", threadID, err)
	}
	out := make([]inspect.Summary, 0, len(runs))
	questions := map[string]run.UserMessage{} // by run
	for _, r := range runs {
		asked := questions[r.ParentRunID]
		if r.FirstUser != nil {
			asked = *r.FirstUser
		}
		questions[r.ID] = asked
		summary := inspect.Summary{
			ID: r.ID, ThreadID: r.ThreadID, QuestionID: asked.ID, Question: asked.Preview, Agent: r.Agent,
			Subject: o.Subject, Status: inspectedStatus[r.Status], Error: r.Error,
			BeganAt: r.CreatedAt, EndedAt: r.EndedAt, ToolNames: []string{}, Stored: true,
		}
		if err := addSpent(&summary, r); err != nil {
			return nil, err
		}
		out = append(out, summary)
	}
	return out, nil
}

// inspectedStatus names a stored run's status as the inspector does.
var inspectedStatus = map[run.Status]string{
	run.StatusLive: "live", run.StatusFinished: "done", run.StatusFailed: "failed",
	run.StatusCancelled: "cancelled",
}

// addSpent adds to a summary what its run used, the first model that it names, and the effort.
func addSpent(summary *inspect.Summary, r run.Row) error {
	spent, err := run.Spent(r)
	if err != nil {
		return err
	}
	summary.Usage.Cost, summary.Effort = spent.Cost, spent.Effort
	for _, e := range spent.Usage {
		if summary.Model == "" {
			summary.Model = e.Model
		}
		summary.Usage.Add(inspect.Usage{
			Input: e.InputTokens, Output: e.OutputTokens, Reasoning: e.ReasoningTokens,
			CacheRead: e.CachedInputTokens, CacheWrite: e.CacheWriteInputTokens,
		})
	}
	return nil
}

// inspectPastRun rebuilds a stored run of an owner from its events, or from its messages if those
// are purged. It reports false if there is no such run.
func inspectPastRun(ctx context.Context, from *run.Manager, o run.Owner, id string) (d inspect.Detail, found bool, err error) {
	row, err := from.StoredRun(ctx, o, id)
	if refusal.CodeOf(err) == refusal.NotFound {
		return d, false, nil
	}
	if err != nil {
		return d, false, fmt.Errorf("read run %q for the inspector: %w", id, err)
	}
	runs, err := inspectThread(ctx, from, o, row.ThreadID)
	if err != nil {
		return d, false, err
	}
	i := slices.IndexFunc(runs, func(s inspect.Summary) bool { return s.ID == id })
	if i < 0 {
		return d, false, nil
	}
	d, err = inspect.FromEvents(runs[i], from.StoredEvents(ctx, o, id))
	if errors.Is(err, run.ErrPurged) { // the messages say the same
		d, err = inspect.FromEvents(runs[i], from.MessageEvents(ctx, o, row))
	}
	return d, true, err
}
