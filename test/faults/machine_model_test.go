package faults

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest/dialects"
	"github.com/pageside/pageside/store/storetest/faulty"
	"github.com/pageside/pageside/tool"
)

// player is a model that does what the newest question says.
type player struct {
	asked   atomic.Int64
	calls   atomic.Int64
	problem func(format string, args ...any)
}

func (m *player) Info() llm.Info {
	return llm.Info{Provider: "fake", Model: "player", Tools: true, ParallelTools: true}
}

func (m *player) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Part, error] {
	m.asked.Add(1)
	if err := dialects.Sample(req); err != nil {
		m.problem("a model was sent what a provider refuses: %v", err)
	}
	st := m.stepOf(req)
	return func(yield func(llm.Part, error) bool) {
		p := &playing{model: m, ctx: ctx, yield: yield}
		if err := p.step(st, req.Choice == llm.ChoiceNone); err != nil && !p.left {
			yield(llm.Part{}, err)
		}
	}
}

// stepOf finds the step the request has come to: past the last it is a plain answer.
func (m *player) stepOf(req *llm.Request) step {
	n := 0
	for i := len(req.Messages) - 1; i >= 0; i-- {
		msg := req.Messages[i]
		if msg.Role == llm.RoleAssistant {
			n++
			continue
		}
		for _, c := range msg.Content {
			text, ok := c.(llm.Text)
			if _, plan, found := strings.Cut(text.String(), `{"play":`); ok && found && msg.Role == llm.RoleUser {
				var s script
				if err := json.NewDecoder(strings.NewReader(`{"play":` + plan)).Decode(&s); err != nil {
					m.problem("the question is damaged: %v", err)
				}
				if n < len(s.Steps) {
					return s.Steps[n]
				}
				return step{Words: 1}
			}
		}
	}
	m.problem("a model was asked nothing")
	return step{Words: 1}
}

// playing is one call of the model.
type playing struct {
	model *player
	ctx   context.Context
	yield func(llm.Part, error) bool
	left  bool
}

var errPlayerLeft = errors.New("the consumer has left")

func fails(kind llm.ErrorKind) error {
	return &llm.Error{Kind: kind, Model: "fake/player", Message: "it failed on purpose"}
}

func (p *playing) say(parts ...llm.Part) error {
	for _, part := range parts {
		if p.left = !p.yield(part, nil); p.left {
			return errPlayerLeft
		}
	}
	return nil
}

func (p *playing) step(st step, noCalls bool) error {
	switch st.Fault {
	case "error":
		return fails(llm.KindOverloaded)
	case "panic":
		panic("the model panics")
	case "hang":
		<-p.ctx.Done()
		return fails(llm.KindCancelled)
	}
	for i := range st.Words {
		if err := p.say(llm.Part{Kind: llm.TextDelta, Delta: fmt.Sprintf("word%d ", i)}, llm.Part{Kind: llm.Pause}); err != nil {
			return err
		}
		select {
		case <-time.After(time.Duration(st.Pace) * time.Millisecond):
		case <-p.ctx.Done():
			return fails(llm.KindCancelled)
		}
		if st.Fault == "cut" && i == st.Words/2 {
			return fails(llm.KindNetwork)
		}
	}
	finish := llm.FinishStop
	if len(st.Calls) > 0 && !noCalls {
		finish = llm.FinishTools
		if err := p.calls(st); err != nil {
			return err
		}
	}
	if st.Fault == "too long" {
		finish = llm.FinishLength
	}
	return p.say(llm.Part{Kind: llm.FinishPart, Finish: finish})
}

func (p *playing) calls(st step) error {
	for i, c := range st.Calls {
		id := fmt.Sprintf("call_%d", p.model.calls.Add(1))
		if st.Fault == "same ids" { // as models do that count from zero, or not at all
			id = fmt.Sprintf("call_%d", i/2)
		}
		name, args := c.Tool, argsFor(c.Tool, p.model.calls.Load())
		switch st.Fault {
		case "invalid arguments":
			args = `{"n":"seven"`
		case "no tool":
			name += "s"
		}
		if err := p.say(llm.Part{Kind: llm.ToolStart, Index: i + 1, ID: id, Name: name}, llm.Part{Kind: llm.ToolArgs, Index: i + 1, Delta: args[:len(args)/2]}); err != nil {
			return err
		}
		if st.Fault == "cut in a call" && i == len(st.Calls)-1 {
			return fails(llm.KindNetwork)
		}
		if err := p.say(llm.Part{Kind: llm.ToolArgs, Index: i + 1, Delta: args[len(args)/2:]}, llm.Part{Kind: llm.ToolEnd, Index: i + 1}); err != nil {
			return err
		}
	}
	return nil
}

func argsFor(name string, n int64) string {
	if name == "ask_user" {
		return `{"kind":"confirm","question":"Really?"}`
	}
	return fmt.Sprintf(`{"n":%d}`, n)
}

// tools are those of one process. What they do after its death has no effect.
func (w *world) tools(st *faulty.Mortal) []*tool.Tool {
	type input struct {
		N int `json:"n,omitempty"`
	}
	one := func(name string, effect tool.Effect, takes time.Duration) *tool.Tool {
		t := tool.New(name, "Has an effect.", func(ctx context.Context, c *tool.Call, _ input) (tool.Result, error) {
			switch {
			case name == "broken":
				panic("the tool panics")
			case name == "stubborn":
				time.Sleep(takes) // whatever ctx says
			case takes > 0:
				select {
				case <-time.After(takes):
				case <-ctx.Done():
					return tool.Result{}, ctx.Err()
				}
			}
			st.Alive(func() { w.effect(c) })
			return tool.Result{Text: "done " + name}, nil
		})
		t.Effect = effect
		return t
	}
	transfer := one("transfer", tool.Write, time.Millisecond)
	transfer.Policy.Approval = tool.ApprovalAlways
	return []*tool.Tool{
		one("pay", tool.Write, 5*time.Millisecond), one("look", tool.Read, 0), one("stamp", tool.Idempotent, time.Millisecond), transfer,
		one("slow", tool.Write, 2*time.Second), one("stubborn", tool.Write, 3*time.Minute), one("broken", tool.Write, 0),
	}
}
