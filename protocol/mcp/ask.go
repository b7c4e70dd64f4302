package mcp

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/server"
)

// answer is what an agent has said, as structured content.
type answer struct {
	Text     string    `json:"text"`
	ThreadID string    `json:"threadId"`
	RunID    string    `json:"runId"`
	Payloads []payload `json:"payloads"`

	said    agui.Transcript // of the newest run
	texts   []string
	waits   []agui.Interrupt
	problem string // why it is not whole
	sources []agui.NumberedSource
}

type payload struct {
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`
}

// askAgent asks an agent, and the user whatever the agent's run waits for.
func (c *caller) askAgent(agentID string, args json.RawMessage) (*sdk.CallToolResult, error) {
	in, err := c.question(args)
	if err != nil {
		return nil, err
	}
	a := &answer{ThreadID: in.ThreadID, Payloads: []payload{}}
	for {
		if err := c.run(agentID, in, a); err != nil {
			return nil, err
		}
		if len(a.waits) == 0 || a.problem != "" {
			return a.result(), nil
		}
		resume, err := c.answers(a.waits)
		if err != nil {
			a.problem = "The agent waits for the user, and nothing was approved: " + err.Error() +
				". It can be answered where Pageside shows the conversation; another question here answers it with no."
			return a.result(), nil
		}
		in = &agui.RunAgentInput{
			ProtocolVersion: agui.ProtocolVersion, ThreadID: in.ThreadID, RunID: newID(), Resume: resume,
		}
	}
}

func newID() string { return "mcp-" + rand.Text() }

// question returns the run that a call asks for.
func (c *caller) question(args json.RawMessage) (*agui.RunAgentInput, error) {
	var q struct {
		Question string `json:"question"`
		ThreadID string `json:"threadId"`
	}
	if err := server.DecodeField("", args, &q); err != nil {
		return nil, err
	}
	if strings.TrimSpace(q.Question) == "" {
		return nil, server.BadField("question", "must not be empty")
	}
	in := &agui.RunAgentInput{ProtocolVersion: agui.ProtocolVersion, ThreadID: cmp.Or(q.ThreadID, newID()), RunID: newID(),
		Messages: []agui.Message{{ID: newID(), Role: agui.RoleUser, Content: agui.TextContent(q.Question)}}}
	if q.ThreadID == "" {
		return in, nil
	}
	// a model may have made the id up
	_, waits, _, err := c.x.Snapshot(q.ThreadID, 1)
	switch {
	case refusal.CodeOf(err) == refusal.NotFound:
		return nil, server.BadField("threadId", "there is no such conversation")
	case err != nil:
		return nil, err
	case waits != nil:
		in.Resume = agui.Cancelled(waits.Interrupts) // the question is said instead
	}
	return in, nil
}

// run plays one run to its end, or until the call is cancelled.
func (c *caller) run(agentID string, in *agui.RunAgentInput, a *answer) error {
	started, err := c.x.Start(agentID, in)
	if err != nil {
		return err
	}
	a.RunID, a.said, a.waits = in.RunID, agui.Transcript{}, nil
	cancelled := make(chan struct{})
	stop := context.AfterFunc(c.ctx, func() {
		defer close(cancelled)
		_ = c.x.Cancel(in.RunID) // it may have ended
	})
	defer func() {
		if !stop() {
			<-cancelled
		}
	}()
	err = c.x.Wait(started.Read(false), func(e agui.Event) { c.hear(e, a) })
	c.say(c.ctx, "") // the rest of the text
	if err == nil {
		a.collect()
	} else if c.x.Context().Err() != nil {
		c.linger()
	}
	return err
}

// cancelWithin is how long after a disconnect the client's cancellation may arrive. A client that
// only lost its connection sends none, and the run continues.
const cancelWithin = 5 * time.Second

// linger waits for the cancellation of a call whose client has left: clients drop the connection
// and cancel in any order.
func (c *caller) linger() {
	late := time.NewTimer(cancelWithin)
	defer late.Stop()
	select {
	case <-c.ctx.Done():
	case <-late.C:
	}
}

// hear applies an event of the run, and tells of it.
func (c *caller) hear(e agui.Event, a *answer) {
	_ = a.said.Apply(e) // the writer has folded it too: cannot fail
	switch e := e.(type) {
	case *agui.TextMessageContent:
		c.write(c.ctx, e.Delta)
	case *agui.ToolCallStart:
		c.say(c.ctx, "Running "+e.ToolCallName)
	case *agui.RunError:
		a.problem = e.Message
	case *agui.RunFinished:
		a.finish(e.Outcome)
	}
}

// finish is the end of a run without an error.
func (a *answer) finish(o *agui.Outcome) {
	switch {
	case o == nil:
	case o.Type == agui.OutcomeCancelled:
		a.problem = "The run was cancelled."
	case len(o.Interrupts) > 0:
		a.waits = o.Interrupts
	case len(o.PendingToolCallIDs) > 0: // begun by a front end with tools of its own
		a.problem = "The conversation waits for a tool of the page in which it was begun."
	}
}

// collect adds what the run has said.
func (a *answer) collect() {
	for _, m := range a.said.Messages() {
		switch {
		case m.Role == agui.RoleAssistant:
			if text := m.Content.Text(); text != "" {
				a.texts = append(a.texts, text)
			}
		case m.ActivityType == agui.SourcesType:
			told, _ := agui.ReadSources(&m)
			a.cite(told.Sources)
		case m.IsPayload():
			a.Payloads = append(a.Payloads, payload{m.ActivityType, m.Activity})
		}
	}
	a.Text = strings.Join(a.texts, server.Paragraph)
}

// cite adds what the answer rests on, each source once.
func (a *answer) cite(sources []agui.NumberedSource) {
	for _, s := range sources {
		if !slices.ContainsFunc(a.sources, func(other agui.NumberedSource) bool { return other.Number == s.Number }) {
			a.sources = append(a.sources, s)
		}
	}
}

// links returns those sources that have an address elsewhere. The name is the number that the text
// cites.
func links(sources []agui.NumberedSource) (list []sdk.Content) {
	for _, s := range sources {
		if strings.HasPrefix(strings.ToLower(s.URL), "http") {
			list = append(list, &sdk.ResourceLink{
				URI: s.URL, Name: strconv.Itoa(s.Number), Title: s.Title, Description: s.Snippet,
			})
		}
	}
	return list
}

// result returns the answer. The text is first, as most clients show nothing else.
func (a *answer) result() *sdk.CallToolResult {
	r := &sdk.CallToolResult{Content: []sdk.Content{}, StructuredContent: a, IsError: a.problem != ""}
	for _, text := range []string{a.Text, a.problem} {
		if text != "" {
			r.Content = append(r.Content, &sdk.TextContent{Text: text})
		}
	}
	r.Content = append(r.Content, links(a.sources)...)
	return r
}
