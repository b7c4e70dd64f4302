package history

import (
	"slices"

	"github.com/pageside/pageside/agui"
)

// Some clients report what the user did as a call that they have made and answered themselves:
// AG-UI's A2UI middleware appends a call of log_a2ui_event, with its result, for a click on a
// surface. A client may say so, since the messages are marked as its own. They go on with the
// conversation like a message of the user, but approve nothing.

// clientCalls returns the ids of the messages behind the client's last known one that are such
// calls and their results.
func (h *past) clientCalls(sent []agui.Message, known map[string]string) map[string]bool {
	first := 0
	for i := range sent {
		if _, ok := known[sent[i].ID]; ok || h.echoes(&sent[i]) {
			first = i + 1
		}
	}
	if first == 0 || !slices.ContainsFunc(sent[first:], isAssistant) {
		return nil
	}
	made, seen, taken := madeCalls(h.thread), map[string]bool{}, map[string]bool{}
	for i := first; i < len(sent); i++ {
		if h.isClientCall(&sent[i], made) {
			group := answeredCall(sent[i:])
			if h.areNew(group, seen) {
				for j := range group {
					taken[group[j].ID] = true
				}
			}
		}
		seen[sent[i].ID] = true
	}
	return taken
}

// madeCalls returns the ids of a thread's calls, including those that the page was not given.
func madeCalls(thread []agui.Message) map[string]bool {
	made := map[string]bool{}
	for i := range thread {
		for _, c := range thread[i].ToolCalls {
			made[c.ID] = true
		}
	}
	for _, c := range agui.Withheld(thread) {
		made[c.ID] = true
	}
	return made
}

// isClientCall reports whether a message holds nothing but calls that a client may have made. Only
// the server gives answers in words, and knows what its own tools have returned. What becomes of a
// known call is decided elsewhere.
func (h *past) isClientCall(msg *agui.Message, made map[string]bool) bool {
	if !isAssistant(*msg) || len(msg.ToolCalls) == 0 || msg.Content.Text() != "" {
		return false
	}
	for _, c := range msg.ToolCalls {
		if made[c.ID] || h.isBackend(c) {
			return false
		}
	}
	return true
}

// answeredCall returns the first message, whose calls a client has made, with the results that
// follow it: nil unless each call has one.
func answeredCall(sent []agui.Message) []agui.Message {
	var open callSet
	open.add(&sent[0])
	n := 1
	for n < len(sent) && sent[n].Role == agui.RoleTool && open.has(sent[n].ToolCallID) {
		open.remove(sent[n].ToolCallID)
		n++
	}
	if len(open.ids()) > 0 {
		return nil
	}
	return sent[:n]
}

// areNew reports whether there are messages, and each has an id of its own.
func (h *past) areNew(group []agui.Message, seen map[string]bool) bool {
	ids := IDs(group)
	for id := range ids {
		if seen[id] || h.elsewhere[id] {
			return false
		}
	}
	return len(group) > 0 && len(ids) == len(group)
}
