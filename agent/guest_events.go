package agent

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/pageside/pageside/agent/guest"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/calls"
	"github.com/pageside/pageside/internal/guard"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/tool"
)

// Emit implements guest.Output.
func (g *guestRun) Emit(events ...agui.Event) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, e := range events {
		if g.failed == nil {
			g.failed = g.take(e)
		}
		if g.failed != nil {
			return g.failed
		}
	}
	if g.failed = g.out.Flush(); g.failed != nil {
		return g.failed
	}
	return nil
}

// take handles one event of the guest.
func (g *guestRun) take(e agui.Event) error {
	if err := g.checkEvent(e); err != nil {
		return err
	}
	agui.BaseOf(e).Metadata = agui.ClientMetadata(agui.BaseOf(e).Metadata)
	expanded, err := g.chunks.Expand(e)
	if err != nil {
		return g.wrong("sent %s: %v", e.Type(), err)
	}
	for _, e := range expanded {
		if err := g.handle(e); err != nil {
			return err
		}
	}
	return nil
}

// checkEvent refuses events that nobody could read. Those of a text are not worth encoding twice.
func (g *guestRun) checkEvent(e agui.Event) error {
	switch e := e.(type) {
	case *agui.TextMessageContent, *agui.ToolCallArgs, *agui.ReasoningMessageContent:
		return nil
	case *agui.RunStarted, *agui.RunFinished, *agui.RunError:
		return g.wrong("sent %s, which the server sends", e.Type())
	}
	err := guest.Check(e)
	if p, ok := errors.AsType[*guard.Panic](err); ok { // of the agent's own type, or nil
		g.agent.log().Error("an agent's event cannot be encoded", "agent", g.agent.ID, "runId", g.in.RunID, "error", p)
		err = errors.New("it cannot be encoded")
	}
	if err != nil {
		return g.wrong("sent an event that is not valid: %v", err)
	}
	return nil
}

// maxEvents is how many events a guest's run may have besides the pieces of texts and arguments:
// the time that some take grows with the thread, or with the state.
const maxEvents = 10_000

// handle sends an event, or what becomes of it here.
func (g *guestRun) handle(e agui.Event) error {
	switch e.(type) {
	case *agui.TextMessageContent, *agui.ToolCallArgs, *agui.ReasoningMessageContent:
	default:
		if g.events++; g.events > maxEvents {
			return g.wrong("sent more than %d events", maxEvents)
		}
	}
	switch e := e.(type) {
	case *agui.ToolCallStart:
		return g.startCall(e)
	case *agui.ToolCallArgs:
		e.ToolCallID = g.ids.Call(e.ToolCallID)
		return g.writeArgs(e)
	case *agui.ToolCallEnd:
		e.ToolCallID = g.ids.Call(e.ToolCallID)
		return g.endCall(e)
	case *agui.ToolCallResult:
		return g.takeResult(e)
	case *agui.MessagesSnapshot:
		return g.addMessages(e.Messages)
	case *agui.StateSnapshot:
		return g.setState(e, e.Snapshot)
	case *agui.StateDelta:
		return g.patchState(e)
	case *agui.ActivitySnapshot:
		return g.activity(e, &e.MessageID, e.ActivityType)
	case *agui.ActivityDelta:
		return g.activity(e, &e.MessageID, e.ActivityType)
	case *agui.Custom:
		if e.Name == titleEvent {
			g.drop(e, "the server names threads")
			return nil
		}
	}
	g.ids.Rename(e)
	return g.send(e)
}

// addMessages sends what a snapshot adds to the thread.
func (g *guestRun) addMessages(snapshot []agui.Message) error {
	added, ignored := g.ids.Additions(snapshot, g.watched.messages())
	if ignored > 0 {
		g.agent.log().Warn("left out messages of an agent's snapshot", "agent", g.agent.ID, "run", g.in.RunID,
			"count", ignored)
	}
	for _, e := range added {
		if err := g.handle(e); err != nil {
			return err
		}
	}
	return nil
}

// titleEvent is the server's own custom event that names a thread.
const titleEvent = "conversation_title"

// drop notes an event that is left out.
func (g *guestRun) drop(e agui.Event, why string) {
	g.agent.log().Warn("left out an event of an agent", "agent", g.agent.ID, "run", g.in.RunID,
		"event", string(e.Type()), "why", why)
}

