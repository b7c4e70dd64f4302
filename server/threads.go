package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run"
)

type threadJSON struct {
	ID        string    `json:"id"`
	Title     string    `json:"title"`
	Agent     string    `json:"agent"`
	Archived  bool      `json:"archived"`
	Pinned    bool      `json:"pinned"`
	Head      string    `json:"head,omitempty"`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
	DeletedAt time.Time `json:"deletedAt,omitzero"`
	Snippet   string    `json:"snippet,omitempty"`
}

func threadOut(t run.Thread) threadJSON {
	return threadJSON{
		t.ID, t.Title, t.Agent, t.Archived, t.Pinned, t.Head, t.CreatedAt.UTC(), t.UpdatedAt.UTC(),
		t.DeletedAt.UTC(), "",
	}
}

// maxQuery is the maximum length of a search in bytes.
const maxQuery = 500

// getThreads lists or searches the caller's threads: the pinned ones, then the others, newest
// first.
func (s rest) getThreads(c *call) error {
	q := run.ThreadQuery{Text: c.r.URL.Query().Get("q"), Cursor: c.r.URL.Query().Get("cursor"), PinnedFirst: true}
	if len(q.Text) > maxQuery || !utf8.ValidString(q.Text) {
		return badField("q", fmt.Sprintf("must be text of at most %d bytes", maxQuery))
	}
	var err error
	if q.Limit, err = limitOf(c); err != nil {
		return err
	}
	if q.Archived, err = flagOf(c.r, "archived"); err != nil {
		return err
	}
	if q.Deleted, err = flagOf(c.r, "deleted"); err != nil {
		return err
	}
	if q.Text != "" {
		done, err := s.limits.search(c)
		if err != nil {
			return err
		}
		defer done()
	}
	page, err := s.cfg.Runs.Threads(c.r.Context(), c.owner, q)
	if err != nil {
		return err
	}
	out := struct {
		Threads []threadJSON `json:"threads"`
		Next    string       `json:"next,omitempty"`
	}{make([]threadJSON, 0, len(page.Items)), page.Next}
	for _, t := range page.Items {
		j := threadOut(t.Thread)
		j.Snippet = t.Snippet
		out.Threads = append(out.Threads, j)
	}
	writeJSON(c.w, out)
	return nil
}

func (s rest) getThread(c *call) error {
	t, err := s.cfg.Runs.Thread(c.r.Context(), c.owner, c.r.PathValue("thread"))
	if err != nil {
		return err
	}
	spent, err := s.cfg.Runs.SpentOn(c.r.Context(), c.owner, t.ID)
	if err != nil {
		return err
	}
	out := struct {
		threadJSON
		spendingJSON
	}{threadJSON: threadOut(t)}
	if out.spendingJSON, err = spendingOut(spent); err != nil {
		return err
	}
	writeJSON(c.w, out)
	return nil
}

// spendingJSON is what runs used, by provider and model, and their cost in US dollars, if known.
type spendingJSON struct {
	Usage json.RawMessage `json:"usage,omitempty"`
	Cost  *float64        `json:"cost,omitempty"`
}

func spendingOut(s run.Spending) (out spendingJSON, err error) {
	if out.Cost = s.Cost; len(s.Usage) > 0 {
		out.Usage, err = agui.MarshalUsage(s.Usage)
	}
	return out, err
}

// maxTitle is the maximum length of a title in characters.
const maxTitle = 200

// patchThread renames, archives, pins, deletes or restores a thread, or switches its branch.
func (s rest) patchThread(c *call) error {
	var change struct {
		Title    *string `json:"title"`
		Archived *bool   `json:"archived"`
		Pinned   *bool   `json:"pinned"`
		Deleted  *bool   `json:"deleted"`
		Head     *string `json:"head"`
	}
	if err := s.decodeBody(c, &change); err != nil {
		return err
	}
	if change.Title != nil && utf8.RuneCountInString(*change.Title) > maxTitle {
		return badField("title", fmt.Sprintf("must be at most %d characters", maxTitle))
	}
	t, err := s.cfg.Runs.UpdateThread(c.r.Context(), c.owner, c.r.PathValue("thread"),
		run.ThreadChange{
			Title: change.Title, Archived: change.Archived, Pinned: change.Pinned, Deleted: change.Deleted,
			Head: change.Head,
		})
	if err != nil {
		return err
	}
	if change.Deleted != nil {
		s.auditThread(c, t.ID, *change.Deleted)
	}
	writeJSON(c.w, threadOut(t))
	return nil
}

