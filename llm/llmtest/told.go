package llmtest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/pageside/pageside/llm"
)

// told writes the answer down: its parts, where the pieces of one thing make a line, what it used,
// and how it ended.
func (a *Answer) told() (lines []string) {
	var parts []*toldPart
	for _, p := range a.Parts {
		kind, ok := toldKinds[p.Kind]
		if !ok {
			continue
		}
		if n := len(parts); n == 0 || !parts[n-1].goesOn(kind, p) {
			parts = append(parts, &toldPart{kind: kind, index: p.Index, name: nameOf(p)})
		}
		last := parts[len(parts)-1]
		last.text += p.Delta + p.Opaque
		last.ended = p.Kind == llm.ToolEnd
	}
	for _, p := range parts {
		lines = append(lines, p.String())
	}
	if used := usage(a.Usage); used != "" {
		lines = append(lines, "usage"+used)
	}
	if a.Err != nil {
		return append(lines, failure(a.Err))
	}
	return append(lines, "finish "+string(a.Finish))
}

var toldKinds = map[llm.PartKind]string{
	llm.TextDelta: "text", llm.ReasoningDelta: "thought", llm.Opaque: "opaque",
	llm.ToolStart: "call", llm.ToolArgs: "call", llm.ToolEnd: "call",
}

// toldPart is a line: a text, a thought, what is opaque, or a call, until another thing comes.
type toldPart struct {
	kind  string
	index int
	name  string // of a call: its id and name
	text  string
	ended bool // of a call
}

func (l *toldPart) goesOn(kind string, p llm.Part) bool {
	return p.Kind != llm.ToolStart && kind == l.kind && p.Index == l.index && !l.ended
}

func (l *toldPart) String() string {
	line := fmt.Sprint(l.kind, " ", l.index)
	if l.name != "" {
		line += " " + l.name
	}
	if l.text != "" || l.kind != "call" {
		line += " " + visible(l.text)
	}
	if l.ended {
		line += " end"
	}
	return line
}

var madeUp = regexp.MustCompile(`_[a-z2-7]{20}$`)

// nameOf is what a part says of its call: a random id is a star, and what goes on has dots.
func nameOf(p llm.Part) string {
	switch p.Kind {
	case llm.ToolStart:
		return madeUp.ReplaceAllString(p.ID, "_*") + " " + p.Name
	case llm.ToolArgs, llm.ToolEnd:
		return "…"
	}
	return ""
}

// visible quotes a text whose beginning, end or characters would not show.
func visible(s string) string {
	if s != "" && strings.TrimSpace(s) == s && strconv.CanBackquote(s) {
		return s
	}
	return strconv.Quote(s)
}

// usage is what is known of the tokens.
func usage(u llm.Usage) (used string) {
	names := []string{"in", "out", "total", "thought", "read", "written"}
	for i, n := range Counts(u) {
		if n >= 0 {
			used += fmt.Sprintf(" %s %d", names[i], n)
		}
	}
	return used
}

// failure is an error, with what else it says.
func failure(e *llm.Error) string {
	said := "fails " + string(e.Kind)
	if e.Status != 0 {
		said += fmt.Sprint(" ", e.Status)
	}
	if e.RetryAfter != 0 {
		said += fmt.Sprint(" after ", e.RetryAfter)
	}
	if e.MayBeTooLong {
		said += " or too long"
	}
	return said + ": " + e.Message
}
