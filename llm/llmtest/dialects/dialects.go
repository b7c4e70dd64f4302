// Package dialects has one model of this project for every API that llmtest mocks, and checks that
// all of them would take a request.
//
// Tests of an agent, a server or a program ask a Fake, or put Check before a fake model of their
// own, so that nothing passes that a real provider would refuse:
//
//	model := dialects.Fake{Answer: func(context.Context, *llm.Request) ([]llm.Part, error) {
//		return dialects.Says("Done."), nil
//	}}
//
// It imports the providers' packages, which llmtest must not: that would share their mistakes.
package dialects

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/anthropic"
	"github.com/pageside/pageside/llm/bedrock"
	"github.com/pageside/pageside/llm/gemini"
	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/llm/openai"
)

// Adapter is a model of this project and the API it speaks.
type Adapter struct {
	Name    string
	Dialect llmtest.Dialect
	New     func(*http.Client) llm.Model

	once  sync.Once
	model llm.Model // sends its requests to their contexts
}

// OpenAI returns an adapter that speaks Chat Completions or Responses.
func OpenAI(name string, dialect llmtest.Dialect, cfg openai.Config) *Adapter {
	return &Adapter{Name: name, Dialect: dialect, New: func(c *http.Client) llm.Model { cfg.HTTPClient = c; return openai.New(cfg) }}
}

func ofGoogle(model string) *Adapter {
	return &Adapter{Name: model, Dialect: llmtest.Gemini, New: func(c *http.Client) llm.Model {
		return gemini.New(gemini.Config{Model: model, HTTPClient: c})
	}}
}

func ofAnthropic(model string) *Adapter {
	return &Adapter{Name: model, Dialect: llmtest.Anthropic, New: func(c *http.Client) llm.Model {
		return anthropic.New(anthropic.Config{Model: model, HTTPClient: c})
	}}
}

func ofAmazon(name string, dialect llmtest.Dialect, model string) *Adapter {
	return &Adapter{Name: name, Dialect: dialect, New: func(c *http.Client) llm.Model {
		keys := credentials.NewStaticCredentialsProvider("AKIDEXAMPLE", "secret", "")
		return bedrock.New(bedrock.Config{Model: model, Region: "us-east-1", Credentials: keys, HTTPClient: c})
	}}
}

// All has at least one adapter for every API, and two where models of one API differ in what they
// take.
var All = []*Adapter{
	OpenAI("gpt-4o", llmtest.Chat, openai.Config{Model: "gpt-4o"}),
	OpenAI("gpt-5-mini by chat", llmtest.Chat, openai.Config{Model: "gpt-5-mini"}),
	OpenAI("gpt-5-mini", llmtest.Responses, openai.Config{Model: "gpt-5-mini", Responses: true}),
	OpenAI("gpt-4o by responses", llmtest.Responses, openai.Config{Model: "gpt-4o", Responses: true}),
	OpenAI("mistral", llmtest.Mistral, openai.Config{BaseURL: "https://api.mistral.ai/v1", Model: "mistral-large-latest"}),
	OpenAI("mistral by vllm", llmtest.Mistral, openai.Config{Provider: "vllm", BaseURL: "http://127.0.0.1:8000/v1", Model: "mistralai/Devstral-Small-2507"}),
	OpenAI("ollama", llmtest.Ollama, openai.Config{Provider: "ollama", BaseURL: "http://127.0.0.1:11434/v1", Model: "llama3.2", Abilities: llm.Profile{ContextWindow: new(8192)}}),
	OpenAI("claude by openrouter", llmtest.OpenRouter, openai.Config{Provider: "openrouter", BaseURL: "https://openrouter.ai/api/v1", Model: "anthropic/claude-sonnet-4.5"}),
	ofAnthropic("claude-sonnet-4-5"), ofAnthropic("claude-opus-4-6"),
	ofGoogle("gemini-2.5-flash"), ofGoogle("gemini-3-flash"),
	ofAmazon("claude by bedrock", llmtest.Bedrock, "us.anthropic.claude-sonnet-4-5-20250929-v1:0"),
	ofAmazon("nova", llmtest.Nova, "us.amazon.nova-pro-v1:0"),
}

var errNoNetwork = errors.New("no network")

type bodyKey struct{}

// capture is a transport that keeps the body of a request in its context's *[]byte.
func capture(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if to, ok := r.Context().Value(bodyKey{}).(*[]byte); ok {
		*to = body
	}
	return nil, errNoNetwork
}

