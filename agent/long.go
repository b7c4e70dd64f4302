package agent

import (
	"regexp"
	"slices"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
)

// long is what the model is not shown any more of a thread that grew too long for it: the messages
// before one are a summary, and the results of calls up to one are placeholders. It is kept in the
// thread as notes, so that later runs make the same prompt.
type long struct {
	summary string // of the messages before the one with the id before
	before  string
	through string // the call up to which results are cleared; "" clears none
}

// readLongNote reports false for every message but the notes that say what is left out.
func readLongNote(m *agui.Message) (n agui.Note, ok bool) {
	n, ok = agui.ReadNote(m)
	return n, ok && (n.Kind == agui.NoteSummary || n.Kind == agui.NoteCleared)
}

// readLong finds what earlier runs left out.
func readLong(thread []agui.Message) (l long) {
	for i := range thread {
		n, ok := readLongNote(&thread[i])
		switch {
		case !ok:
		case n.Kind == agui.NoteSummary:
			l.summary, l.before = n.Text, n.Before
		default:
			l.through = n.Through
		}
	}
	return l
}

// write adds a note to the thread.
func (r *run) write(n agui.Note) error { return r.out.Emit(n.Event(r.agent.id("note_"))) }

// compacted is the thread, or the beginning of it, as the model is shown it.
func (r *run) compacted(thread []agui.Message) []agui.Message {
	if r.long == (long{}) {
		return thread
	}
	start := r.long.start(thread)
	kept := slices.DeleteFunc(slices.Clone(thread[start:]), func(m agui.Message) bool {
		_, note := readLongNote(&m)
		return note
	})
	if start > 0 && len(kept) > 0 {
		kept[0].Content = withSummary(kept[0].Content, r.long.summary)
	}
	r.clearResults(kept)
	return kept
}

// compactedTurn is a turn of this run as the model is shown it.
func (r *run) compactedTurn(said []agui.Message) []agui.Message {
	if r.long.through == "" {
		return said
	}
	said = slices.Clone(said)
	r.clearResults(said)
	return said
}

func (r *run) clearResults(messages []agui.Message) {
	cleared := r.long.cleared(r.thread())
	for i := range messages {
		if m := &messages[i]; m.Role == agui.RoleTool && cleared[m.ToolCallID] {
			m.Content, m.Error = agui.TextContent(placeholder(m.ToolCallID)), ""
		}
	}
}

// start is where what is kept of the thread begins.
func (l *long) start(thread []agui.Message) int {
	if l.summary == "" {
		return 0
	}
	return max(0, slices.IndexFunc(thread, func(m agui.Message) bool { return m.ID == l.before }))
}

// cleared are the calls whose results are placeholders.
func (l *long) cleared(thread []agui.Message) map[string]bool {
	if l.through == "" {
		return nil
	}
	calls := map[string]bool{}
	for i := range thread {
		for _, c := range thread[i].ToolCalls {
			calls[c.ID] = true
			if c.ID == l.through {
				return calls
			}
		}
	}
	return nil // a call that is not here
}

// placeholder stands for a result that is not shown any more.
func placeholder(callID string) string {
	return `[This result was removed to save room. The tool ` + readResultTag + ` with {"id":` + string(jsonx.AppendString(nil, callID)) + `} shows it again.]`
}

const summaryTag = "conversation_summary"

// ourTags begin what only the server writes into a prompt.
var ourTags = regexp.MustCompile(`(?i)<(\s*/?\s*(?:` + summaryTag + `|page_event|page_context)\b)`)

// withSummary puts the summary of what came before in front of a user message. The words in it are
// the model's own, made of everything it had read, so they must not be able to end the block and go
// on as the user's, nor to look like what the server tells.
func withSummary(c agui.Content, summary string) agui.Content {
	parts, _ := c.Parts()
	block := "<" + summaryTag + ">\nWhat was said before, in short:\n" + ourTags.ReplaceAllString(summary, "&lt;$1") + "\n</" + summaryTag + ">"
	return agui.PartsContent(append([]agui.ContentPart{{Type: agui.PartText, Text: block}}, parts...))
}
