package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode/utf16"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/pageside/pageside/calls"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/internal/visible"
	"github.com/pageside/pageside/tool"
)

// Kinds of questions.
const (
	askSelect  = "select"
	askConfirm = "confirm"
	askText    = "text"
)

// question holds the arguments of an ask_user call.
type question struct {
	Kind     string   `json:"kind"`
	Question string   `json:"question"`
	Options  []string `json:"options,omitempty"`
	Multiple bool     `json:"multiple,omitempty"`
}

// askUser is the tool whose calls the user answers.
var askUser = sync.OnceValue(func() *tool.Tool {
	return tool.Builtin(tool.Tool{
		Name: AskUser,
		Description: "Asks the user one question and waits for the answer. Use it where you cannot go on without a choice, a yes or no, or a fact " +
			"that only the user has; not for what you can find out yourself.",
		InputSchema: schemaOf("ask_user"), Effect: tool.Read,
		Handler: func(context.Context, *tool.Call) (tool.Result, error) {
			// never run: its calls become interrupts
			return tool.Result{}, errors.New("the user answers this")
		},
	})
})

// parseQuestion reads arguments that have passed the schema.
func parseQuestion(args json.RawMessage) (question, *tool.Error) {
	var q question
	if err := jsonv2.Unmarshal(args, &q); err != nil {
		return q, &tool.Error{
			Code: tool.CodeInvalidArgs, Message: "the arguments are invalid: " + err.Error(), Retryable: true,
		}
	}
	if q.Kind == askSelect && len(q.Options) == 0 {
		return q, &tool.Error{
			Code:    tool.CodeInvalidArgs,
			Message: "the arguments are invalid: $.options: missing, select needs what can be chosen", Retryable: true,
			Hint: "Give the options, or ask for a text.",
		}
	}
	return q, nil
}

func (q *question) reason() string {
	if q.Kind == askConfirm {
		return calls.ReasonConfirmation
	}
	return calls.ReasonInput
}

// maxAnswer is the longest answer a user may write, in characters.
const maxAnswer = 10_000

// schema returns the schema of the answer: {"answer": …}.
func (q *question) schema() json.RawMessage {
	answer := map[string]any{"type": "string", "enum": q.Options}
	switch {
	case q.Kind == askConfirm:
		answer = map[string]any{"type": "boolean"}
	case q.Kind == askText:
		answer = map[string]any{"type": "string", "minLength": 1, "maxLength": maxAnswer}
	case q.Multiple:
		answer = map[string]any{"type": "array", "items": answer, "minItems": 1, "uniqueItems": true}
	}
	return jsonx.Marshal(map[string]any{
		"type": "object", "properties": map[string]any{"answer": answer}, "required": []string{"answer"},
	})
}

// checkAnswer returns the answer in a payload. It also accepts a bare value, which plain clients
// send.
func checkAnswer(schema, payload json.RawMessage) (json.RawMessage, error) {
	if len(payload) == 0 {
		payload = json.RawMessage("null")
	}
	if !jsonx.Valid(payload) {
		return nil, errors.New("it is not valid JSON")
	}
	if jsonx.KindOf(payload) != jsonx.Object {
		payload = append(append(json.RawMessage(`{"answer":`), payload...), '}')
	}
	var fields map[string]json.RawMessage
	if err := jsonv2.Unmarshal(payload, &fields); err != nil {
		return nil, errors.New("it is not valid JSON")
	}
	compiled, err := tool.CompileSchema(schema)
	if err != nil {
		return nil, err
	}
	if err := compiled.Validate(payload); err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "$: "))
	}
	return fields["answer"], nil
}

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
