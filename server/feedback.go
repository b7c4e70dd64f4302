package server

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/pageside/pageside/run"
)

// maxComment is the maximum length of a comment in bytes.
const maxComment = 4 << 10

// reasons are what may be wrong with an answer.
var reasons = []string{"incorrect", "incomplete", "irrelevant", "too_long", "unsafe"}

// putFeedback stores the user's opinion of a message.
func (s rest) putFeedback(c *call) error {
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
	if err := s.cfg.Runs.SetFeedback(c.r.Context(), c.owner, c.r.PathValue("thread"), run.Feedback{
		MessageID: c.r.PathValue("message"), Rating: f.Rating, Reason: f.Reason, Comment: f.Comment,
	}); err != nil {
		return err
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}
