package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/pageside/pageside/calls"

	"github.com/pageside/pageside/internal/visible"
)

// wordsOf marks interrupts as asked in words, and returns the message that asks them. "" is none.
func wordsOf(interrupts []calls.Interrupt) string {
	var asked []string
	approvals := 0
	for i := range interrupts {
		q := &interrupts[i]
		if q.Own {
			continue
		}
		q.Words = true
		asked = append(asked, inWords(q))
		if q.Reason == calls.ReasonToolCall {
			approvals++
		}
	}
	switch {
	case approvals == 1:
		asked = append(asked, "Answer **yes** to allow it. Anything else declines.")
	case approvals > 1:
		asked = append(asked, "Answer **yes** to allow all of them. Anything else declines.")
	}
	return strings.Join(asked, "\n\n")
}

// inWords returns what an interrupt asks, as Markdown. Arguments are JSON on one line, which cannot
// close the block around it.
func inWords(i *calls.Interrupt) string {
	switch i.Reason {
	case calls.ReasonInput:
		return i.Message + optionsOf(i)
	case calls.ReasonConfirmation:
		return i.Message
	}
	return i.Message + "\n\n`" + i.Tool + "` with\n\n```json\n" + shownArgs(i.Args) + "\n```"
}

// shownArgs returns arguments on one line, whole: nobody can agree to what is left out. Characters
// that their reader would not see are escaped.
func shownArgs(args json.RawMessage) string {
	var line bytes.Buffer
	if json.Compact(&line, args) != nil {
		return "" // a tool's arguments have been parsed: they are JSON
	}
	if visible.Is(line.String()) {
		return line.String()
	}
	var b strings.Builder
	for _, r := range line.String() {
		if visible.Is(string(r)) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

// optionsOf returns what can be chosen, as a list.
func optionsOf(i *calls.Interrupt) string {
	q, err := parseQuestion(i.Args)
	if err != nil {
		return ""
	}
	list := ""
	for _, option := range q.Options {
		list += "\n- " + option
	}
	return list
}
