package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
)

// maxComment is how long a comment may be, in bytes.
const maxComment = 4 << 10

// putFeedback keeps what the user thinks of a message, and says the rating on the message itself:
// whoever loads the thread sees it.
func (s *Server) putFeedback(c call) error {
	var f feedbackJSON
	if err := s.decodeBody(c, &f); err != nil {
		return err
	}
	switch {
	case f.Rating < -1 || f.Rating > 1:
		return badField("rating", "must be -1, 0 or 1")
	case len(f.Comment) > maxComment:
		return badField("comment", fmt.Sprintf("must be at most %d bytes", maxComment))
	}
	ctx, thread, message := c.r.Context(), c.r.PathValue("thread"), c.r.PathValue("message")
	err := s.cfg.Store.SetFeedback(ctx, c.owner, thread, store.Feedback{MessageID: message, Rating: f.Rating, Comment: f.Comment, At: time.Now()})
	if err == nil {
		err = s.cfg.Store.SetMessageMetadata(ctx, c.owner, thread, message, func(m agui.Message) (json.RawMessage, error) {
			return withRating(m.Metadata, f.Rating)
		})
	}
	if errors.Is(err, store.ErrNotFound) {
		return &Error{Status: http.StatusNotFound, Code: "not_found", Message: "there is no such message in a thread of yours"}
	}
	if err != nil {
		return fmt.Errorf("keep feedback: %w", err)
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}

// withRating returns a message's metadata with pageside.feedback as {"rating": 1}; a rating of 0
// takes it out, and with it what is empty then.
func withRating(metadata json.RawMessage, rating int) (json.RawMessage, error) {
	all, pageside := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	if len(metadata) > 0 {
		if err := json.Unmarshal(metadata, &all); err != nil {
			return nil, fmt.Errorf("read the metadata: %w", err)
		}
	}
	if said := all["pageside"]; len(said) > 0 {
		if err := json.Unmarshal(said, &pageside); err != nil {
			return metadata, nil // a client's own, and no object: it stays as it is
		}
	}
	if pageside == nil {
		pageside = map[string]json.RawMessage{} // it was null
	}
	delete(pageside, "feedback")
	if rating != 0 {
		pageside["feedback"] = fmt.Appendf(nil, `{"rating":%d}`, rating)
	}
	if len(pageside) == 0 {
		delete(all, "pageside")
	} else {
		all["pageside"], _ = json.Marshal(pageside) // what was JSON: cannot fail
	}
	if len(all) == 0 {
		return nil, nil
	}
	return json.Marshal(all)
}
