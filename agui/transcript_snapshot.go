package agui

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/pageside/pageside/internal/jsonx"
)

// activity makes or replaces an activity. A snapshot with replace false only changes the metadata
// of an existing one.
func (t *Transcript) activity(e *ActivitySnapshot) {
	replace := e.Replace == nil || *e.Replace
	x := t.find(e.MessageID)
	fresh := Message{
		ID: e.MessageID, Role: RoleActivity, ActivityType: e.ActivityType, Activity: e.Content,
		SubagentRunID: e.SubagentRunID,
	}
	switch {
	case x == nil:
		x = t.add(fresh)
	case replace:
		if x.message.Role == RoleActivity {
			fresh.Metadata = x.current().Metadata
		}
		t.forget(x)
		*x = entry{message: fresh, changed: true, owned: true}
	case x.message.Role != RoleActivity:
		return
	}
	x.merge(e)
}

// forget drops the unfinished content of a message that is replaced or removed.
func (t *Transcript) forget(x *entry) {
	if t.open[x.message.ID] == x {
		delete(t.open, x.message.ID)
	}
	for _, c := range x.calls {
		delete(t.calls, x.message.ToolCalls[c.call].ID)
	}
}

// patchActivity patches a known activity. Its metadata applies even if the patch fails.
func (t *Transcript) patchActivity(e *ActivityDelta) error {
	x := t.find(e.MessageID)
	if x == nil {
		return nil
	}
	if x.message.Role != RoleActivity {
		return unfolded(e, e.MessageID, "the message is not an activity")
	}
	x.merge(e)
	content := x.activity
	if content.IsZero() {
		content = jsonx.NewDocument(x.message.Activity)
	}
	content, err := content.Patch(e.Patch)
	if err != nil {
		return unfolded(e, e.MessageID, "the patch does not fit the activity: %w", err)
	}
	if content.Kind() != jsonx.Object {
		return unfolded(e, e.MessageID, "the patch leaves no object")
	}
	x.activity = content
	x.message.ActivityType = e.ActivityType
	x.changed = true
	return nil
}

// reconcile adapts the transcript to a snapshot. Messages of the snapshot replace those with their
// id in place; new ones are appended. The others are removed, except activities and reasoning if
// the snapshot has no such messages at all.
func (t *Transcript) reconcile(e *MessagesSnapshot) {
	keeps := keeperOf(e)
	latest := make(map[string]*Message, len(e.Messages))
	for i := range e.Messages {
		latest[e.Messages[i].ID] = &e.Messages[i]
	}
	known := make(map[string]bool, len(t.entries))
	kept := make([]*entry, 0, len(e.Messages))
	for _, x := range t.entries {
		m := latest[x.message.ID]
		if m == nil && !keeps.has(&x.message) {
			t.forget(x)
			continue
		}
		if m != nil {
			t.replace(x, m)
		}
		known[x.message.ID] = true
		kept = append(kept, x)
	}
	t.entries = kept
	for i := range e.Messages {
		if m := &e.Messages[i]; !known[m.ID] {
			t.add(*m).owned = false
		}
	}
}

func (t *Transcript) replace(x *entry, m *Message) {
	if !reflect.DeepEqual(x.current(), *m) {
		x.changed = true
	}
	t.forget(x)
	*x = entry{message: *m, changed: x.changed}
}

// keeper decides which messages stay although a snapshot omits them.
type keeper struct {
	reasoning  bool
	activities bool     // those whose type is not in removed
	removed    []string // activity types the snapshot is complete for
}

func (k keeper) has(m *Message) bool {
	switch m.Role {
	case RoleReasoning:
		return k.reasoning
	case RoleActivity:
		return k.activities && !slices.Contains(k.removed, m.ActivityType)
	}
	return false
}

// keeperOf reads from a snapshot's metadata for which activities it is complete. The stock client
// writes "@ag-ui/client": {"authoritativeActivityTypes": null for all, or an array of types}.
func keeperOf(e *MessagesSnapshot) keeper {
	has := func(role string) bool {
		return slices.ContainsFunc(e.Messages, func(m Message) bool { return m.Role == role })
	}
	k := keeper{reasoning: !has(RoleReasoning), activities: true}
	own := jsonx.Find(e.Metadata, "@ag-ui/client")
	if own == nil {
		k.activities = !has(RoleActivity)
		return k
	}
	if jsonx.KindOf(own) != jsonx.Object {
		return k
	}
	types := jsonx.Find(own, "authoritativeActivityTypes")
	switch jsonx.KindOf(types) {
	case jsonx.Invalid:
		k.activities = !has(RoleActivity)
	case jsonx.Null:
		k.activities = false
	case jsonx.Array:
		if json.Unmarshal(types, &k.removed) != nil {
			k.removed = nil
		}
	}
	return k
}
