package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
)

// maxComment is the maximum length of a comment in bytes.
const maxComment = 4 << 10

// reasons are what may be wrong with an answer.
var reasons = []string{"incorrect", "incomplete", "irrelevant", "too_long", "unsafe"}

// putFeedback stores the user's opinion of a message. The rating also goes into the message's
// metadata, so that it is shown when the thread is loaded.
func (s *Server) putFeedback(c call) error {
	var f feedbackJSON
	if err := s.decodeBody(c, &f); err != nil {
		return err
	}
	switch {
	case f.Rating < -1 || f.Rating > 1:
		return badField("rating", "must be -1, 0 or 1")
	case f.Reason != "" && f.Rating != -1:
		return badField("reason", "only a rating of -1 has one")
	case f.Reason != "" && !slices.Contains(reasons, f.Reason):
		return badField("reason", "must be one of "+strings.Join(reasons, ", "))
	case len(f.Comment) > maxComment:
		return badField("comment", fmt.Sprintf("must be at most %d bytes", maxComment))
	}
	ctx, thread, message := c.r.Context(), c.r.PathValue("thread"), c.r.PathValue("message")
	err := s.cfg.Store.SetFeedback(ctx, c.owner, thread, store.Feedback{
		MessageID: message, Rating: f.Rating, Reason: f.Reason, Comment: f.Comment, At: time.Now(),
	})
	if err == nil {
		err = s.cfg.Store.SetMessageMetadata(ctx, c.owner, thread, message, func(m agui.Message) (json.RawMessage, error) {
			return agui.WithRating(m.Metadata, f.Rating)
		})
	}
	if errors.Is(err, store.ErrNotFound) {
		return &Error{
			Status: http.StatusNotFound, Code: "not_found",
			Message: "there is no such message in a thread of yours",
		}
	}
	if err != nil {
		return fmt.Errorf("keep feedback: %w", err)
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}
