package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/pageside/pageside/agui"
)

// guest is an agent of somebody else's. Each of its runs plays a line of what it does, made of
// parts with "; " between them; without one left it says hi.
//
//	says m1 hello                 a message
//	calls c1 paint {}             a call
//	{"type":"CUSTOM",…}           an event
//	asks {"id":"i", …}            its outcome: an interrupt
//	results {"ok":true}           its outcome: a result
//	waits 1s, ignores 1h          as models do
//	repeats                       says how it was answered
//	fails, fails with no_seats No seat is left.; panics
type guest struct {
	mu    sync.Mutex
	play  []string
	given []Input
	c     *conversation
}

func (*guest) Info() Info { return Info{ID: "default", Description: "A test."} }

func (*guest) Capabilities() *agui.Capabilities { return &agui.Capabilities{} }

func (g *guest) plays(c *conversation, line string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.play, g.c = append(g.play, line), c
}

func (g *guest) Run(ctx context.Context, in Input, out Output) (o Outcome, err error) {
	g.mu.Lock()
	line := "says hi-" + in.RunID + " hi"
	if len(g.play) > 0 {
		line, g.play = g.play[0], g.play[1:]
	}
	g.given = append(g.given, in)
	g.mu.Unlock()
	for part := range strings.SplitSeq(line, "; ") {
		if err := g.do(ctx, part, in, out, &o); err != nil {
			return o, err
		}
	}
	return o, nil
}

func (g *guest) do(ctx context.Context, part string, in Input, out Output, o *Outcome) error {
	verb, rest, _ := strings.Cut(part, " ")
	id, text, _ := strings.Cut(rest, " ")
	switch verb {
	case "says":
		return out.Emit(says(id, text)...)
	case "calls":
		name, args, _ := strings.Cut(text, " ")
		return out.Emit(makes(id, name, args)...)
	case "asks":
		var i struct {
			ID, Reason, Message, ExpiresAt string
			ResponseSchema, Metadata       json.RawMessage
		}
		err := json.Unmarshal([]byte(rest), &i)
		o.Interrupts = append(o.Interrupts, agui.Interrupt{
			ID: i.ID, Reason: i.Reason, Message: i.Message, ExpiresAt: i.ExpiresAt, ResponseSchema: i.ResponseSchema, Metadata: i.Metadata,
		})
		return err
	case "results":
		o.Result = rawJSON(rest)
		return nil
	case "repeats":
		r := in.Resume[0]
		return out.Emit(says("a-"+in.RunID, r.Status+" "+string(r.Payload))...)
	case "waits", "ignores":
		return guestWaits(ctx, verb, rest)
	case "panics":
		panic("secret")
	case "fails":
		return guestFails(rest)
	}
	e, err := agui.UnmarshalEvent([]byte(part))
	if err != nil {
		return err
	}
	return out.Emit(e)
}

func guestWaits(ctx context.Context, verb, rest string) error {
	d, err := time.ParseDuration(rest)
	if verb == "ignores" {
		time.Sleep(d)
		return err
	}
	select {
	case <-time.After(d):
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func guestFails(rest string) error {
	words, ok := strings.CutPrefix(rest, "with ")
	if !ok {
		return errors.New("secret")
	}
	code, message, _ := strings.Cut(words, " ")
	return &Failure{Code: code, Message: message}
}

// showGiven shows what the agent was given last.
func (g *guest) showGiven() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.given) == 0 {
		return nil
	}
	in := g.given[len(g.given)-1]
	told := []string{fmt.Sprintf("%d times", len(g.given))}
	told = append(told, showMessages(in.Messages)...)
	for _, t := range in.Tools {
		told = append(told, "tool "+t.Name)
	}
	for _, i := range in.Interrupts {
		told = append(told, "asked "+i.ID+" "+i.Reason+marked(i.Metadata))
	}
	for _, r := range in.Resume {
		told = append(told, "answered "+r.InterruptID+" "+r.Status+" "+string(r.Payload))
	}
	return told
}