// maxOpen is how many messages, calls and steps a guest may have open at a time: the end of its run
// has to close each.
const maxOpen = 256

// send sends an event. What is out of order is mended if it is clear what was meant.
func (g *guestRun) send(e agui.Event) error {
	refused, err := g.out.Offer(e)
	if refused == nil && err == nil && g.watched.open() > maxOpen {
		return g.wrong("has more than %d messages, calls and steps open at a time", maxOpen)
	}
	if refused == nil || err != nil {
		return err
	}
	mended, known := guest.Mend(e, refused)
	if !known {
		return g.wrong("sent an event out of order: %s", refused.Message)
	}
	for _, e := range mended {
		if refused, err := g.out.Offer(e); err != nil {
			return err
		} else if refused != nil {
			return g.wrong("sent an event out of order: %s", refused.Message)
		}
	}
	if len(mended) == 0 {
		g.drop(e, refused.Message)
	}
	return nil
}

// patchState changes the shared state. A patch that does not apply is left out: clients would warn
// and continue too.
func (g *guestRun) patchState(e *agui.StateDelta) error {
	now := g.watched.state()
	if now == nil {
		now = json.RawMessage("{}")
	}
	patched, err := jsonx.NewDocument(now).Patch(e.Delta)
	if err != nil {
		g.drop(e, err.Error())
		return nil
	}
	return g.setState(e, patched.Raw())
}

// setState sends an event that leads to a state, if that is within its bounds.
func (g *guestRun) setState(e agui.Event, state json.RawMessage) error {
	if err := g.agent.State.Fits(state); err != nil {
		return g.wrong("sent %v", err)
	}
	if err := g.agent.State.Validate(state); err != nil {
		g.drop(e, "the state would not match the schema: "+err.Error())
		return nil
	}
	return g.send(e)
}

// activity sends an activity. The server's own, such as notes, are not a guest's to write.
func (g *guestRun) activity(e agui.Event, id *string, kind string) error {
	if s, ok := e.(*agui.ActivitySnapshot); ok && kind == agui.SourcesType {
		return g.sources(s)
	}
	if strings.HasPrefix(kind, agui.ReservedPrefix) {
		g.drop(e, "activity types with this prefix are the server's")
		return nil
	}
	*id = g.ids.Activity(*id, kind)
	return g.send(e)
}

// sources sends what a guest's answer rests on. A guest may number its sources itself, since it
// writes the marks.
func (g *guestRun) sources(e *agui.ActivitySnapshot) error {
	given, ok := agui.ReadSources(&agui.Message{
		Role: agui.RoleActivity, ActivityType: e.ActivityType, Activity: e.Content,
	})
	if !ok {
		g.drop(e, `its content is not {"sources":[{"number","title","url","snippet"}]}`)
		return nil
	}
	told := agui.Sources{Sources: g.executor.numbers.Take(given.Sources)}
	if len(told.Sources) == 0 {
		g.drop(e, "none of its sources has a title or an address that may be followed")
		return nil
	}
	e.MessageID = g.ids.Message(e.MessageID)
	return g.send(&agui.ActivitySnapshot{
		Base: e.Base, MessageID: e.MessageID, ActivityType: e.ActivityType, Content: told.Content(),
	})
}

// startCall begins a call. One of the page's is held: at least its END until the turn is over, or
// all of it if a person may have to approve it. The others are the guest's own.
func (g *guestRun) startCall(e *agui.ToolCallStart) error {
	id := e.ToolCallID
	e.ToolCallID, e.ParentMessageID = g.ids.NewCall(id), g.ids.Parent(e.ParentMessageID)
	if g.callOf(e.ToolCallID) != nil {
		g.drop(e, "the call has begun")
		return nil
	}
	o := g.executor.tools.offers[e.ToolCallName]
	_, denied := g.executor.tools.denied[e.ToolCallName]
	if !denied && (o == nil || o.page == nil) {
		return g.send(e)
	}
	if len(g.step.calls) == maxCallsPerStep {
		return g.wrong("made more than %d calls of the page's tools in one turn", maxCallsPerStep)
	}
	c := &call{written: written{id: e.ToolCallID, name: e.ToolCallName, offer: o}}
	c.parent, c.message, c.withheld = e.ParentMessageID, e.ParentMessageID, o != nil && o.withheld
	g.step.calls = append(g.step.calls, c)
	if c.withheld {
		return nil
	}
	return g.send(e)
}

