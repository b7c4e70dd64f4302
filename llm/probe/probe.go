package probe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/pageside/pageside/llm"
)

// Status is how a question was answered.
type Status string

// Statuses.
const (
	Works   Status = "works"
	Fails   Status = "fails"
	Skipped Status = "skipped" // the model is not known to be able to
)

// Answer is the outcome of one question.
type Answer struct {
	Question string
	Status   Status
	Detail   string // for people: what was answered, or why it fails
	Took     time.Duration
}

// timeout is for one question. Local models are loaded by the first.
const timeout = 5 * time.Minute

// Run asks a model the questions, one after the other. After a refused key, or if the model cannot
// be reached, it asks no more.
func Run(ctx context.Context, m llm.Model) iter.Seq[Answer] {
	return func(yield func(Answer) bool) {
		for _, q := range questions {
			began := time.Now()
			asking, cancel := context.WithTimeout(ctx, timeout)
			detail, err := q.ask(asking, m)
			cancel()
			answer := Answer{q.name, Works, detail, time.Since(began)}
			switch {
			case errors.Is(err, errUnable):
				answer.Status = Skipped
			case err != nil:
				answer.Status, answer.Detail = Fails, err.Error()
			}
			if !yield(answer) || ctx.Err() != nil || hopeless(err) {
				return
			}
		}
	}
}

// hopeless reports whether an error will be that of every question.
func hopeless(err error) bool {
	var e *llm.Error
	return errors.As(err, &e) && (e.Kind == llm.KindAuth || e.Kind == llm.KindNetwork)
}

// errUnable is the error of a question that the model is not known to be able to answer.
var errUnable = errors.New("not known to be able to")

// question asks a model something. Detail is what to tell of a good answer.
type question struct {
	name string
	ask  func(context.Context, llm.Model) (detail string, err error)
}

var questions = []question{
	{"text", askText}, {"tool call", askTool}, {"parallel calls", askParallel}, {"image", askImage}, {"cached prefix", askCached},
}

// reply is a model's answer.
type reply struct {
	text  string
	calls []llm.ToolCall
	usage llm.Usage
}

// ask makes one call.
func ask(ctx context.Context, m llm.Model, req *llm.Request) (r reply, err error) {
	at := map[int]int{} // by Part.Index, the call
	for p, err := range m.Stream(ctx, req) {
		if err != nil {
			return r, err
		}
		switch p.Kind {
		case llm.TextDelta:
			r.text += p.Delta
		case llm.ToolStart:
			at[p.Index] = len(r.calls)
			r.calls = append(r.calls, llm.ToolCall{ID: p.ID, Name: p.Name})
		case llm.ToolArgs:
			r.calls[at[p.Index]].Args += p.Delta
		case llm.Opaque:
			if i, ok := at[p.Index]; ok {
				r.calls[i].Opaque = p.Opaque
			}
		case llm.UsagePart:
			r.usage.Take(&p)
		}
	}
	return r, nil
}

func say(text string) llm.Message {
	return llm.Message{Role: llm.RoleUser, Content: []llm.Content{llm.Text{Text: text}}}
}

// quote shows the beginning of an answer.
func quote(text string) string {
	if runes := []rune(strings.TrimSpace(text)); len(runes) > 60 {
		return fmt.Sprintf("%q …", string(runes[:60]))
	}
	return fmt.Sprintf("%q", strings.TrimSpace(text))
}

func askText(ctx context.Context, m llm.Model) (string, error) {
	r, err := ask(ctx, m, &llm.Request{Messages: []llm.Message{say("Reply with this one word and nothing else: pageside")}})
	if err == nil && !strings.Contains(strings.ToLower(r.text), "pageside") {
		err = fmt.Errorf("it was to say pageside, and says %s", quote(r.text))
	}
	return quote(r.text), err
}

// weather is the tool that models are asked to call.
var weather = llm.ToolDecl{
	Name: "get_weather", Description: "Returns the weather in a city.",
	Parameters: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string","description":"The city's name."}},"required":["city"]}`),
}

// askTool has the model call a tool and answer from its result.
func askTool(ctx context.Context, m llm.Model) (string, error) {
	if !m.Info().Tools {
		return "", errUnable
	}
	req := &llm.Request{Tools: []llm.ToolDecl{weather}, Messages: []llm.Message{say("What is the weather in Paris? Ask the tool.")}}
	r, err := ask(ctx, m, req)
	if err != nil {
		return "", err
	}
	if len(r.calls) == 0 {
		return "", fmt.Errorf("it called no tool, and says %s", quote(r.text))
	}
	call := r.calls[0]
	if err := aboutCity(call); err != nil {
		return "", err
	}
	req.Messages = append(req.Messages, llm.Message{Role: llm.RoleAssistant, Content: []llm.Content{call}},
		llm.Message{Role: llm.RoleTool, Content: []llm.Content{llm.ToolResult{ID: call.ID, Content: llm.Text{Text: `{"weather":"hail, 17 degrees"}`}}}})
	after, err := ask(ctx, m, req)
	if err == nil && !strings.Contains(after.text, "17") {
		err = fmt.Errorf("the tool said 17 degrees, and it says %s", quote(after.text))
	}
	return call.Name + " " + call.Args + " → " + quote(after.text), err
}

// aboutCity checks a call of the tool.
func aboutCity(call llm.ToolCall) error {
	var args struct{ City string }
	if call.Name != weather.Name || json.Unmarshal([]byte(call.Args), &args) != nil || args.City == "" {
		return fmt.Errorf("it called %s with %s", quote(call.Name), quote(call.Args))
	}
	return nil
}

func askParallel(ctx context.Context, m llm.Model) (string, error) {
	if !m.Info().Tools || !m.Info().ParallelTools {
		return "", errUnable
	}
	r, err := ask(ctx, m, &llm.Request{Tools: []llm.ToolDecl{weather}, Messages: []llm.Message{say("Compare the weather in Paris and in Rome. Call the tool for both cities at once.")}})
	if err != nil {
		return "", err
	}
	for _, call := range r.calls {
		if err := aboutCity(call); err != nil {
			return "", err
		}
	}
	if len(r.calls) < 2 {
		return "", fmt.Errorf("asked for two calls, it made %d; set parallelTools: false if it never makes more", len(r.calls))
	}
	return fmt.Sprintf("%d calls in one answer", len(r.calls)), nil
}

func askImage(ctx context.Context, m llm.Model) (string, error) {
	if !m.Info().Images {
		return "set images: true if the model can see", errUnable
	}
	picture := llm.Media{Kind: "image", MimeType: "image/png", Data: redSquare(), Name: "picture.png"}
	r, err := ask(ctx, m, &llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: []llm.Content{llm.Text{Text: "Which colour fills this picture? Answer with one word."}, picture}}}})
	if err == nil && !strings.Contains(strings.ToLower(r.text), "red") {
		err = fmt.Errorf("it was shown red, and says %s", quote(r.text))
	}
	return quote(r.text), err
}
