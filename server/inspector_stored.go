package server

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/inspect"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/run/eventlog"
	"github.com/pageside/pageside/store"
)

// Of how many threads and how many runs the store is asked for the inspector.
const (
	inspectedThreads = 50
	inspectedRuns    = 100
)

// storedRuns lists the newest of the caller's runs that the store has, newest first.
func (s *Server) storedRuns(ctx context.Context, o store.Owner) ([]inspect.Summary, error) {
	threads, err := s.cfg.Store.Threads(ctx, o, store.ThreadQuery{Limit: inspectedThreads})
	if err != nil {
		return nil, fmt.Errorf("list threads for the inspector: %w", err)
	}
	all := []inspect.Summary{}
	for _, t := range threads.Items {
		runs, err := s.summariesOf(ctx, o, t.ID)
		if errors.Is(err, store.ErrNotFound) { // deleted meanwhile
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
	return all[:min(len(all), inspectedRuns)], nil
}

// titlesFor returns a function that tells the titles of the threads of runs, which the caller may
// see, and reads each once. A thread that is deleted, or not there yet, has none.
func (s *Server) titlesFor(c call) func(inspect.Summary) (string, error) {
	read := map[[2]string]string{}
	return func(r inspect.Summary) (string, error) {
		key := [2]string{r.Subject, r.ThreadID}
		if title, ok := read[key]; ok {
			return title, nil
		}
		t, err := s.cfg.Store.Thread(c.r.Context(), store.Owner{Tenant: c.owner.Tenant, Subject: r.Subject}, r.ThreadID)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return "", fmt.Errorf("read the title of thread %q for the inspector: %w", r.ThreadID, err)
		}
		if read[key] = t.Title; !t.DeletedAt.IsZero() {
			read[key] = ""
		}
		return read[key], nil
	}
}

// summariesOf returns what the store has of the runs of a thread.
func (s *Server) summariesOf(ctx context.Context, o store.Owner, threadID string) ([]inspect.Summary, error) {
	runs, err := s.cfg.Store.Runs(ctx, o, threadID)
	if err != nil {
		return nil, fmt.Errorf("list the runs of thread %q for the inspector: %w", threadID, err)
	}
	out := make([]inspect.Summary, 0, len(runs))
	questions := map[string]store.UserMessage{} // by run
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
		if err := useStored(&summary, r); err != nil {
			return nil, err
		}
		out = append(out, summary)
	}
	return out, nil
}

// inspectedStatus names a stored run's status as the inspector does.
var inspectedStatus = map[store.RunStatus]string{
	store.RunLive: "live", store.RunFinished: "done", store.RunFailed: "failed",
	store.RunCancelled: "cancelled",
}

// useStored adds to a summary what its run used, the first model that it names, and the effort.
func useStored(summary *inspect.Summary, r store.Run) error {
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

// storedRun rebuilds a run of the caller from its events, or from its messages if those are purged.
// It reports false if the store has no such run.
func (s *Server) storedRun(ctx context.Context, o store.Owner, id string) (d inspect.Detail, found bool, err error) {
	row, err := s.cfg.Store.Run(ctx, o, id)
	if errors.Is(err, store.ErrNotFound) {
		return d, false, nil
	}
	if err != nil {
		return d, false, fmt.Errorf("read run %q for the inspector: %w", id, err)
	}
	runs, err := s.summariesOf(ctx, o, row.ThreadID)
	if err != nil {
		return d, false, err
	}
	for _, summary := range runs {
		if summary.ID != id {
			continue
		}
		d = inspect.FromEvents(summary, s.storedEvents(ctx, o, id, &err))
		if errors.Is(err, store.ErrGone) { // purged: the messages say the same
			err = nil
			d = inspect.FromEvents(summary, s.messageEvents(ctx, o, row, &err))
		}
		return d, true, err
	}
	return d, false, nil
}

// storedEvents yields the stored events of a run. It ends early with an error in failed.
func (s *Server) storedEvents(ctx context.Context, o store.Owner, id string, failed *error) iter.Seq[agui.Event] {
	return func(yield func(agui.Event) bool) {
		for batch, err := range s.cfg.Store.Events(ctx, o, id, 0) {
			if err != nil {
				*failed = fmt.Errorf("read the events of run %q for the inspector: %w", id, err)
				return
			}
			for at, frame := range eventlog.Frames(batch.Frames) {
				e, err := agui.UnmarshalEvent(frame)
				if err != nil {
					*failed = fmt.Errorf("decode the stored event %s: %w", at, err)
					return
				}
				if !yield(e) {
					return
				}
			}
		}
	}
}

// messageEvents yields what the messages of a run say, as events. Only the branch that is shown
// tells which run made a message: of a run beside it, nothing is yielded.
func (s *Server) messageEvents(ctx context.Context, o store.Owner, row store.Run, failed *error) iter.Seq[agui.Event] {
	return func(yield func(agui.Event) bool) {
		var made []agui.Message // newest first
		for before := int64(0); ; {
			page, err := s.cfg.Store.Messages(ctx, o, row.ThreadID, before, store.MaxLimit)
			if err != nil {
				*failed = fmt.Errorf("read the messages of run %q for the inspector: %w", row.ID, err)
				return
			}
			for _, m := range slices.Backward(page.Items) {
				if m.RunID == row.ID {
					made = append(made, m.Message)
				}
			}
			if page.Next == "" || len(page.Items) == 0 || page.Items[0].CreatedAt.Before(row.CreatedAt) {
				break
			}
			before = page.Items[0].Seq
		}
		for _, m := range slices.Backward(made) {
			for _, e := range eventsOf(m) {
				if !yield(e) {
					return
				}
			}
		}
	}
}

// eventsOf returns the events that a message could have come from.
func eventsOf(m agui.Message) (events []agui.Event) {
	switch m.Role {
	case agui.RoleAssistant:
		events = append(events, &agui.StepStarted{}, &agui.TextMessageContent{Delta: m.Content.Text()})
		for _, c := range m.ToolCalls {
			events = append(events, &agui.ToolCallStart{
				ToolCallID: c.ID, ToolCallName: c.Name,
			}, &agui.ToolCallArgs{ToolCallID: c.ID, Delta: c.Arguments})
		}
	case agui.RoleReasoning:
		events = append(events, &agui.ReasoningMessageContent{Delta: m.Content.Text()})
	case agui.RoleTool:
		events = append(events, &agui.ToolCallResult{ToolCallID: m.ToolCallID, Content: m.Content})
	}
	return events
}