// Body returns the body that a request becomes. Safe for concurrent use.
func (a *Adapter) Body(req *llm.Request) ([]byte, error) {
	a.once.Do(func() { a.model = a.New(&http.Client{Transport: llmtest.Transport(capture)}) })
	var body []byte
	var failed error
	for _, err := range a.model.Stream(context.WithValue(context.Background(), bodyKey{}, &body), req) {
		failed = err
	}
	if !json.Valid(body) {
		return nil, fmt.Errorf("%s: not JSON: %.300s (%w)", a.Name, body, failed)
	}
	return body, nil
}

// Check returns the provider's refusal of a request.
func (a *Adapter) Check(req *llm.Request) error {
	body, err := a.Body(req)
	if err != nil {
		return err
	}
	if err := llmtest.Check(a.Dialect, body); err != nil {
		return fmt.Errorf("%s refuses a request: %w", a.Name, err)
	}
	return nil
}

// large is the size of a request, in bytes of text, from which only one adapter is tried.
const large = 256 << 10

// Check returns the first refusal of a request by any of the providers, or an error if its history
// does not pair all calls and results.
func Check(req *llm.Request) error {
	if err := llm.Balance(req.Messages); err != nil {
		return err
	}
	if size := sizeOf(req); size > large {
		return All[size%len(All)].Check(req)
	}
	for _, a := range All {
		if err := a.Check(req); err != nil {
			return err
		}
	}
	return nil
}

var sampled atomic.Uint64

// Sample is Check with one of the providers, the next one each time: for tests that make the same
// kinds of requests by the thousand. Safe for concurrent use.
func Sample(req *llm.Request) error {
	if err := llm.Balance(req.Messages); err != nil {
		return err
	}
	return All[sampled.Add(1)%uint64(len(All))].Check(req)
}

// sizeOf returns the bytes of text in a history.
func sizeOf(req *llm.Request) (n int) {
	for _, m := range req.Messages {
		for _, c := range m.Content {
			switch c := c.(type) {
			case llm.Text:
				n += len(c.Text) + len(c.Quoted)
			case llm.ToolCall:
				n += len(c.Args)
			case llm.ToolResult:
				n += len(c.Content.Text) + len(c.Content.Quoted)
			case llm.Media:
				n += len(c.Data)
			}
		}
	}
	return n
}

// Refuse returns the stream of a model that refuses a request.
func Refuse(info llm.Info, err error) iter.Seq2[llm.Part, error] {
	return func(yield func(llm.Part, error) bool) {
		yield(llm.Part{}, &llm.Error{Kind: llm.KindBadRequest, Model: info.Name(), Status: http.StatusBadRequest, Message: err.Error(), Err: err})
	}
}

// Fake is a model that answers as a function says: with parts, and then with its error if there is
// one. It refuses what Check refuses.
type Fake struct {
	Is     llm.Info
	Answer func(ctx context.Context, req *llm.Request) ([]llm.Part, error)
}

// Info implements llm.Model.
func (f Fake) Info() llm.Info { return f.Is }

// Stream implements llm.Model.
func (f Fake) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Part, error] {
	if err := Check(req); err != nil {
		return Refuse(f.Is, err)
	}
	return func(yield func(llm.Part, error) bool) {
		parts, err := f.Answer(ctx, req)
		for _, p := range parts {
			if !yield(p, nil) {
				return
			}
		}
		if err != nil {
			yield(llm.Part{}, err)
		}
	}
}

// Says is an answer in words.
func Says(text string) []llm.Part {
	return []llm.Part{{Kind: llm.TextDelta, Delta: text}, {Kind: llm.FinishPart, Finish: llm.FinishStop}}
}

// Calls is an answer that calls a tool.
func Calls(id, tool, args string) []llm.Part {
	return []llm.Part{
		{Kind: llm.ToolStart, ID: id, Name: tool}, {Kind: llm.ToolArgs, Delta: args}, {Kind: llm.ToolEnd},
		{Kind: llm.FinishPart, Finish: llm.FinishTools},
	}
}

// Strict returns m behind Check: it refuses what any of the providers would.
func Strict(m llm.Model) llm.Model { return &strict{m} }

type strict struct{ llm.Model }

func (m *strict) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Part, error] {
	if err := Check(req); err != nil {
		return Refuse(m.Info(), err)
	}
	return m.Model.Stream(ctx, req)
}
