package rest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/pageside/pageside/demo/refuse"
	"github.com/pageside/pageside/tool"
)

// Tools makes the backend tools of an application, whose errors are those of its API.
type Tools struct {
	Category string
	Timeout  time.Duration
}

// ReadTool returns a tool that only reads. The model is told its answer as JSON, unless that is a
// tool.Result.
func ReadTool[In any](of Tools, name, description string, answer func(context.Context, *tool.Call, In) (any, error)) *tool.Tool {
	t := tool.New(name, description, func(ctx context.Context, call *tool.Call, in In) (tool.Result, error) {
		v, err := answer(ctx, call, in)
		if err != nil {
			return tool.Result{}, of.Error(err)
		}
		if r, ok := v.(tool.Result); ok {
			return r, nil
		}
		return Told(v, nil)
	})
	t.Effect, t.Category, t.Policy.Timeout = tool.Read, of.Category, of.Timeout
	return t
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

// Error tells the model what is wrong with its arguments. Errors of the server stay as they are.
func (t Tools) Error(err error) error {
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
