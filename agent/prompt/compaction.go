package prompt

import (
	"slices"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/internal/lazy"
)

// Compaction is what is left out of the prompt of a thread that grew too long for the model. Notes
// in the thread record it, so that later runs build the same prompt.
type Compaction struct {
	Summary string // replaces the messages before the one with id Before
	Before  string
	Through string // the last call whose result is a placeholder; "" if none
}

// ReadCompaction reads what earlier runs left out from a thread.
func ReadCompaction(thread []agui.Message) (c Compaction) {
	for i := range thread {
		n, ok := compactionNote(&thread[i])
		switch {
		case !ok:
		case n.Kind == agui.NoteSummary:
			c.Summary, c.Before = n.Text, n.Before
		default:
			c.Through = n.Through
		}
	}
	return c
}

// compactionNote returns false for any message but a note about compaction.
func compactionNote(m *agui.Message) (n agui.Note, ok bool) {
	return agui.ReadNote(m, agui.NoteSummary, agui.NoteCleared)
}

// apply returns the history, or the beginning of it, as shown to the model.
func (c *Compaction) apply(history []agui.Message, cleared map[string]bool) []agui.Message {
	if *c == (Compaction{}) {
		return history
	}
	start := c.Start(history)
	kept := slices.DeleteFunc(slices.Clone(history[start:]), func(m agui.Message) bool {
		_, note := compactionNote(&m)
		return note
	})
	if start > 0 && len(kept) > 0 {
		kept[0].Content = withSummary(kept[0].Content, c.Summary)
	}
	return clearResults(kept, cleared)
}

// clearResults returns messages with placeholders for the results that are left out.
func clearResults(messages []agui.Message, cleared map[string]bool) []agui.Message {
	if len(cleared) == 0 {
		return messages
	}
	messages = slices.Clone(messages)
	for i := range messages {
		if m := &messages[i]; m.Role == agui.RoleTool && cleared[m.ToolCallID] {
			m.Content, m.Error = agui.TextContent(placeholder(m.ToolCallID)), ""
		}
	}
	return messages
}

// Start returns the index of the first message kept.
func (c *Compaction) Start(thread []agui.Message) int {
	if c.Summary == "" {
		return 0
	}
	return max(0, slices.IndexFunc(thread, func(m agui.Message) bool { return m.ID == c.Before }))
}

// cleared returns the calls whose results are left out.
func (c *Compaction) cleared(thread []agui.Message) map[string]bool {
	if c.Through == "" {
		return nil
	}
	calls := map[string]bool{}
	for i := range thread {
		for _, call := range thread[i].ToolCalls {
			calls[call.ID] = true
			if call.ID == c.Through {
				return calls
			}
		}
	}
	return nil // the call is not in this thread
}

// Clearable returns the last call whose result may be left out, which is the last one before the
// newest round of calls, and how many bytes clearing up to it frees. maxResult is the shown length
// of a result. The call is "" if clearing frees nothing.
func (c *Compaction) Clearable(thread []agui.Message, maxResult int) (through string, freed int) {
	newest := 0
	for i := range thread {
		if len(thread[i].ToolCalls) > 0 {
			newest = i
		}
	}
	cleared := c.cleared(thread)
	calls := map[string]bool{}
	for i := c.Start(thread); i < newest; i++ {
		for _, call := range thread[i].ToolCalls {
			if !cleared[call.ID] {
				through, calls[call.ID] = call.ID, true
			}
		}
	}
	for i := range thread {
		if m := &thread[i]; m.Role == agui.RoleTool && calls[m.ToolCallID] {
			freed += max(0, min(len(m.Content.Raw()), maxResult)-len(placeholder(m.ToolCallID)))
		}
	}
	if freed == 0 {
		return "", 0
	}
	return through, freed
}

// SummaryEnd returns the index of the user message before which to summarise, or -1. It is the
// first one after which the rest fits (fits gets its size in bytes), or else the one being
// answered.
func (c *Compaction) SummaryEnd(history []agui.Message, maxResult int, fits func(bytes int) bool) int {
	start, end := c.Start(history), -1
	start += max(0, slices.IndexFunc(history[start:], func(m agui.Message) bool { return m.Role == agui.RoleUser }))
	kept := 0
	for i := len(history) - 1; i > start; i-- {
		m := &history[i]
		kept += min(len(m.Content.Raw()), maxResult)
		if m.Role != agui.RoleUser {
			continue
		}
		if end >= 0 && !fits(kept) {
			break
		}
		end = i
	}
	return end
}

// placeholder replaces a result that is left out.
func placeholder(callID string) string {
	return `[This result was removed to save room. The tool ` + ReadResult + ` with {"id":` +
		string(jsonx.AppendString(nil, callID)) + `} shows it again.]`
}

const summaryTag = "conversation_summary"

// ourTags match the tags that only the server writes into a prompt.
var ourTags = lazy.Regexp(`(?i)<(\s*/?\s*(?:` + summaryTag + `|page_event|page_context)\b)`)

// withSummary puts a summary of earlier messages in front of a user message. The model wrote it
// from everything it had read, so it must not be able to end its block and continue as the user,
// nor to imitate the server's tags.
func withSummary(c agui.Content, summary string) agui.Content {
	parts, _ := c.Parts()
	block := "<" + summaryTag + ">\nWhat was said before, in short:\n" +
		ourTags().ReplaceAllString(summary, "&lt;$1") + "\n</" + summaryTag + ">"
	return agui.PartsContent(append([]agui.ContentPart{{Type: agui.PartText, Text: block}}, parts...))
}
