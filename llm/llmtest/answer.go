package llmtest

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/pageside/pageside/llm"
)

// Answer is a stream, collected.
type Answer struct {
	Text, Reasoning string
	Opaque          map[int]string // by content block
	Calls           []Call
	Finish          llm.Finish
	Usage           llm.Usage
	Parts           []llm.Part
	Err             *llm.Error
}

// Call is a tool call of an Answer.
type Call struct {
	ID, Name, Args string
	Index          int
	Ended          bool
}

// Ask makes one call and collects the answer. It checks the rules that every stream must keep.
func Ask(t testing.TB, ctx context.Context, m llm.Model, req *llm.Request) (a Answer) {
	t.Helper()
	a.Opaque = map[int]string{}
	for part, err := range m.Stream(ctx, req) {
		if a.Err != nil || a.Finish != "" {
			t.Fatalf("something follows the end: %+v, %v", part, err)
		}
		if err != nil {
			e, ok := err.(*llm.Error)
			if !ok {
				t.Fatalf("error of type %T: %v", err, err)
			}
			a.Err = e
			continue
		}
		a.take(t, part)
	}
	if a.Err == nil && a.Finish == "" {
		t.Fatal("the stream ended with neither a finish nor an error")
	}
	return a
}

func (a *Answer) take(t testing.TB, part llm.Part) {
	t.Helper()
	if part.Kind == llm.Pause && (len(a.Parts) == 0 || a.Parts[len(a.Parts)-1].Kind == llm.Pause) {
		t.Fatal("a Pause with nothing before it")
	}
	a.Parts = append(a.Parts, part)
	switch part.Kind {
	case llm.TextDelta:
		a.Text += part.Delta
	case llm.ReasoningDelta:
		a.Reasoning += part.Delta
	case llm.Opaque:
		a.Opaque[part.Index] += part.Opaque
	case llm.ToolStart:
		if part.ID == "" || part.Name == "" {
			t.Fatalf("a call without id or name: %+v", part)
		}
		if slices.ContainsFunc(a.Calls, func(c Call) bool { return c.ID == part.ID }) {
			t.Fatalf("two calls have the id %q", part.ID)
		}
		a.Calls = append(a.Calls, Call{ID: part.ID, Name: part.Name, Index: part.Index})
	case llm.ToolArgs:
		a.call(t, part).Args += part.Delta
	case llm.ToolEnd:
		a.call(t, part).Ended = true
	case llm.UsagePart:
		a.Usage.Take(&part)
	case llm.FinishPart:
		a.Finish = part.Finish
	}
}

func (a *Answer) call(t testing.TB, part llm.Part) *Call {
	t.Helper()
	for i := range a.Calls {
		if a.Calls[i].Index == part.Index {
			if a.Calls[i].Ended {
				t.Fatalf("%+v after the end of its call", part)
			}
			return &a.Calls[i]
		}
	}
	t.Fatalf("%+v belongs to no call", part)
	return nil
}

// Message returns the answer as it goes back: thoughts and the text where they began, each with
// what the provider gave for it, then the calls.
func (a *Answer) Message() llm.Message {
	m := Say(llm.RoleAssistant)
	thoughts, spoke := map[int]int{}, false
	for _, p := range a.Parts {
		switch called := slices.ContainsFunc(a.Calls, func(c Call) bool { return c.Index == p.Index }); {
		case p.Kind == llm.TextDelta && !spoke:
			spoke = true
			m.Content = append(m.Content, llm.Text{Text: a.Text})
		case p.Kind == llm.ReasoningDelta, p.Kind == llm.Opaque && !called:
			at, known := thoughts[p.Index]
			if !known {
				at = len(m.Content)
				thoughts[p.Index] = at
				m.Content = append(m.Content, llm.Reasoning{})
			}
			r := m.Content[at].(llm.Reasoning)
			m.Content[at] = llm.Reasoning{Text: r.Text + p.Delta, Opaque: r.Opaque + p.Opaque}
		}
	}
	for _, c := range a.Calls {
		m.Content = append(m.Content, llm.ToolCall{ID: c.ID, Name: c.Name, Args: c.Args, Opaque: a.Opaque[c.Index]})
	}
	return m
}

// Kind returns the kind of the answer's error, or "".
func (a *Answer) Kind() llm.ErrorKind {
	if a.Err == nil {
		return ""
	}
	return a.Err.Kind
}

// Opaques returns the opaque values in order.
func (a *Answer) Opaques() (list []string) {
	for _, p := range a.Parts {
		if p.Kind == llm.Opaque {
			list = append(list, p.Opaque)
		}
	}
	return list
}

// Hello is the shortest request.
var Hello = &llm.Request{Messages: []llm.Message{Say(llm.RoleUser, llm.Text{Text: "hello"})}}

// Say returns a message.
func Say(role string, content ...llm.Content) llm.Message {
	return llm.Message{Role: role, Content: content}
}

// Count returns a token count, or -1 if unknown.
func Count(p *int64) int64 {
	if p == nil {
		return -1
	}
	return *p
}

// Counts returns the counts of a Usage in the order of its fields, -1 where one is unknown.
func Counts(u llm.Usage) (counts [6]int64) {
	for i, n := range []*int64{u.Input, u.Output, u.Total, u.Reasoning, u.CacheRead, u.CacheWrite} {
		counts[i] = Count(n)
	}
	return counts
}

// EqualJSON reports whether two documents are JSON and hold the same value.
func EqualJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}

// User returns a user message with a text.
func User(text string) llm.Message { return Say(llm.RoleUser, llm.Text{Text: text}) }
