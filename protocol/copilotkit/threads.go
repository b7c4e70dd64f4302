package copilotkit

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
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
)

// archivedCursor begins the cursors of pages of archived threads: they follow the others.
const archivedCursor = "archived:"

// list lists the caller's threads with an agent, newest first; then, if they are asked for, those
// that are archived. A page may be short, or empty, although there is a next one: threads with
// other agents are not listed.
func list(r *request) error {
	query := r.Request.URL.Query()
	agentID := query.Get("agentId")
	if agentID == "" {
		return server.BadField("agentId", "must not be empty")
	}
	limit, err := r.Number("limit", maxPage)
	if err != nil {
		return err
	}
	all, err := r.Flag("includeArchived")
	if err != nil {
		return err
	}
	q := run.ThreadQuery{Limit: int(cmp.Or(limit, pageSize))}
	q.Cursor, q.Archived = strings.CutPrefix(query.Get("cursor"), archivedCursor)
	is := func(t run.Thread) bool { return t.Agent == r.agentOf(agentID) }
	threads, next, err := r.Threads().Wanted(q, is)
	if err == nil && next == "" && all && !q.Archived {
		q.Archived, q.Cursor, q.Limit = true, "", q.Limit-len(threads)
		var archived []run.Thread
		if q.Limit > 0 {
			archived, next, err = r.Threads().Wanted(q, is)
		}
		threads = append(threads, archived...)
	}
	if _, bad := errors.AsType[*agui.FieldError](err); bad {
		return server.BadField("cursor", "must be the nextCursor of an earlier page")
	}
	if err != nil {
		return err
	}
	out := struct {
		Threads    []threadJSON `json:"threads"`
		NextCursor *string      `json:"nextCursor"`
	}{Threads: []threadJSON{}}
	for _, t := range threads {
		out.Threads = append(out.Threads, threadOut(t, r.Owner, agentID))
	}
	if q.Archived && (next != "" || q.Limit == 0) {
		next = archivedCursor + next
	}
	if next != "" {
		out.NextCursor = &next
	}
	r.JSON(out)
	return nil
}

// of is the body of requests about a thread with an agent.
type of struct {
	AgentID string `json:"agentId"`
}

// own reads a body, which has an of, and checks that the thread is the caller's with that agent.
func (r *request) own(body any, with *of) error {
	if err := r.decode(body); err != nil {
		return err
	}
	if with.AgentID == "" {
		return server.BadField("agentId", "must not be empty")
	}
	t, err := r.Threads().Get(r.thread())
	const none = "there is no such thread"
	if err == nil && t.Agent != r.agentOf(with.AgentID) {
		return server.NotFound(none)
	}
	return server.OrNotFound(err, none)
}

// update renames a thread, archives it or takes it out of the archive.
func update(r *request) error {
	var c struct {
		of
		Name     *string `json:"name"`
		Archived *bool   `json:"archived"`
	}
	if err := r.own(&c, &c.of); err != nil {
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
	t, err := r.Threads().Update(r.thread(), run.ThreadChange{Title: c.Name, Archived: c.Archived})
	if err != nil {
		return err
	}
	r.JSON(threadOut(t, r.Owner, c.AgentID))
	return nil
}

// archive archives a thread.
func archive(r *request) error {
	var c of
	if err := r.own(&c, &c); err != nil {
		return err
	}
	if _, err := r.Threads().Update(r.thread(), run.ThreadChange{Archived: new(true)}); err != nil {
		return err
	}
	r.JSON(map[string]any{"threadId": r.thread(), "archived": true})
	return nil
}

// remove deletes a thread, until it is purged.
func remove(r *request) error {
	var c of
	if err := r.own(&c, &c); err != nil {
		return err
	}
	if err := r.Threads().Delete(r.thread()); err != nil {
		return err
	}
	r.JSON(map[string]any{"threadId": r.thread(), "deleted": true})
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
	all, _, err := r.Threads().Messages(r.thread(), "", 0)
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
			return fmt.Errorf("encode an event of thread %q: %w", r.thread(), err)
		}
		out = append(out, data)
	}
	r.JSON(map[string]any{"events": out})
	return nil
}
