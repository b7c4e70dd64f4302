package run

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run/history"
	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/store"
)

// SetPayloadStatus stores the user's decision about a payload: accepted, dismissed or open. The
// next run tells the model. While the payload's run is live, its readers are told too. Errors are
// *refusal.Error: refusal.Invalid names status or messageId.
func (m *Manager) SetPayloadStatus(ctx context.Context, o store.Owner, threadID, messageID, status string) error {
	if !history.IsDecision(status) {
		return refusal.Field("status", "status %.40q: it is accepted, dismissed or open", status)
	}
	for {
		err := m.cfg.Store.SetMessageMetadata(ctx, o, threadID, messageID, func(msg agui.Message) (json.RawMessage, error) {
			return history.WithStatus(&msg, status)
		})
		if !errors.Is(err, store.ErrNotFound) {
			return statusError(err)
		}
		live := m.followers.live(threadKey{o, threadID})
		if live == nil {
			return refusal.None("thread %q has no message %q", threadID, messageID)
		}
		switch err := live.w.setStatus(messageID, status); {
		case !errors.Is(err, errOver):
			return statusError(err)
		}
		select { // the run is being stored: try again
		case <-live.over:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func statusError(err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*refusal.Error](err); ok {
		return e
	}
	return unavailable("the status could not be stored", err)
}

// setStatus emits the status of a payload of this run. An event with replace false changes only the
// metadata.
func (w *writer) setStatus(messageID, status string) error {
	w.mu.Lock()
	if w.sealed != nil {
		w.mu.Unlock()
		return errOver
	}
	messages := w.transcript.Messages()
	i := slices.IndexFunc(messages, func(m agui.Message) bool { return m.ID == messageID })
	if i < 0 {
		w.mu.Unlock()
		return refusal.None("there is no message %q", messageID)
	}
	payload := &messages[i]
	metadata, err := history.WithStatus(payload, status)
	if err == nil {
		keep := false
		e := &agui.ActivitySnapshot{
			MessageID: payload.ID, ActivityType: payload.ActivityType, Content: payload.Activity,
			Replace: &keep,
		}
		e.Metadata = metadata
		if w.decided == nil {
			w.decided = map[string]string{}
		}
		w.decided[messageID] = status
		if err = w.emitLocked(e); err != nil {
			err = errOver
		}
	}
	w.mu.Unlock()
	if err != nil {
		return err
	}
	return w.Flush()
}

// keepDecision applies the user's decision to a payload event of the agent, which does not know
// about it. Requires w.mu.
func (w *writer) keepDecision(e agui.Event) {
	var id string
	var metadata *json.RawMessage
	switch e := e.(type) {
	case *agui.ActivitySnapshot:
		id, metadata = e.MessageID, &e.Metadata
	case *agui.ActivityDelta:
		id, metadata = e.MessageID, &e.Metadata
	}
	status := w.decided[id]
	if status == "" || *metadata == nil {
		return
	}
	m := agui.Message{ID: id, Role: agui.RoleActivity, Metadata: *metadata}
	if history.PayloadStatus(&m) != agui.StatusOpen {
		return
	}
	if with, err := history.WithStatus(&m, status); err == nil {
		*metadata = with
	}
}
