package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/pageside/pageside/agent/prompt"
	"github.com/pageside/pageside/agent/usage"
	"github.com/pageside/pageside/limit"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/tool"
)

// Query asks an agent's model for structured output: JSON that matches a schema, outside of any
// thread, for the application itself. See run.Manager.Query, which counts it to a user's limits.
type Query struct {
	Name         string // of the output, such as "judge_articles": 1 to 64 letters, digits, _ and -
	Instructions string // what to do: the application's own words
	// what it is about. The model is told that it is data, never instructions
	Data      []page.Item
	Schema    json.RawMessage // of the output, whose root is an object
	MaxTokens int             // of the output; 0 means 4096
	Effort    string          // see llm.Request
	Budget    limit.Budget    // may be nil
}

const defaultQueryTokens = 4096

// queryAttempts is how often the model is asked: again if its output does not match the schema.
const queryAttempts = 2

// Query asks the model and returns its output, validated against the schema, and what the calls
// used, even if it fails. A model that understands tools writes the output as the arguments of a
// call, in strict mode where it has one; others write it as text.
func (a *Agent) Query(ctx context.Context, q Query) (json.RawMessage, usage.Spending, error) {
	schema, err := tool.CompileSchema(q.Schema)
	if err != nil {
		return nil, usage.Spending{}, fmt.Errorf("agent: query %q: its schema: %w", q.Name, err)
	}
	asks := &querier{
		agent: a, query: q, schema: schema,
		meter: usage.Meter{Budget: q.Budget, Model: a.Model, Estimates: &a.estimates},
	}
	output, err := asks.run(ctx)
	if err != nil {
		err = fmt.Errorf("agent: query %q: %w", q.Name, err)
	}
	return output, asks.used.Total(a.Model), err
}

// querier makes the model calls of one query.
type querier struct {
	agent  *Agent
	query  Query
	schema *tool.Schema
	meter  usage.Meter
	used   usage.Ledger
}

func (q *querier) run(ctx context.Context) (json.RawMessage, error) {
	req := q.request()
	for attempt := 1; ; attempt++ {
		written, err := q.ask(ctx, req)
		if err != nil {
			return nil, err
		}
		output, problem := tool.ParseArgs(written, q.schema)
		if problem == nil {
			return output, nil
		}
		if attempt == queryAttempts {
			return nil, fmt.Errorf("the model's output does not match the schema: %w", problem)
		}
		req.Messages = append(req.Messages,
			llm.Message{Role: llm.RoleAssistant, Content: []llm.Content{llm.Text{Text: cmp.Or(written, "{}")}}},
			prompt.UserText(fmt.Sprintf("That could not be read: %s. Write all of it again, corrected.", problem)))
	}
}

// request returns the model call: the instructions, the data, and the declaration of the output.
func (q *querier) request() *llm.Request {
	a, info := q.agent, q.agent.Model.Info()
	req := &llm.Request{
		System:    []llm.Block{{Text: q.query.Instructions}, {Text: page.ContextNotice, Cache: true}},
		MaxTokens: cmp.Or(q.query.MaxTokens, defaultQueryTokens), Effort: q.query.Effort,
	}
	ask := fmt.Sprintf("Answer with a call of %s.", q.query.Name)
	if info.Tools {
		decl := llm.ToolDecl{
			Name: q.query.Name, Description: "Takes your whole answer.", Parameters: q.schema.Declaration(),
			Strict: info.StrictTools && q.schema.Strict(),
		}
		req.Tools, req.Choice, req.Sequential = []llm.ToolDecl{decl}, llm.ChoiceRequired, true
	} else {
		ask = fmt.Sprintf("Answer with one JSON object, nothing before or behind it. It must match this schema:\n%s",
			q.schema.Declaration())
	}
	var content []llm.Content
	if data := page.RenderContext(q.query.Data, a.id(""), math.MaxInt32); data != "" {
		content = append(content, llm.Text{Text: data})
	}
	req.Messages = []llm.Message{{Role: llm.RoleUser, Content: append(content, llm.Text{Text: ask})}}
	return req
}

// ask makes one model call, and again where the provider may recover, and returns what was written.
func (q *querier) ask(ctx context.Context, req *llm.Request) (string, error) {
	began := time.Now()
	for attempt := 1; ; attempt++ {
		written, err := q.call(ctx, req)
		failure, ok := errors.AsType[*llm.Error](err)
		if err == nil || !ok || !failure.Retryable() || ctx.Err() != nil {
			return written, err
		}
		wait := waitBefore(attempt, failure.RetryAfter)
		if time.Since(began)+wait > q.agent.Limits.effective().RetryFor {
			return "", err
		}
		if err := sleep(ctx, wait); err != nil {
			return "", err
		}
	}
}

// call makes one model call within the budget.
func (q *querier) call(ctx context.Context, req *llm.Request) (string, error) {
	size := 0
	for _, b := range req.System {
		size += len(b.Text)
	}
	for _, m := range req.Messages {
		for _, c := range m.Content {
			if text, ok := c.(llm.Text); ok {
				size += len(text.Text)
			}
		}
	}
	input := q.agent.estimates.Tokens(size + len(q.query.Schema))
	if err := q.meter.Hold(ctx, input); err != nil {
		return "", err
	}
	var out queryOutput
	err := out.collect(q.agent.Model.Stream(ctx, req))
	q.used.Add(out.used)
	q.meter.Settle(ctx, input, out.used, out.args.Len()+out.text.Len(), err)
	if err != nil {
		return "", err
	}
	if out.called {
		return out.args.String(), nil
	}
	return objectIn(out.text.String()), nil
}

// queryOutput is what a model answers to a query.
type queryOutput struct {
	args, text strings.Builder
	called     bool
	index      int // content block of the first call; others do not count
	used       usage.Ledger
}

func (o *queryOutput) collect(parts func(func(llm.Part, error) bool)) error {
	finish := llm.Finish("")
	for p, err := range parts {
		switch {
		case err != nil:
			return err
		case o.args.Len()+o.text.Len()+len(p.Delta) > maxStepBytes:
			return errors.New("the model's output is too long")
		case p.Kind == llm.UsagePart:
			o.used.Take(&p)
		case p.Kind == llm.TextDelta:
			o.text.WriteString(p.Delta)
		case p.Kind == llm.ToolStart && !o.called:
			o.called, o.index = true, p.Index
		case p.Kind == llm.ToolArgs && p.Index == o.index:
			o.args.WriteString(p.Delta)
		case p.Kind == llm.FinishPart:
			finish = p.Finish
		}
	}
	if finish != llm.FinishStop && finish != llm.FinishTools {
		return fmt.Errorf("the model's output is not whole: it ended with %q", cmp.Or(finish, llm.FinishOther))
	}
	return nil
}
