package define

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/pageside/pageside/demo/refuse"
	"github.com/pageside/pageside/tool"
)

// Tool returns the backend tool of that name as the file describes it; where that says nothing else
// it only reads. The model is told its answer as JSON, unless that is a tool.Result.
func Tool[In any](of *Application, name string, answer func(context.Context, *tool.Call, In) (any, error)) *tool.Tool {
	t := tool.New(name, "", func(ctx context.Context, call *tool.Call, in In) (tool.Result, error) {
		v, err := answer(ctx, call, in)
		if err != nil {
			return tool.Result{}, told(err)
		}
		if r, ok := v.(tool.Result); ok {
			return r, nil
		}
		return Told(v, nil)
	})
	t.Effect, t.Category, t.Policy.Timeout = tool.Read, of.Category, of.Timeout
	described := of.Backend[name]
	if err := described.Decode(t); err != nil {
		panic(fmt.Errorf("read what the tool %s is: %w", name, err))
	}
	return t
}

// Summary tells the person who must agree to a call what it would do.
func Summary[In any](say func(In) (string, error)) tool.Summary {
	return func(_ context.Context, call *tool.Call) (string, error) {
		var in In
		if err := json.Unmarshal(call.Args, &in); err != nil {
			return "", fmt.Errorf("read arguments: %w", err)
		}
		text, err := say(in)
		return text, told(err)
	}
}

// Told is a result that the model gets as JSON, and the user as a payload, which may be nil.
func Told(v, payload any) (tool.Result, error) {
	var text strings.Builder
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return tool.Result{}, fmt.Errorf("encode result: %w", err)
	}
	return tool.Result{Text: strings.TrimSpace(text.String()), Payload: payload}, nil
}

// told tells the model what is wrong with its arguments. Errors of the server stay as they are.
func told(err error) error {
	e, ok := errors.AsType[*refuse.Error](err)
	if !ok {
		return err
	}
	told := &tool.Error{Code: tool.CodeInvalidArgs, Message: e.Error(), Hint: e.Hint, Retryable: true}
	if e.Status == http.StatusNotFound || e.Status == http.StatusConflict {
		told.Code = e.Code
	}
	return told
}
