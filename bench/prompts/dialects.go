package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/anthropic"
	"github.com/pageside/pageside/llm/bedrock"
	"github.com/pageside/pageside/llm/gemini"
	"github.com/pageside/pageside/llm/openai"
)

// dialect is a provider's way of writing requests, and of caching what they begin with.
type dialect struct {
	name  string
	open  func(*http.Client) llm.Model
	units func(body) []unit
	// only what ends at a breakpoint is cached; else everything is
	breakpoints bool
}

var dialects = []dialect{
	{"OpenAI, Chat Completions", func(c *http.Client) llm.Model {
		return openai.New(openai.Config{Model: "gpt-4o", HTTPClient: c})
	}, chatUnits, false},
	{"OpenAI, Responses", func(c *http.Client) llm.Model {
		return openai.New(openai.Config{Model: "gpt-5-mini", Responses: true, HTTPClient: c})
	}, responsesUnits, false},
	{"Anthropic", func(c *http.Client) llm.Model {
		return anthropic.New(anthropic.Config{Model: "claude-sonnet-4-5", HTTPClient: c})
	}, anthropicUnits, true},
	{"Claude by OpenRouter", func(c *http.Client) llm.Model {
		return openai.New(openai.Config{Provider: "openrouter", BaseURL: "https://openrouter.ai/api/v1", Model: "anthropic/claude-haiku-4.5", HTTPClient: c})
	}, chatUnits, true},
	{"Claude by Bedrock", func(c *http.Client) llm.Model {
		return bedrock.New(bedrock.Config{Model: "us.anthropic.claude-sonnet-4-5-20250929-v1:0", Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("a", "b", ""), HTTPClient: c})
	}, bedrockUnits, true},
	{"Gemini", func(c *http.Client) llm.Model {
		return gemini.New(gemini.Config{Model: "gemini-2.5-flash", HTTPClient: c})
	}, geminiUnits, false},
}

// share returns the part of all requests, in bytes, that the provider has from earlier ones.
func (d *dialect) share(ctx context.Context, requests []*llm.Request) (float64, error) {
	network := &network{}
	model := d.open(&http.Client{Transport: network})
	c := cache{breakpoints: d.breakpoints, kept: map[prefix]bool{}}
	for i, req := range requests {
		network.sent = nil
		for range model.Stream(ctx, req) { // it ends with the error of the network
		}
		var b body
		if err := json.Unmarshal(network.sent, &b); err != nil {
			return 0, fmt.Errorf("call %d for %s: %w", i+1, d.name, err)
		}
		c.take(d.units(b))
	}
	return float64(c.cached) / float64(c.sent), nil
}

// network keeps what is sent, and sends nothing.
type network struct{ sent []byte }

var errKept = errors.New("kept")

func (n *network) RoundTrip(r *http.Request) (*http.Response, error) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	n.sent = bytes.Clone(raw)
	return nil, errKept
}

// dialectTable writes how much of the conversation each provider has cached, in Markdown.
func dialectTable(ctx context.Context, out io.Writer, calls []call) error {
	fmt.Fprintln(out, "| provider | cached, of all bytes |\n|---|--:|")
	for _, d := range dialects {
		share, err := d.share(ctx, requestsOf(calls))
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "| %s | %.1f %% |\n", d.name, 100*share)
	}
	_, err := fmt.Fprintln(out)
	return err
}

func requestsOf(calls []call) (all []*llm.Request) {
	for _, c := range calls {
		all = append(all, c.asked)
	}
	return all
}
