package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
)

// The statuses of a payload.
const (
	statusOpen      = "open"
	statusAccepted  = "accepted"
	statusDismissed = "dismissed"
	statusFailed    = "failed" // it cannot be shown: nobody can decide about it
)

// isDecision reports whether a status is one that the user can give a payload.
func isDecision(status string) bool {
	return status == statusOpen || status == statusAccepted || status == statusDismissed
}

// cardMetadata is the part of a message's metadata that belongs to this server.
type cardMetadata struct {
	Pageside map[string]json.RawMessage `json:"pageside"`
}

// card returns what the metadata of a payload's message says about it. ok is false where the
// message is no payload.
func card(m *agui.Message) (c cardMetadata, ok bool) {
	if m.Role != agui.RoleActivity || m.ActivityType == noteType || m.Metadata == nil {
		return c, false
	}
	if json.Unmarshal(m.Metadata, &c) != nil {
		return c, false
	}
	return c, c.Pageside["source"] != nil
}

// payloadStatus returns the status of a payload, "" for any other message.
func payloadStatus(m *agui.Message) (status string) {
	if c, ok := card(m); ok && json.Unmarshal(c.Pageside["status"], &status) == nil {
		return status
	}
	return ""
}

// isAnswer reports whether a message is a card with which the model answers: one that it wrote,
// whole, and not beside calls whose results it has still to read.
func isAnswer(m *agui.Message) bool {
	c, ok := card(m)
	return ok && string(c.Pageside["source"]) == `"llm"` && payloadStatus(m) != statusFailed &&
		c.Pageside["streaming"] == nil && c.Pageside["parentMessageId"] == nil
}

// SetPayloadStatus keeps what the user decided about a payload: accepted, dismissed or open. The
// next run tells the model. While the run that made it is live, those who follow it are told too.
// Errors are *Error: CodeInvalid names status or messageId.
func (m *Manager) SetPayloadStatus(ctx context.Context, o store.Owner, threadID, messageID, status string) error {
	if !isDecision(status) {
		return &Error{Code: CodeInvalid, Field: "status", Message: fmt.Sprintf("status %.40q: it is accepted, dismissed or open", status)}
	}
	for {
		err := m.cfg.Store.SetMessageMetadata(ctx, o, threadID, messageID, func(msg agui.Message) (json.RawMessage, error) {
			return withStatus(&msg, status)
		})
		if !errors.Is(err, store.ErrNotFound) {
			return statusError(err)
		}
		live := m.followers.live(threadKey{o, threadID})
		if live == nil {
			return &Error{Code: CodeNotFound, Message: fmt.Sprintf("thread %q has no message %q", threadID, messageID)}
		}
		switch err := live.w.setStatus(messageID, status); {
		case !errors.Is(err, errOver):
			return statusError(err)
		}
		select { // the run is being stored
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
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return unavailable("the status could not be stored", err)
}

// withStatus returns the metadata of a payload's message with another status.
func withStatus(m *agui.Message, status string) (json.RawMessage, error) {
	c, ok := card(m)
	if !ok {
		return nil, &Error{Code: CodeInvalid, Field: "messageId", Message: fmt.Sprintf("message %q is not a payload", m.ID)}
	}
	all := map[string]json.RawMessage{}
	if err := json.Unmarshal(m.Metadata, &all); err != nil {
		return nil, fmt.Errorf("read the metadata of message %s: %w", m.ID, err)
	}
	if payloadStatus(m) == statusFailed || c.Pageside["streaming"] != nil {
		return nil, &Error{Code: CodeInvalid, Field: "messageId", Message: fmt.Sprintf("payload %q is not complete", m.ID)}
	}
	c.Pageside["status"], _ = json.Marshal(status) // strings and what was JSON: cannot fail
	all["pageside"], _ = json.Marshal(c.Pageside)
	return json.Marshal(all)
}

// setStatus tells the status of a payload that this run has made. An event that replaces nothing
// changes only the metadata.
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
		return &Error{Code: CodeNotFound, Message: fmt.Sprintf("there is no message %q", messageID)}
	}
	card := &messages[i]
	metadata, err := withStatus(card, status)
	if err == nil {
		keep := false
		e := &agui.ActivitySnapshot{MessageID: card.ID, ActivityType: card.ActivityType, Content: card.Activity, Replace: &keep}
		e.Metadata = metadata
		if w.decided == nil {
			w.decided = map[string]string{}
		}
		w.decided[messageID] = status
		if err = w.add(e); err != nil {
			err = errOver
		}
	}
	w.mu.Unlock()
	if err != nil {
		return err
	}
	return w.Flush()
}

// keepDecision keeps what the user decided about a card of this run where the agent, which does not
// know, shows the card again.
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
	if payloadStatus(&m) != statusOpen {
		return
	}
	if with, err := withStatus(&m, status); err == nil {
		*metadata = with
	}
}
