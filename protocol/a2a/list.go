package a2a

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store"
)

// Bounds of ListTasks.
const (
	defaultPage = 50
	maxPage     = 100
	maxListed   = 10_000 // runs that are looked at, the newest
)

// listParams are those of ListTasks, with what the library's type does not tell: a size of 0, and a
// state that there is not.
type listParams struct {
	a2a.ListTasksRequest
	Status   string `json:"status"`
	PageSize *int   `json:"pageSize"`
}

// states are all task states of A2A.
var states = []a2a.TaskState{
	"", "TASK_STATE_UNSPECIFIED", a2a.TaskStateWorking, a2a.TaskStateCompleted, a2a.TaskStateFailed,
	a2a.TaskStateCanceled, a2a.TaskStateInputRequired, a2a.TaskStateSubmitted, a2a.TaskStateRejected,
	a2a.TaskStateAuthRequired,
}

// check refuses parameters that nothing here can answer.
func (p *listParams) check() error {
	switch {
	case !slices.Contains(states, a2a.TaskState(p.Status)):
		return invalid("status", "must be a state of tasks, such as "+a2a.TaskStateWorking.String())
	case p.PageSize != nil && (*p.PageSize < 1 || *p.PageSize > maxPage):
		return invalid("pageSize", fmt.Sprintf("must be between 1 and %d", maxPage))
	}
	return checkHistory("", p.HistoryLength)
}

// summary is what the store says of a task: its newest run.
type summary struct {
	run.Summary
	task   string
	number int // of the newest run
}

// ListTasks is part of a2asrv.RequestHandler. It returns a page of the caller's tasks with the
// agent, most recently changed first.
func (h *handler) ListTasks(ctx context.Context, p *a2a.ListTasksRequest) (*a2a.ListTasksResponse, error) {
	list, err := h.list(ctx, p)
	return told(h, list, err)
}

func (h *handler) list(ctx context.Context, p *a2a.ListTasksRequest) (*a2a.ListTasksResponse, error) {
	q := run.RowQuery{Agent: h.x.Request.PathValue("agent"), ThreadID: p.ContextID, Limit: maxListed}
	if p.StatusTimestampAfter != nil { // times are stored in milliseconds
		q.Since = p.StatusTimestampAfter.Add(time.Millisecond - time.Nanosecond).Truncate(time.Millisecond)
	}
	from, err := positionOf(p.PageToken)
	if err != nil {
		return nil, err
	}
	runs, err := h.x.Threads().Recent(q)
	if err != nil {
		return nil, err
	}
	list, found := pageOf(tasksOf(runs, p.Status), from, cmp.Or(p.PageSize, defaultPage))
	l := lister{x: h.x, params: p, threads: map[string][]run.Row{}}
	for _, s := range found {
		if err := l.add(list, s); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// positionOf returns what a page begins after; nil means the top.
func positionOf(token string) (*store.ThreadPosition, error) {
	if token == "" {
		return nil, nil
	}
	at, err := store.ParseCursor(token)
	if err != nil {
		return nil, invalid("pageToken", "is not one of this server")
	}
	return &at, nil
}

// tasksOf returns the tasks that runs belong to, in the order of the list. state, if any, selects.
func tasksOf(runs []run.Summary, state a2a.TaskState) []summary {
	newest := map[string]summary{}
	for _, row := range runs {
		s := summary{Summary: row}
		s.task, s.number = run.SplitID(row.ID)
		if s.number > newest[s.task].number {
			newest[s.task] = s
		}
	}
	var all []summary
	for _, s := range newest {
		if state == "" || state == s.state() {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b summary) int {
		return cmp.Or(b.ChangedAt.Compare(a.ChangedAt), cmp.Compare(b.task, a.task))
	})
	return all
}

// state is what loadFrom finds in the run's events.
func (s *summary) state() a2a.TaskState {
	switch {
	case s.Status == run.StatusLive:
		return a2a.TaskStateWorking
	case s.Status == run.StatusFailed:
		return a2a.TaskStateFailed
	case s.Status == run.StatusCancelled, s.Passed:
		return a2a.TaskStateCanceled
	case s.Waits:
		return a2a.TaskStateInputRequired
	}
	return a2a.TaskStateCompleted
}

// position returns the task's position in the list, which is ordered as the list of threads is.
func (s *summary) position() store.ThreadPosition {
	return store.ThreadPosition{UpdatedAt: s.ChangedAt, ID: s.task}
}

// pageOf returns the tasks of a page, and the list to add them to.
func pageOf(all []summary, from *store.ThreadPosition, size int) (list *a2a.ListTasksResponse, found []summary) {
	list = &a2a.ListTasksResponse{Tasks: []*a2a.Task{}, PageSize: size, TotalSize: len(all)}
	if from != nil {
		all = slices.DeleteFunc(all, func(s summary) bool { return !s.position().After(*from) })
	}
	if len(all) > size {
		all = all[:size]
		list.NextPageToken = all[size-1].position().Cursor()
	}
	return list, all
}

// lister reads the tasks of a page.
type lister struct {
	x       *server.Exchange
	params  *a2a.ListTasksRequest
	threads map[string][]run.Row
}

// add adds a task, unless it was deleted or has left the state that was asked for.
func (l *lister) add(list *a2a.ListTasksResponse, s summary) error {
	t, err := l.read(s)
	if told := protocolError(err); errors.Is(told, a2a.ErrTaskNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if l.params.Status != "" && t.Status.State != l.params.Status {
		return nil
	}
	if !l.params.IncludeArtifacts {
		t.Artifacts = nil
	}
	list.Tasks = append(list.Tasks, &t.Task)
	return nil
}

// read returns a task as GetTask does. It reads the task's events only if the answer needs them.
func (l *lister) read(s summary) (*task, error) {
	state := s.state()
	if l.params.IncludeArtifacts || state == a2a.TaskStateFailed || state == a2a.TaskStateInputRequired {
		return l.load(s)
	}
	t := newTask(s.task, s.ThreadID)
	t.last = s.ID
	switch {
	case s.Passed:
		t.end(a2a.TaskStateCanceled, passedBy)
	case state == a2a.TaskStateCanceled:
		t.end(a2a.TaskStateCanceled, cancelled)
	case state == a2a.TaskStateCompleted:
		t.end(a2a.TaskStateCompleted, "")
	}
	t.stamp(s.ChangedAt)
	return t, nil
}

// load reads a task's events.
func (l *lister) load(s summary) (*task, error) {
	rows, known := l.threads[s.ThreadID]
	if !known {
		var err error
		if rows, err = l.x.Threads().Runs(s.ThreadID); err != nil {
			return nil, err
		}
		l.threads[s.ThreadID] = rows
	}
	return loadFrom(l.x.Context(), l.x.Follow, rows, s.ThreadID, s.task)
}
