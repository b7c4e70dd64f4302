package run

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run/eventlog"
	"github.com/pageside/pageside/store"
)

// ErrPurged is what StoredEvents yields when the events of a run are no longer stored.
var ErrPurged = store.ErrGone

// StoredEvents yields the stored events of a run, decoded. An error is the last that it yields:
// ErrPurged, or one of StoreError.
func (s *stored) StoredEvents(ctx context.Context, o Owner, runID string) iter.Seq2[agui.Event, error] {
	return func(yield func(agui.Event, error) bool) {
		for batch, err := range s.db.Events(ctx, o, runID, 0) {
			if err != nil {
				yield(nil, StoreError(fmt.Sprintf("read the events of run %q", runID), err))
				return
			}
			for at, frame := range eventlog.Frames(batch.Frames) {
				e, err := agui.UnmarshalEvent(frame)
				if err != nil {
					yield(nil, fmt.Errorf("decode the stored event %s: %w", at, err))
					return
				}
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}

// MessageEvents yields what the messages of a run say, as the events that they could have come
// from. Only the branch that is shown tells which run made a message: of a run beside it, nothing
// is yielded. An error is the last that it yields.
func (s *stored) MessageEvents(ctx context.Context, o Owner, row Row) iter.Seq2[agui.Event, error] {
	return func(yield func(agui.Event, error) bool) {
		made, err := s.madeBy(ctx, o, row)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, m := range slices.Backward(made) {
			for _, e := range eventsOf(m) {
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}

// madeBy returns the messages of the shown branch that a run has made, newest first.
func (s *stored) madeBy(ctx context.Context, o Owner, row Row) (made []agui.Message, err error) {
	for before := int64(0); ; {
		page, err := s.Messages(ctx, o, row.ThreadID, before, store.MaxLimit)
		if err != nil {
			return nil, err
		}
		for _, m := range slices.Backward(page.Items) {
			if m.RunID == row.ID {
				made = append(made, m.Message)
			}
		}
		if page.Next == "" || len(page.Items) == 0 || page.Items[0].CreatedAt.Before(row.CreatedAt) {
			return made, nil
		}
		before = page.Items[0].Seq
	}
}

// eventsOf returns the events that a message could have come from.
func eventsOf(m agui.Message) (events []agui.Event) {
	switch m.Role {
	case agui.RoleAssistant:
		events = append(events, &agui.StepStarted{}, &agui.TextMessageContent{Delta: m.Content.Text()})
		for _, c := range m.ToolCalls {
			events = append(events, &agui.ToolCallStart{
				ToolCallID: c.ID, ToolCallName: c.Name,
			}, &agui.ToolCallArgs{ToolCallID: c.ID, Delta: c.Arguments})
		}
	case agui.RoleReasoning:
		events = append(events, &agui.ReasoningMessageContent{Delta: m.Content.Text()})
	case agui.RoleTool:
		events = append(events, &agui.ToolCallResult{ToolCallID: m.ToolCallID, Content: m.Content})
	}
	return events
}
