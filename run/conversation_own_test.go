package run

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/test/must"
)

// ownAgent is an agent of somebody else's, where the setup says own. In each run it plays the next
// of what lines told it, of which the parts stand with "; " between them:
//
//	says m1 hello               a message
//	begins m1 hel; adds m1 lo; ends m1
//	calls c1 paint {}; results c1 red
//	event {"type":"RAW", …}     anything
//	asks {"id":"i1", …}         ends the run with an interrupt
//	returns {"ok":true}         the result of the run
//	fails with code words; fails publicly code words, as a model does; fails plainly words; panics
//	hangs                       until it is cancelled
//	ignores 1h                  whatever its context says
//	heedless event {…}          it does not heed that this is refused
//
// It notes what it was given.
type ownAgent struct {
	c    *conversation
	mu   sync.Mutex
	play []string
}

// plays has the agent play a line in its next run.
func (a *ownAgent) plays(line string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.play = append(a.play, line)
}

func (*ownAgent) Info() Info { return Info{ID: "default", Description: "A test."} }

func (*ownAgent) Capabilities() *agui.Capabilities {
	return &agui.Capabilities{Reasoning: &agui.ReasoningCapabilities{Supported: new(true)}}
}

func (a *ownAgent) Run(ctx context.Context, in Input, out Output) (outcome Outcome, err error) {
	a.mu.Lock()
	line := "says m-" + in.RunID + " done"
	if len(a.play) > 0 {
		line, a.play = a.play[0], a.play[1:]
	}
	a.mu.Unlock()
	a.c.note("%s", a.given(in))
	for words := range strings.SplitSeq(line, "; ") {
		verb, rest, _ := strings.Cut(words, " ")
		heedless := strings.HasPrefix(verb, "heedless")
		if heedless {
			verb, rest, _ = strings.Cut(rest, " ")
		}
		if err = a.part(ctx, &outcome, out, verb, rest); err != nil && !heedless {
			return outcome, err
		}
	}
	return outcome, nil
}

// given tells what an agent is given beside the messages.
func (a *ownAgent) given(in Input) string {
	told := "asked own"
	for _, t := range in.Tools {
		told += ", tool " + t.Name
	}
	for _, i := range in.Interrupts {
		told += ", interrupt " + i.ID + " " + i.Reason + marked(i.Metadata)
	}
	for _, r := range in.Resume {
		told += ", " + strings.TrimSpace(r.Status+" "+string(r.Payload))
	}
	return told
}

func (a *ownAgent) part(ctx context.Context, outcome *Outcome, out Output, verb, rest string) error {
	id, text, _ := strings.Cut(rest, " ")
	switch verb {
	case "asks":
		var i agui.Interrupt
		err := json.Unmarshal([]byte(rest), &i)
		outcome.Interrupts = append(outcome.Interrupts, i)
		return err
	case "returns":
		outcome.Result = rawJSON(rest)
	case "fails":
		return ownFailure(id, text)
	case "panics":
		panic("secret")
	case "hangs":
		<-ctx.Done()
		return ctx.Err()
	case "ignores":
		d, err := time.ParseDuration(rest)
		time.Sleep(d)
		return err
	default:
		err := out.Emit(a.events(verb, id, text, rest)...)
		if err != nil && ctx.Err() != nil {
			a.c.note("own may say nothing more")
		}
		return err
	}
	return nil
}

func ownFailure(how, text string) error {
	code, words, _ := strings.Cut(text, " ")
	switch how {
	case "with":
		return &Failure{Code: code, Message: words}
	case "publicly":
		return publicError(code, words)
	}
	return errors.New(text)
}

// events are what a word of a line stands for.
func (a *ownAgent) events(verb, id, text, rest string) []agui.Event {
	begin := []agui.Event{
		&agui.TextMessageStart{MessageID: id, Role: agui.RoleAssistant}, &agui.TextMessageContent{MessageID: id, Delta: text},
	}
	switch verb {
	case "says":
		return append(begin, &agui.TextMessageEnd{MessageID: id})
	case "begins":
		return begin
	case "adds":
		return begin[1:]
	case "ends":
		return []agui.Event{&agui.TextMessageEnd{MessageID: id}}
	case "calls":
		name, args, _ := strings.Cut(text, " ")
		return []agui.Event{
			&agui.ToolCallStart{ToolCallID: id, ToolCallName: name}, &agui.ToolCallArgs{ToolCallID: id, Delta: args},
			&agui.ToolCallEnd{ToolCallID: id},
		}
	case "results":
		return []agui.Event{&agui.ToolCallResult{MessageID: "of-" + id, ToolCallID: id, Content: agui.TextContent(text)}}
	case "nonsense":
		return []agui.Event{&agui.Custom{Value: rawJSON("{")}}
	case "nothing":
		return []agui.Event{nil}
	}
	return []agui.Event{must.Get(agui.UnmarshalEvent([]byte(rest)))(a.c.t)}
}

// agents are those of a setup.
func (c *conversation) agents(s *setup) []Agent {
	if s.Own {
		settings := c.agent(s)
		return []Agent{Host(&agent.Agent{
			Authorizer: settings.Authorizer, Approvals: settings.Approvals, Logger: settings.Logger,
		}, c.own)}
	}
	all := Loops(c.agent(s))
	for _, id := range s.Others {
		other := c.agent(s)
		other.ID = id
		all = append(all, Loop(other))
	}
	return slices.Clip(all)
}
