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
	Lacks   Status = "lacks"   // it does not, and does without
	Skipped Status = "skipped" // the model is not known to be able to
)

// Answer is the outcome of one question.
type Answer struct {
	Question string
	Status   Status
	Detail   string     // for people: what was answered, or why it fails
	Advice   string     // what to do about it; "" if nothing need be done
	Err      *llm.Error // of the call that failed, if one did
	Took     time.Duration
}

// Questions is how many there are.
var Questions = len(questions)

// Timeouts of a question. Local models are loaded by the first.
const (
	Timeout      = time.Minute
	LocalTimeout = 5 * time.Minute
)

// Run asks a model the questions, one after the other, each within the timeout. It asks no more
// after an error that all of them would end with, such as a refused key, and when ctx ends.
func Run(ctx context.Context, m llm.Model, timeout time.Duration) iter.Seq[Answer] {
	return func(yield func(Answer) bool) {
		callsTools := true
		for _, q := range questions {
			if q.name == parallelCalls && !callsTools {
				if !yield(Answer{Question: q.name, Status: Skipped, Detail: "it calls no tools"}) {
					return
				}
				continue
			}
			began := time.Now()
			asking, cancel := context.WithTimeoutCause(ctx, timeout, errTooLong)
			detail, err := q.ask(asking, m)
			if err != nil && context.Cause(asking) == errTooLong {
				err = errTooLong
			}
			cancel()
			if ctx.Err() != nil {
				return
			}
			callsTools = callsTools && (q.name != toolCall || err == nil)
			if !yield(q.answer(detail, err, timeout, time.Since(began))) || q.hopeless(err) {
				return
			}
		}
	}
}

var (
	// errTooLong ends a question.
	errTooLong = errors.New("no answer in time")
	// errUnable is the error of a question that the model is not known to be able to answer.
	errUnable = errors.New("not known to be able to")
)

// question asks a model something. Detail is what to tell of a good answer.
type question struct {
	name string
	ask  func(context.Context, llm.Model) (detail string, err error)
	// what to do if the provider refuses it, or the answer is not a good one
	advice string
	// the assistant works without: only a provider that refuses it is a failure
	optional bool
}

const text, toolCall, parallelCalls = "text", "tool call", "parallel calls"

var questions = []question{
	{text, askText, "", false},
	{toolCall, askTool, "if the model cannot call tools, set tools: false for it in pageside.yaml: it then only talks", false},
	{parallelCalls, askParallel, "if it never makes more than one, set parallelTools: false for it in pageside.yaml", true},
	{"image", askImage, "if the model cannot see, set images: false for it in pageside.yaml", false},
	{"cached prefix", askCached, "every call is paid in full; that is usual for local servers", true},
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
		err = fmt.Errorf("asked to say pageside, it says %s", quote(r.text))
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
		return "the configuration or the catalog says that it takes no tools", errUnable
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
		return "the configuration or the catalog says that it makes one call a step", errUnable
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
		return "", fmt.Errorf("asked for two calls, it made %d", len(r.calls))
	}
	return fmt.Sprintf("%d calls in one answer", len(r.calls)), nil
}

func askImage(ctx context.Context, m llm.Model) (string, error) {
	if !m.Info().Images {
		return "if the model can see, set images: true for it in pageside.yaml", errUnable
	}
	picture := llm.Media{Kind: "image", MimeType: "image/png", Data: redSquare(), Name: "picture.png"}
	r, err := ask(ctx, m, &llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: []llm.Content{llm.Text{Text: "Which colour fills this picture? Answer with one word."}, picture}}}})
	if err == nil && !strings.Contains(strings.ToLower(r.text), "red") {
		err = fmt.Errorf("it was shown red, and says %s", quote(r.text))
	}
	return quote(r.text), err
}
