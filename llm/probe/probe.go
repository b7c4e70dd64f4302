package probe

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
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
		for _, q := range questions {
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
}

const text = "text"

var questions = []question{
	{text, askText, ""},
	{
		"tool call", askTool,
		"if the model cannot call tools, set tools: false for it in pageside.yaml: it then only talks",
	},
	{"image", askImage, "if the model cannot see, set images: false for it in pageside.yaml"},
}

// ask makes one call, and returns what the model says and the tool that it calls.
func ask(ctx context.Context, m llm.Model, req *llm.Request) (said, called string, err error) {
	for p, err := range m.Stream(ctx, req) {
		if err != nil {
			return "", "", err
		}
		switch p.Kind {
		case llm.TextDelta:
			said += p.Delta
		case llm.ToolStart:
			called = p.Name
		}
	}
	return said, called, nil
}

func say(content ...llm.Content) []llm.Message {
	return []llm.Message{{Role: llm.RoleUser, Content: content}}
}

// quote shows the beginning of an answer.
func quote(text string) string {
	if runes := []rune(strings.TrimSpace(text)); len(runes) > 60 {
		return fmt.Sprintf("%q …", string(runes[:60]))
	}
	return fmt.Sprintf("%q", strings.TrimSpace(text))
}

func askText(ctx context.Context, m llm.Model) (string, error) {
	question := llm.Text{Text: "Reply with this one word and nothing else: pageside"}
	said, _, err := ask(ctx, m, &llm.Request{Messages: say(question)})
	if err == nil && !strings.Contains(strings.ToLower(said), "pageside") {
		err = fmt.Errorf("asked to say pageside, it says %s", quote(said))
	}
	return quote(said), err
}

// weather is the tool that models are asked to call.
var weather = llm.ToolDecl{
	Name: "get_weather", Description: "Returns the weather in a city.",
	Parameters: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`),
}

func askTool(ctx context.Context, m llm.Model) (string, error) {
	if !m.Info().Tools {
		return "the configuration or the catalog says that it takes no tools", errUnable
	}
	question := llm.Text{Text: "What is the weather in Paris? Ask the tool."}
	said, called, err := ask(ctx, m, &llm.Request{Tools: []llm.ToolDecl{weather}, Messages: say(question)})
	if err == nil && called != weather.Name {
		err = fmt.Errorf("it does not call the tool, and says %s", quote(said))
	}
	return called, err
}

func askImage(ctx context.Context, m llm.Model) (string, error) {
	if !m.Info().Images {
		return "if the model can see, set images: true for it in pageside.yaml", errUnable
	}
	question := llm.Text{Text: "Which colour fills this picture? Answer with one word."}
	picture := llm.Media{Kind: "image", MimeType: "image/png", Data: redSquare(), Name: "picture.png"}
	said, _, err := ask(ctx, m, &llm.Request{Messages: say(question, picture)})
	if err == nil && !strings.Contains(strings.ToLower(said), "red") {
		err = fmt.Errorf("it was shown red, and says %s", quote(said))
	}
	return quote(said), err
}

// redSquare returns a picture in base64.
func redSquare() string {
	picture := image.NewRGBA(image.Rect(0, 0, 64, 64))
	draw.Draw(picture, picture.Bounds(), image.NewUniform(color.RGBA{R: 255, A: 255}), image.Point{}, draw.Src)
	var file bytes.Buffer
	_ = png.Encode(&file, picture) // into memory, it cannot fail
	return base64.StdEncoding.EncodeToString(file.Bytes())
}
