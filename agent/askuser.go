package agent

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"

	"github.com/pageside/pageside/calls"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/pageside/pageside/internal/jsonx"
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
	return builtin(&tool.Tool{
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
