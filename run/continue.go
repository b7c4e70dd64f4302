package run

import (
	"context"
	"slices"

	"github.com/pageside/pageside/agui"
)

// asBefore returns the messages of an earlier run as they were before this one, which may have gone
// on with one of them.
func (r *Run) asBefore(messages []agui.Message) []agui.Message {
	i := slices.IndexFunc(messages, func(m agui.Message) bool { return r.continued != nil && m.ID == r.continued.ID })
	if i >= 0 {
		messages = slices.Clone(messages)
		messages[i] = *r.continued
	}
	return messages
}

// noteContinued notes which message of an earlier run this one continues.
func (x *execution) noteContinued(thread []agui.Message, id string) {
	if i := slices.IndexFunc(thread, func(m agui.Message) bool { return id != "" && m.ID == id }); i >= 0 {
		before := thread[i]
		x.run.continued, x.w.continues = &before, id
	}
}

// reopened returns the id of the text of an earlier run that a run's events go on with, or "".
func (p *replayed) reopened(before []agui.Message) string {
	i := slices.IndexFunc(before, func(m agui.Message) bool { return m.Role == agui.RoleAssistant && p.made[m.ID] })
	if i < 0 {
		return ""
	}
	return before[i].ID
}

// withRating adds the rating that the user has given the continued message in the meantime to those
// that the run stores: its copy of the metadata is older. Best effort.
func (r *Run) withRating(ctx context.Context, messages []agui.Message) {
	if r.continued == nil {
		return
	}
	i := slices.IndexFunc(messages, func(m agui.Message) bool { return m.ID == r.continued.ID })
	if i < 0 {
		return
	}
	stored, err := r.m.cfg.Store.Transcript(ctx, r.owner, r.ThreadID, r.ID)
	if err != nil {
		r.m.log.Warn("the rating of a continued message could not be read", "run", r.ID,
			"message", r.continued.ID, "error", err)
		return
	}
	at := slices.IndexFunc(stored, func(m agui.Message) bool { return m.ID == r.continued.ID })
	if at < 0 {
		return
	}
	now, was := ratingOf(&stored[at]), ratingOf(&messages[i])
	if now == was {
		return
	}
	if rated, err := agui.WithRating(messages[i].Metadata, now); err == nil {
		messages[i].Metadata = rated
	}
}

// ratingOf returns the user's rating of a message, or 0.
func ratingOf(m *agui.Message) int {
	if d, _ := agui.ReadMetadata(m.Metadata); d.Feedback != nil {
		return d.Feedback.Rating
	}
	return 0
}
