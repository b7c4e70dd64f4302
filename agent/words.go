package agent

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/pageside/pageside/agent/prompt"
)

// maxArgsInWords is how much of a call's arguments is said in words, in bytes.
const maxArgsInWords = 2000

// wordsOf marks interrupts as asked in words, and returns the message that asks them. "" is none.
func wordsOf(interrupts []Interrupt) string {
	var asked []string
	approvals := 0
	for i := range interrupts {
		q := &interrupts[i]
		if q.Own {
			continue
		}
		q.Words = true
		asked = append(asked, q.inWords())
		if q.Reason == ReasonToolCall {
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
func (i *Interrupt) inWords() string {
	switch i.Reason {
	case ReasonInput:
		return i.Message + i.options()
	case ReasonConfirmation:
		return i.Message
	}
	var args bytes.Buffer
	if json.Compact(&args, i.Args) != nil {
		args.Reset() // a tool's arguments have been parsed: they are JSON
	}
	said := prompt.Head(args.String(), maxArgsInWords)
	if len(said) < args.Len() {
		said += " …"
	}
	return i.Message + "\n\n`" + i.Tool + "` with\n\n```json\n" + said + "\n```"
}

// options returns what can be chosen, as a list.
func (i *Interrupt) options() string {
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
