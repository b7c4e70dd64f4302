package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run/refusal"
)

// showEvents returns events as lines: what is said and called is one line each, where it begins.
func showEvents(all []agui.Event) (lines []string) {
	open := map[string]int{} // lines by the id of what grows in them
	add := func(id, line string) {
		if i, ok := open[id]; ok && line[0] == '+' {
			lines[i] += line[1:]
			return
		}
		open[id] = len(lines)
		lines = append(lines, strings.TrimPrefix(line, "+"))
	}
	for _, e := range all {
		marks := marked(agui.BaseOf(e).Metadata)
		switch e := e.(type) {
		case *agui.TextMessageStart:
			add(e.MessageID, e.Role+": "+marks)
		case *agui.TextMessageContent:
			add(e.MessageID, "+"+e.Delta)
		case *agui.TextMessageEnd:
			add(e.MessageID, "+"+marks)
		case *agui.ReasoningMessageStart:
			add(e.MessageID, "reasoning: "+marks)
		case *agui.ReasoningMessageContent:
			add(e.MessageID, "+"+e.Delta)
		case *agui.ToolCallStart:
			add(e.ToolCallID, "call "+e.ToolCallID+" "+e.ToolCallName+marks+" ")
		case *agui.ToolCallArgs:
			add(e.ToolCallID, "+"+e.Delta)
		case *agui.ToolCallEnd, *agui.ReasoningStart, *agui.ReasoningMessageEnd, *agui.ReasoningEnd:
		default:
			lines = append(lines, showEvent(e, marks)...)
		}
	}
	for i := range lines {
		lines[i] = strings.ReplaceAll(strings.TrimRight(lines[i], " "), "\n", `\n`)
	}
	return lines
}

func showEvent(e agui.Event, marks string) []string {
	switch e := e.(type) {
	case *agui.RunStarted:
		line := e.RunID + " starts"
		if e.Input != nil {
			for _, m := range e.Input.Messages {
				line += ", " + showMessage(&m)[0]
			}
		}
		return []string{line + marks}
	case *agui.ToolCallResult:
		return []string{"result of " + e.ToolCallID + ": " + e.Content.Text() + marks}
	case *agui.MessagesSnapshot:
		lines := []string{"shows" + marks}
		for _, line := range showMessages(e.Messages) {
			lines = append(lines, "  "+line)
		}
		return lines
	case *agui.RunError:
		return []string{"fails with " + e.Code + ": " + e.Message + marks + showUsage(e.Usage)}
	case *agui.RunFinished:
		return showEnd(e, marks)
	case *agui.Custom:
		return []string{e.Name + " " + string(e.Value) + marks}
	case *agui.StateSnapshot:
		return []string{"state " + string(e.Snapshot)}
	case *agui.StateDelta:
		return []string{"patch " + string(e.Delta)}
	case *agui.ActivitySnapshot:
		return []string{strings.Join([]string{"card", e.MessageID, e.ActivityType, string(e.Content)}, " ") + marks}
	}
	raw, _ := agui.MarshalEvent(e) // it was read
	return []string{string(raw)}
}

func showEnd(e *agui.RunFinished, marks string) []string {
	line := "ends"
	if e.Outcome != nil {
		line += " with " + e.Outcome.Type
		if len(e.Outcome.PendingToolCallIDs) > 0 {
			line += ", waits for " + strings.Join(e.Outcome.PendingToolCallIDs, " ")
		}
	}
	if e.Result != nil {
		line += " " + string(e.Result)
	}
	lines := []string{line + marks + showUsage(e.Usage)}
	if e.Outcome != nil {
		for _, i := range e.Outcome.Interrupts {
			about := strings.TrimRight(strings.Join([]string{"asks", i.ID, i.Reason, i.ToolCallID}, " "), " ")
			lines = append(lines, "  "+about+": "+i.Message+marked(i.Metadata))
		}
	}
	return lines
}

func showUsage(used []agui.TokenUsage) string {
	if used == nil {
		return ""
	}
	raw, _ := agui.MarshalUsage(used)
	return ", used " + string(raw)
}

func marked(metadata json.RawMessage) string {
	if metadata == nil {
		return ""
	}
	return " " + string(metadata)
}

func showMessages(all []agui.Message) (lines []string) {
	for i := range all {
		lines = append(lines, showMessage(&all[i])...)
	}
	return lines
}

func showMessage(m *agui.Message) []string {
	line := m.Role + " " + m.ID + ": " + strings.TrimRight(strings.ReplaceAll(m.Content.Text(), "\n", `\n`), " ")
	switch {
	case m.Role == agui.RoleTool:
		line = "result of " + m.ToolCallID + ": " + m.Content.Text()
	case m.Role == agui.RoleActivity:
		line = m.ActivityType + " " + m.ID + " " + string(m.Activity)
	}
	lines := []string{strings.TrimRight(line, ": ") + marked(m.Metadata)}
	for _, c := range m.ToolCalls {
		lines = append(lines, "  call "+c.ID+" "+c.Name+marked(c.Metadata)+" "+c.Arguments)
	}
	return lines
}

// showRefusal returns an error with all that programs are told.
func showRefusal(err error) string {
	e, ok := errors.AsType[*refusal.Error](err)
	if !ok {
		return "refused: " + err.Error()
	}
	line := "refused " + string(e.Code)
	for _, about := range []struct{ what, is string }{{" at ", e.Field}, {" for ", e.Limit}, {" behind ", e.Live}} {
		if about.is != "" {
			line += about.what + about.is
		}
	}
	if e.Retry > 0 {
		line += ", again in " + e.Retry.String()
	}
	if e.Details != nil {
		raw, _ := json.Marshal(e.Details)
		line += " " + string(raw)
	}
	return line + ": " + e.Message
}

// present keeps of a list what it has, without what is empty.
func present(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " ")
}

func perhaps(format string, v string) string {
	if v == "" {
		return ""
	}
	return fmt.Sprintf(format, v)
}