// callOf returns the page's call of this turn with an id, or nil.
func (g *guestRun) callOf(id string) *call {
	i := slices.IndexFunc(g.step.calls, func(c *call) bool { return c.id == id })
	if i < 0 {
		return nil
	}
	return g.step.calls[i]
}

func (g *guestRun) writeArgs(e *agui.ToolCallArgs) error {
	c := g.callOf(e.ToolCallID)
	if c == nil {
		return g.send(e)
	}
	if c.complete {
		return g.wrong("sent arguments of the tool call %q after its end", e.ToolCallID)
	}
	if c.args.WriteString(e.Delta); c.args.Len() > maxGuestArgs {
		return g.wrong("sent more than %d bytes of arguments for the tool call %q", maxGuestArgs, e.ToolCallID)
	}
	if c.withheld {
		return nil
	}
	return g.send(e)
}

// maxGuestArgs bounds the arguments of a call that is held.
const maxGuestArgs = 1 << 20

func (g *guestRun) endCall(e *agui.ToolCallEnd) error {
	if c := g.callOf(e.ToolCallID); c != nil {
		return g.step.complete(c)
	}
	return g.send(e)
}

// takeResult takes the result of a call that the guest has made itself. The page's calls have
// theirs from the page; if the guest answers one in the turn that made it, the page is not asked.
func (g *guestRun) takeResult(e *agui.ToolCallResult) error {
	e.ToolCallID, e.MessageID, e.Role = g.ids.Call(e.ToolCallID), g.ids.Message(e.MessageID), agui.RoleTool
	if c := g.callOf(e.ToolCallID); c != nil {
		if c.result != nil {
			g.drop(e, "the call has a result")
			return nil
		}
		c.guests = true
		c.answer(tool.Result{Text: e.Content.Text()})
		if err := g.step.complete(c); err != nil {
			return err
		}
		return g.executor.emitResult(g.step, c)
	}
	open := g.watched.unanswered()
	at := slices.IndexFunc(open, func(c *call) bool { return c.id == e.ToolCallID && !c.withheld })
	if at < 0 {
		g.drop(e, "no such call waits for a result")
		return nil
	}
	open[at].answer(tool.Result{Text: e.Content.Text()})
	g.audit.answered(open[at])
	refused, err := g.out.Offer(e)
	if refused != nil && err == nil { // it is still being written
		if err := g.send(&agui.ToolCallEnd{
			Base: agui.Base{SubagentRunID: e.SubagentRunID}, ToolCallID: e.ToolCallID,
		}); err != nil {
			return err
		}
		return g.send(e)
	}
	return err
}

// complete ends what a turn has left open, and gives the guest's own calls without a result one,
// unless they wait for an answer to what it asks.
func (g *guestRun) complete(asked []calls.Interrupt) error {
	for _, c := range g.step.calls {
		if err := g.step.complete(c); err != nil {
			return err
		}
	}
	for _, e := range g.watched.closers() {
		if end, ok := e.(*agui.ToolCallEnd); ok && g.callOf(end.ToolCallID) != nil {
			continue
		}
		if err := g.send(e); err != nil {
			return err
		}
	}
	for _, c := range g.watched.unanswered() {
		waits := slices.ContainsFunc(asked, func(i calls.Interrupt) bool { return i.ToolCallID == c.id })
		if c.withheld || waits || g.callOf(c.id) != nil {
			continue
		}
		c.answer(noResult(c.name))
		g.audit.answered(c)
		if err := g.send(&agui.ToolCallResult{
			MessageID: g.listener.newID("msg_"), ToolCallID: c.id, Content: agui.TextContent(c.result.Text),
			Role: agui.RoleTool,
		}); err != nil {
			return err
		}
	}
	return nil
}

// noResult is the result of a guest's own call that it did not answer.
func noResult(name string) tool.Result {
	return (&tool.Error{
		Code:    codeNoResult,
		Message: "the agent gave the call of " + name + " no result, and the page has no such tool",
	}).Result()
}

const codeNoResult = "no_result"
