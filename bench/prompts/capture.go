package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
)

// call is one model call, taken apart so that its prompt can be laid out in other ways.
type call struct {
	run      int                // the run that made it, from 0
	context  []agui.ContextItem // what the browser sent with that run
	tools    string             // the declarations
	system   []string           // the blocks
	whole    []message          // the messages as Pageside sent them
	messages []message          // the same without page context and notes
	request  string             // all of it, in JSON
	asked    *llm.Request
}

// message is one message as a model reads it. Each call of a tool is a message of its own; ids of
// calls are left out.
type message struct{ role, text string }

// recorder is a model that keeps its requests.
type recorder struct {
	llm.Model

	mu    sync.Mutex
	run   int
	in    *agui.RunAgentInput
	ids   ids
	calls []call
}

// next sets the run that the following calls belong to.
func (r *recorder) next(run int, in *agui.RunAgentInput) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.run, r.in = run, in
}

// Stream implements llm.Model.
func (r *recorder) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Part, error] {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := call{run: r.run, context: r.in.Context, tools: declarations(req.Tools), request: r.ids.steady(toJSON(req)), asked: kept(req)}
	for _, b := range req.System {
		c.system = append(c.system, b.Text)
	}
	for _, m := range req.Messages {
		c.take(m, &r.ids)
	}
	r.calls = append(r.calls, c)
	return r.Model.Stream(ctx, req)
}

// kept returns a copy of a request, whose messages belong to the loop.
func kept(req *llm.Request) *llm.Request {
	c := *req
	c.System, c.Tools, c.Messages = slices.Clone(req.System), slices.Clone(req.Tools), slices.Clone(req.Messages)
	return &c
}

// take appends a message, whole and without page context and notes.
func (c *call) take(m llm.Message, ids *ids) {
	var all, plain []string
	for _, part := range m.Content {
		switch part := part.(type) {
		case llm.Text:
			text := ids.steady(part.String())
			all = append(all, text)
			if !ownBlock(m.Role, text) {
				plain = append(plain, text)
			}
		case llm.ToolResult:
			all, plain = append(all, part.Content.String()), append(plain, part.Content.String())
		}
	}
	c.whole, c.messages = add(c.whole, m.Role, all), add(c.messages, m.Role, plain)
	for _, part := range m.Content {
		if made, ok := part.(llm.ToolCall); ok {
			role, args := m.Role+" to="+made.Name, []string{made.Args}
			c.whole, c.messages = add(c.whole, role, args), add(c.messages, role, args)
		}
	}
}

// ownBlock reports whether Pageside has written a text: page context, or notes.
func ownBlock(role, text string) bool {
	return role == llm.RoleUser && (strings.HasPrefix(text, "<page_context id=") || strings.HasPrefix(text, "<page_event>"))
}

func add(messages []message, role string, texts []string) []message {
	if len(texts) == 0 {
		return messages
	}
	return append(messages, message{role, strings.Join(texts, "\n\n")})
}

// declarations returns the tools roughly as a provider gets them.
func declarations(tools []llm.ToolDecl) string {
	var b strings.Builder
	for _, t := range tools {
		fmt.Fprintf(&b, "{\"name\":%q,\"description\":%s,\"parameters\":%s}\n", t.Name, toJSON(t.Description), t.Parameters)
	}
	return b.String()
}

func toJSON(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // there is nothing in a request that JSON cannot hold
	}
	return strings.TrimSpace(b.String())
}
