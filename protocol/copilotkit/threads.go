package copilotkit

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
)

type threadJSON struct {
	ID             string    `json:"id"`
	Name           *string   `json:"name"` // null if it has none
	AgentID        string    `json:"agentId"`
	OrganizationID string    `json:"organizationId"`
	CreatedByID    string    `json:"createdById"`
	Archived       bool      `json:"archived"`
	CreatedAt      time.Time `json:"createdAt"`
	UpdatedAt      time.Time `json:"updatedAt"`
}

// threadOut returns a thread under the agent id that the front end uses.
func threadOut(t run.Thread, o run.Owner, agentID string) threadJSON {
	out := threadJSON{t.ID, nil, agentID, o.Tenant, o.Subject, t.Archived, t.CreatedAt.UTC(), t.UpdatedAt.UTC()}
	if t.Title != "" {
		out.Name = &t.Title
	}
	return out
}

const (
	pageSize = 50
	maxPage  = 200
	// of threads of other agents, looked at for one page
	maxPages = 10
)

// archivedCursor begins the cursors of pages of archived threads: they follow the others.
const archivedCursor = "archived:"

// listing reads threads page by page: those that are not archived, then those that are.
type listing struct {
	q    run.ThreadQuery
	all  bool // archived ones too
	done bool
}

// listing returns what the query asks for.
func (r *request) listing() (*listing, error) {
	l := &listing{q: run.ThreadQuery{Limit: pageSize}}
	if text := r.query.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxPage {
			return nil, server.BadField("limit", fmt.Sprintf("must be a number from 1 to %d", maxPage))
		}
		l.q.Limit = n
	}
	switch r.query.Get("includeArchived") {
	case "", "false":
	case "true":
		l.all = true
	default:
		return nil, server.BadField("includeArchived", "must be true or false")
	}
	l.q.Cursor, l.q.Archived = strings.CutPrefix(r.query.Get("cursor"), archivedCursor)
	return l, nil
}

// next returns up to limit more threads.
func (l *listing) next(r *request, limit int) ([]run.FoundThread, error) {
	q := l.q
	q.Limit = limit
	page, err := r.Threads().List(q)
	if _, bad := errors.AsType[*agui.FieldError](err); bad {
		return nil, server.BadField("cursor", "must be the nextCursor of an earlier page")
	}
	if err != nil {
		return nil, fmt.Errorf("list threads: %w", err)
	}
	if l.q.Cursor = page.Next; page.Next == "" {
		l.done = q.Archived || !l.all
		l.q.Archived = true
	}
	return page.Items, nil
}

// cursor returns where the next page begins, or nil at the end.
func (l *listing) cursor() *string {
	c := l.q.Cursor
	if l.q.Archived {
		c = archivedCursor + c
	}
	if l.done {
		return nil
	}
	return &c
}

// list lists the caller's threads with an agent, newest first. A page may be short, or empty,
// although there is a next one: threads with other agents are not listed.
func list(r *request) error {
	agentID := r.query.Get("agentId")
	if agentID == "" {
		return server.BadField("agentId", "must not be empty")
	}
	l, err := r.listing()
	if err != nil {
		return err
	}
	out := struct {
		Threads    []threadJSON `json:"threads"`
		NextCursor *string      `json:"nextCursor"`
	}{Threads: []threadJSON{}}
	for i := 0; i < maxPages && !l.done && len(out.Threads) < l.q.Limit; i++ {
		threads, err := l.next(r, l.q.Limit-len(out.Threads))
		if err != nil {
			return err
		}
		for _, t := range threads {
			if t.Agent == r.agentOf(agentID) {
				out.Threads = append(out.Threads, threadOut(t.Thread, r.Owner, agentID))
			}
		}
	}
	out.NextCursor = l.cursor()
	r.JSON(out)
	return nil
}

// change is the body of requests that change a thread.
type change struct {
	AgentID  string  `json:"agentId"`
	Name     *string `json:"name"`
	Archived *bool   `json:"archived"`
}