// deleteThread deletes a thread. PATCH {"deleted": false} restores it, until it is purged.
func (s rest) deleteThread(c *call) error {
	if err := s.deleteOwn(c, c.r.PathValue("thread")); err != nil {
		return err
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}

// deleteOwn deletes one of the caller's threads.
func (s *Server) deleteOwn(c *call, threadID string) error {
	if _, err := s.cfg.Runs.UpdateThread(c.r.Context(), c.owner, threadID,
		run.ThreadChange{Deleted: new(true)}); err != nil {
		return err
	}
	s.auditThread(c, threadID, true)
	return nil
}

type runJSON struct {
	ID string `json:"id"`
	// absent for a run that begins a branch before every other run
	ParentRunID string           `json:"parentRunId,omitempty"`
	Status      run.Status       `json:"status"`
	Error       string           `json:"error,omitempty"`
	Current     bool             `json:"current"` // on the shown branch
	UserMessage *userMessageJSON `json:"userMessage,omitempty"`
	Pending     []string         `json:"pendingToolCallIds,omitempty"`
	spendingJSON
	CreatedAt time.Time `json:"createdAt"`
	EndedAt   time.Time `json:"endedAt,omitzero"`
}

type userMessageJSON struct {
	ID      string `json:"id"`
	Preview string `json:"preview"`
}

// getRuns lists the runs of a thread in the order they began. Runs with the same parent are
// siblings: branches of the thread.
func (s rest) getRuns(c *call) error {
	runs, head, err := s.cfg.Runs.Branches(c.r.Context(), c.owner, c.r.PathValue("thread"))
	if err != nil {
		return err
	}
	out := struct {
		Runs []runJSON `json:"runs"`
		Head string    `json:"head,omitempty"`
	}{make([]runJSON, 0, len(runs)), head}
	for _, r := range runs {
		j := runJSON{
			ID: r.ID, ParentRunID: r.ParentRunID, Status: r.Status, Error: r.Error, Current: r.Current,
			Pending: r.Pending, CreatedAt: r.CreatedAt.UTC(), EndedAt: r.EndedAt.UTC(),
		}
		if j.spendingJSON, err = spendingOut(r.Spent); err != nil {
			return err
		}
		if r.FirstUser != nil {
			j.UserMessage = &userMessageJSON{r.FirstUser.ID, r.FirstUser.Preview}
		}
		out.Runs = append(out.Runs, j)
	}
	writeJSON(c.w, out)
	return nil
}

type messageJSON struct {
	Seq       int64           `json:"seq"`
	RunID     string          `json:"runId,omitempty"`
	CreatedAt time.Time       `json:"createdAt"`
	Message   json.RawMessage `json:"message"`
	Feedback  *feedbackJSON   `json:"feedback,omitempty"`
}

type feedbackJSON struct {
	Rating  int    `json:"rating"`
	Reason  string `json:"reason,omitempty"`
	Comment string `json:"comment"`
}

// getMessages returns a page of a thread's messages, oldest first: the newest ones, or those before
// a sequence number.
func (s rest) getMessages(c *call) error {
	limit, err := limitOf(c)
	if err != nil {
		return err
	}
	before, err := numberOf(c.r, "before", 1<<62)
	if err != nil {
		return err
	}
	page, err := s.cfg.Runs.Messages(c.r.Context(), c.owner, c.r.PathValue("thread"), before, limit)
	if err != nil {
		return err
	}
	out := struct {
		Messages []messageJSON `json:"messages"`
		Next     string        `json:"next,omitempty"`
	}{make([]messageJSON, 0, len(page.Items)), page.Next}
	for _, m := range page.Items {
		body, err := agui.MarshalMessage(m.Message)
		if err != nil {
			return fmt.Errorf("encode message %q: %w", m.Message.ID, err)
		}
		j := messageJSON{m.Seq, m.RunID, m.CreatedAt.UTC(), body, nil}
		if m.Feedback != nil {
			j.Feedback = &feedbackJSON{m.Feedback.Rating, m.Feedback.Reason, m.Feedback.Comment}
		}
		out.Messages = append(out.Messages, j)
	}
	writeJSON(c.w, out)
	return nil
}

// getHistory returns a window of a thread's messages as a snapshot shows them, in whole turns:
// those before a message, or the newest.
func (s rest) getHistory(c *call) error {
	limit, err := limitOf(c)
	if err != nil {
		return err
	}
	window, next, err := s.cfg.Runs.History(c.r.Context(), c.owner, c.r.PathValue("thread"),
		c.r.URL.Query().Get("before"), limit)
	if err != nil {
		return err
	}
	out := struct {
		Messages []json.RawMessage `json:"messages"`
		Before   string            `json:"before,omitempty"`
	}{make([]json.RawMessage, 0, len(window)), next}
	for i := range window {
		body, err := agui.MarshalMessage(window[i])
		if err != nil {
			return fmt.Errorf("encode message %q: %w", window[i].ID, err)
		}
		out.Messages = append(out.Messages, body)
	}
	writeJSON(c.w, out)
	return nil
}

// putPayload accepts, dismisses or reopens a payload.
func (s rest) putPayload(c *call) error {
	var change struct {
		Status string `json:"status"`
	}
	if err := s.decodeBody(c, &change); err != nil {
		return err
	}
	if err := s.cfg.Runs.SetPayloadStatus(c.r.Context(), c.owner, c.r.PathValue("thread"),
		c.r.PathValue("message"), change.Status); err != nil {
		return err
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}

// maxPage is the maximum number of rows of a page.
const maxPage = 200

func limitOf(c *call) (int, error) {
	n, err := numberOf(c.r, "limit", maxPage)
	if n == 0 {
		n = 50
	}
	return int(n), err
}

// numberOf reads a query parameter between 1 and most; 0 means that it is absent.
func numberOf(r *http.Request, name string, most int64) (int64, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 || n > most {
		return 0, badField(name, fmt.Sprintf("must be a number from 1 to %d", most))
	}
	return n, nil
}

// flagOf reads a query parameter that is true or false; absent is false.
func flagOf(r *http.Request, name string) (bool, error) {
	switch r.URL.Query().Get(name) {
	case "", "false", "0":
		return false, nil
	case "true", "1":
		return true, nil
	}
	return false, badField(name, "must be true or false")
}
