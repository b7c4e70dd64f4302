package agui

import (
	"encoding/json"
	"math"
)

// ActionType is the activity type of a suggested action that the server carries out or has carried
// out. Clients can see it, but not write it.
const ActionType = ReservedPrefix + "action"

// Action is the content of an activity message of ActionType.
type Action struct {
	Action string          `json:"action"`
	Label  string          `json:"label,omitempty"` // of the button
	Args   json.RawMessage `json:"args,omitempty"`  // to send again
	Status string          `json:"status"`
	// Text is the tool's result, once there is one.
	Text     string          `json:"text,omitempty"`
	Progress *ActionProgress `json:"progress,omitempty"` // the last report of a running one
}

// Statuses of an Action.
const (
	ActionExecuting = "executing"
	ActionComplete  = "complete"
	ActionFailed    = "failed"
)

// ActionProgress is how far a running action is.
type ActionProgress struct {
	Stage    string   `json:"stage,omitempty"`
	Message  string   `json:"message,omitempty"`
	Progress *float64 `json:"progress,omitempty"` // 0 to 1
}

// ActionProgressOf returns a report. A negative fraction is unknown.
func ActionProgressOf(stage, message string, fraction float64) *ActionProgress {
	p := &ActionProgress{Stage: stage, Message: message}
	if fraction >= 0 && !math.IsNaN(fraction) {
		p.Progress = new(min(fraction, 1))
	}
	return p
}

// Event returns the event that shows the action, or shows it as it is now.
func (a Action) Event(id string) Event {
	content, _ := json.Marshal(a) // args have been read: cannot fail
	return &ActivitySnapshot{MessageID: id, ActivityType: ActionType, Content: content}
}

// ReadAction reads an action. It returns false for any other message.
func ReadAction(m *Message) (a Action, ok bool) {
	if m.Role != RoleActivity || m.ActivityType != ActionType {
		return a, false
	}
	return decode[Action](m.Activity)
}
