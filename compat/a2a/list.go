package a2a

import (
	"cmp"
	"fmt"
	"slices"
	"time"

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

// listParams are those of ListTasks.
type listParams struct {
	Tenant        string `json:"tenant"` // ignored: credentials say whose it is
	ContextID     string `json:"contextId"`
	Status        string `json:"status"`
	PageSize      *int   `json:"pageSize"`
	PageToken     string `json:"pageToken"`
	HistoryLength *int   `json:"historyLength"`
	After         string `json:"statusTimestampAfter"`
	Artifacts     bool   `json:"includeArtifacts"`

	since time.Time             // After
	from  *store.ThreadPosition // PageToken; nil means the top
}

// states are all task states of A2A. Only those with a constant occur here.
var states = []string{
	stateWorking, stateCompleted, stateFailed, stateCanceled, stateInput,
	"TASK_STATE_SUBMITTED", "TASK_STATE_REJECTED", "TASK_STATE_AUTH_REQUIRED",
}

// check validates the parameters and parses those that are texts. It refuses unsupported ones.
func (p *listParams) check() (err error) {
	if p.Status == "TASK_STATE_UNSPECIFIED" {
		p.Status = ""
	}
	switch {
	case p.Status != "" && !slices.Contains(states, p.Status):
		return invalid("status", "must be a state of tasks, such as "+stateWorking)
	case p.PageSize != nil && (*p.PageSize < 1 || *p.PageSize > maxPage):
		return invalid("pageSize", fmt.Sprintf("must be between 1 and %d", maxPage))
	case p.HistoryLength != nil && *p.HistoryLength < 0:
		return invalid("historyLength", "must not be negative")
	}
	if p.After != "" {
		if p.since, err = time.Parse(time.RFC3339, p.After); err != nil {
			return invalid("statusTimestampAfter", "must be a time, such as 2026-01-31T12:00:00Z")
		}
		// times are stored in milliseconds
		p.since = p.since.Add(time.Millisecond - time.Nanosecond).Truncate(time.Millisecond)
	}
	if p.PageToken != "" {
		at, err := store.ParseCursor(p.PageToken)
		if err != nil {
			return invalid("pageToken", "is not one of this server")
		}
		p.from = &at
	}
	return nil
}

// taskList is the result of ListTasks.
type taskList struct {
	Tasks []listedTask `json:"tasks"`
	Next  string       `json:"nextPageToken"`
	Size  int          `json:"pageSize"`
	Total int          `json:"totalSize"`
}

// listedTask is a task in a list. The field artifacts is absent unless the client asks for it.
type listedTask struct {
	ID        string       `json:"id"`
	ContextID string       `json:"contextId"`
	Status    status       `json:"status"`
	Artifacts *[]*artifact `json:"artifacts,omitempty"`
}

// summary is what the store says of a task: its newest run.
type summary struct {
	store.RunSummary
	task   string
	number int // of the newest run
}

// listTasks answers with a page of the caller's tasks with the agent, most recently changed first.
func (r *request) listTasks(x *server.Exchange) error {
	var p listParams
	if len(r.Params) > 0 { // all are optional
		if err := r.decode(&p); err != nil {
			return err
		}
	}
	if err := p.check(); err != nil {
		return err
	}
	q := store.RunQuery{Agent: x.Request.PathValue("agent"), ThreadID: p.ContextID, Since: p.since, Limit: maxListed}
	runs, err := x.Store().RecentRuns(x.Context(), x.Owner, q)
	if err != nil {
		return err
	}
	list, found := pageOf(tasksOf(runs, p.Status), p.from, sizeOf(p.PageSize))
	l := lister{x: x, params: p, threads: map[string][]store.Run{}}
	for _, s := range found {
		if err := l.add(&list, s); err != nil {
			return err
		}
	}
	r.respond(x, list)
	return nil
}

func sizeOf(asked *int) int {
	if asked == nil {
		return defaultPage
	}
	return *asked
}

// tasksOf returns the tasks that runs belong to, in the order of the list. state, if any, selects.
func tasksOf(runs []store.RunSummary, state string) []summary {
	newest := map[string]summary{}
	for _, row := range runs {
		s := summary{RunSummary: row}
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
func (s *summary) state() string {
	switch {
	case s.Status == store.RunLive:
		return stateWorking
	case s.Status == store.RunFailed:
		return stateFailed
	case s.Status == store.RunCancelled, s.Passed:
		return stateCanceled
	case s.Waits:
		return stateInput
	}
	return stateCompleted
}

// position returns the task's position in the list, which is ordered as the list of threads is.
func (s *summary) position() store.ThreadPosition {
	return store.ThreadPosition{UpdatedAt: s.ChangedAt, ID: s.task}
}

// pageOf returns the tasks of a page, and the list to add them to.
func pageOf(all []summary, from *store.ThreadPosition, size int) (list taskList, found []summary) {
	list = taskList{Tasks: []listedTask{}, Size: size, Total: len(all)}
	if from != nil {
		all = slices.DeleteFunc(all, func(s summary) bool { return !s.position().After(*from) })
	}
	if len(all) > size {
		all = all[:size]
		list.Next = all[size-1].position().Cursor()
	}
	return list, all
}

// lister reads the tasks of a page.
type lister struct {
	x       *server.Exchange
	params  listParams
	threads map[string][]store.Run
}

// add adds a task, unless it was deleted or has left the state that was asked for.
func (l *lister) add(list *taskList, s summary) error {
	t, err := l.read(s)
	if told := faultOf(err); told != nil && told.Code == codeNoTask {
		return nil
	}
	if err != nil {
		return err
	}
	if l.params.Status != "" && t.Status.State != l.params.Status {
		return nil
	}
	listed := listedTask{ID: t.ID, ContextID: t.ContextID, Status: t.Status}
	if l.params.Artifacts {
		artifacts := append([]*artifact{}, t.Artifacts...)
		listed.Artifacts = &artifacts
	}
	list.Tasks = append(list.Tasks, listed)
	return nil
}

// read returns a task as GetTask does. It reads the task's events only if the answer needs them.
func (l *lister) read(s summary) (*task, error) {
	state := s.state()
	if l.params.Artifacts || state == stateFailed || state == stateInput {
		return l.load(s)
	}
	t := newTask(s.task, s.ThreadID)
	t.last = s.ID
	switch {
	case s.Passed:
		t.end(stateCanceled, passedBy)
	case state == stateCanceled:
		t.end(stateCanceled, cancelled)
	case state == stateCompleted:
		t.end(stateCompleted, "")
	}
	t.stamp(s.ChangedAt)
	return t, nil
}

// load reads a task's events.
func (l *lister) load(s summary) (*task, error) {
	rows, known := l.threads[s.ThreadID]
	if !known {
		var err error
		if rows, err = l.x.Store().Runs(l.x.Context(), l.x.Owner, s.ThreadID); err != nil {
			return nil, err
		}
		l.threads[s.ThreadID] = rows
	}
	return loadFrom(l.x, rows, s.ThreadID, s.task)
}
