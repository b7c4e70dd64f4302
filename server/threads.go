package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
)

type threadJSON struct {
	ID        string    `json:"id"`
	Title     string    `json:"title"`
	Agent     string    `json:"agent"`
	Archived  bool      `json:"archived"`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

func threadOut(t store.Thread) threadJSON {
	return threadJSON{t.ID, t.Title, t.Agent, t.Archived, t.CreatedAt.UTC(), t.UpdatedAt.UTC()}
}

// getThreads lists the caller's threads, newest first.
func (s *Server) getThreads(c call) error {
	limit, err := limitOf(c)
	if err != nil {
		return err
	}
	page, err := s.cfg.Store.Threads(c.r.Context(), c.owner, c.r.URL.Query().Get("cursor"), limit)
	if errors.Is(err, store.ErrBadCursor) {
		return badField("cursor", "must be the next of an earlier page")
	}
	if err != nil {
		return fmt.Errorf("list threads: %w", err)
	}
	out := struct {
		Threads []threadJSON `json:"threads"`
		Next    string       `json:"next,omitempty"`
	}{make([]threadJSON, 0, len(page.Items)), page.Next}
	for _, t := range page.Items {
		out.Threads = append(out.Threads, threadOut(t))
	}
	writeJSON(c.w, out)
	return nil
}

func (s *Server) getThread(c call) error {
	t, err := s.cfg.Store.Thread(c.r.Context(), c.owner, c.r.PathValue("thread"))
	if err != nil {
		return fmt.Errorf("read a thread: %w", err)
	}
	writeJSON(c.w, threadOut(t))
	return nil
}

type messageJSON struct {
	Seq       int64           `json:"seq"`
	RunID     string          `json:"runId,omitempty"`
	CreatedAt time.Time       `json:"createdAt"`
	Message   json.RawMessage `json:"message"`
}

// getMessages returns a page of a thread's messages, oldest first: the newest ones, or those before a position.
func (s *Server) getMessages(c call) error {
	limit, err := limitOf(c)
	if err != nil {
		return err
	}
	before, err := numberOf(c, "before", 1<<62)
	if err != nil {
		return err
	}
	page, err := s.cfg.Store.Messages(c.r.Context(), c.owner, c.r.PathValue("thread"), before, limit)
	if err != nil {
		return fmt.Errorf("read the messages of a thread: %w", err)
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
		out.Messages = append(out.Messages, messageJSON{m.Seq, m.RunID, m.CreatedAt.UTC(), body})
	}
	writeJSON(c.w, out)
	return nil
}

// maxPage is how many rows a page may have.
const maxPage = 200

func limitOf(c call) (int, error) {
	n, err := numberOf(c, "limit", maxPage)
	if n == 0 {
		n = 50
	}
	return int(n), err
}

// numberOf reads a query parameter between 1 and most; 0 means that it is absent.
func numberOf(c call, name string, most int64) (int64, error) {
	text := c.r.URL.Query().Get(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 || n > most {
		return 0, badField(name, fmt.Sprintf("must be a number from 1 to %d", most))
	}
	return n, nil
}