// own reads the change, and checks that the thread is the caller's with that agent.
func (r *request) own(c *change) error {
	if err := r.decode(c); err != nil {
		return err
	}
	if c.AgentID == "" {
		return server.BadField("agentId", "must not be empty")
	}
	t, err := r.Threads().Get(r.thread)
	if err != nil && run.CodeOf(err) != run.CodeNotFound {
		return fmt.Errorf("read a thread: %w", err)
	}
	if err != nil || t.Agent != r.agentOf(c.AgentID) {
		return &server.Error{Status: http.StatusNotFound, Code: "not_found", Message: "there is no such thread"}
	}
	return nil
}

// update renames a thread, archives it or takes it out of the archive.
func update(r *request) error {
	var c change
	if err := r.own(&c); err != nil {
		return err
	}
	if c.Name == nil && c.Archived == nil {
		return server.BadField("name", "must be given, or archived")
	}
	if c.Name != nil {
		if err := server.CheckTitle("name", *c.Name); err != nil {
			return err
		}
	}
	t, err := r.Threads().Update(r.thread, run.ThreadChange{Title: c.Name, Archived: c.Archived})
	if err != nil {
		return err
	}
	r.JSON(threadOut(t, r.Owner, c.AgentID))
	return nil
}

// archive archives a thread.
func archive(r *request) error {
	var c change
	if err := r.own(&c); err != nil {
		return err
	}
	if c.Name != nil || c.Archived != nil {
		return server.BadField("", "must hold an agentId and nothing else")
	}
	if _, err := r.Threads().Update(r.thread, run.ThreadChange{Archived: new(true)}); err != nil {
		return err
	}
	r.JSON(map[string]any{"threadId": r.thread, "archived": true})
	return nil
}

// remove deletes a thread, until it is purged.
func remove(r *request) error {
	var c change
	if err := r.own(&c); err != nil {
		return err
	}
	if c.Name != nil || c.Archived != nil {
		return server.BadField("", "must hold an agentId and nothing else")
	}
	if err := r.Threads().Delete(r.thread); err != nil {
		return err
	}
	r.JSON(map[string]any{"threadId": r.thread, "deleted": true})
	return nil
}

// messageJSON is a message as the inspector shows it.
type messageJSON struct {
	ID         string     `json:"id"`
	Role       string     `json:"role"`
	Content    any        `json:"content,omitempty"`
	ToolCalls  []callJSON `json:"toolCalls,omitempty"`
	ToolCallID string     `json:"toolCallId,omitempty"`
}

type callJSON struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Args string `json:"args"`
}

// messages returns the messages of a thread.
func messages(r *request) error {
	all, _, err := r.Threads().Messages(r.thread, "", 0)
	if err != nil {
		return err
	}
	out := make([]messageJSON, 0, len(all))
	for i := range all {
		m := messageJSON{ID: all[i].ID, Role: all[i].Role, ToolCallID: all[i].ToolCallID}
		if !all[i].Content.IsZero() {
			m.Content = all[i].Content.Text()
		}
		if all[i].Role == agui.RoleActivity {
			m.Content = all[i].Activity
		}
		for _, c := range all[i].ToolCalls {
			m.ToolCalls = append(m.ToolCalls, callJSON{c.ID, c.Name, c.Arguments})
		}
		out = append(out, m)
	}
	r.JSON(map[string]any{"messages": out})
	return nil
}

// state returns the state of a thread, or null.
func state(r *request) error {
	events, err := r.snapshot()
	if err != nil {
		return err
	}
	state := json.RawMessage("null")
	for _, e := range events {
		if s, ok := e.Event.(*agui.StateSnapshot); ok {
			state = s.Snapshot
		}
	}
	r.JSON(map[string]any{"state": state})
	return nil
}

// events returns the events that show a thread as it is.
func events(r *request) error {
	all, err := r.snapshot()
	if err != nil {
		return err
	}
	out := []json.RawMessage{}
	for _, e := range all {
		data, err := agui.MarshalEvent(e.Event)
		if err != nil {
			return fmt.Errorf("encode an event of thread %q: %w", r.thread, err)
		}
		out = append(out, data)
	}
	r.JSON(map[string]any{"events": out})
	return nil
}
