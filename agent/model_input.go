package agent

import (
	"errors"
	"math"
	"net/http"
	"slices"

	"github.com/pageside/pageside/agent/prompt"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
)

// modelInput is what the model of a run is sent: system blocks, tools and the thread, and how much
// that is.
type modelInput struct {
	system   []llm.Block
	tools    toolset
	decls    []llm.ToolDecl // of the tools
	thread   prompt.Thread
	view     prompt.View
	prompt   *prompt.Prompt // of the thread; only appended to, unless the view changes
	cacheKey string         // the same for all runs of the thread
	askUser  bool           // offer the tool ask_user
	reader   *resultReader
	reads    bool    // results were cut before this run: the model can read on in them
	counted  counted // the last prompt that the provider has counted
	scale    *scale
}

// counted is a prompt that the provider has counted.
type counted struct{ tokens, bytes int }

// compose makes the prompt anew of everything that was said.
func (c *modelInput) compose() {
	if c.view.Model.Tools {
		c.decls = c.tools.decls()
	}
	c.prompt = prompt.Build(c.thread, c.view)
}

// recompose is compose after something was left out.
func (c *modelInput) recompose() {
	c.offerBuiltins()
	c.counted = counted{}
	c.compose()
}

// add appends the messages of a step.
func (c *modelInput) add(newMessages []agui.Message) {
	c.thread.Steps = append(c.thread.Steps, newMessages)
	c.prompt.Append(newMessages)
	c.offerReading(newMessages)
}

// offerBuiltins adds the tools that Pageside itself has. One that the host or the client has under
// the same name wins.
func (c *modelInput) offerBuiltins() {
	if !c.view.Model.Tools {
		return
	}
	if c.askUser {
		c.tools.add(askUser()).question = true
	}
	if c.view.Compaction.Through != "" || c.reads {
		c.tools.add(c.reader.tool())
	}
}

// isCut reports whether a message is a result of which the model is not shown all.
func isCut(m agui.Message, maxResult int) bool {
	return prompt.WasCut(m) || m.Role == agui.RoleTool && len(m.Content.Raw()) > maxResult
}

// offerReading offers read_result from the first result on that was cut, and then for the rest of
// the thread. That costs the provider's cache once; to declare it from the start would cost every
// thread that never needs it.
func (c *modelInput) offerReading(newMessages []agui.Message) {
	if c.tools.offers[prompt.ReadResult] != nil || !c.view.Model.Tools || !slices.ContainsFunc(newMessages, prompt.WasCut) {
		return
	}
	c.tools.add(c.reader.tool())
	c.decls = c.tools.decls()
}

// instruct tells the model something for the rest of the run. It stands behind the system blocks
// that are worth caching: in the thread it would look like something the user said.
func (c *modelInput) instruct(text string) {
	c.system = append(c.system, llm.Block{Text: text})
}

// request is a model call of this run, with what all of them have in common: the beginning that a
// provider keeps in its cache.
func (c *modelInput) request(messages []llm.Message, choice llm.Choice) *llm.Request {
	return &llm.Request{
		System: c.system, Tools: c.decls, Messages: messages, Choice: choice,
		Sequential: !c.view.Model.ParallelTools, CacheKey: c.cacheKey,
	}
}

// leaveMediaOut replaces attachments by words if the provider refused the prompt and they may be
// the reason: their content, their size, or an address that is gone. It reports false if there are
// none, or if only the model's window is full. It holds for the rest of the run; the stored thread
// stays as it is.
func (c *modelInput) leaveMediaOut(err error) bool {
	failure, ok := errors.AsType[*llm.Error](err)
	refused := ok && (failure.Kind == llm.KindBadRequest || failure.Status == http.StatusRequestEntityTooLarge)
	if !refused || c.view.WithoutMedia || !c.prompt.HoldsMedia() {
		return false
	}
	c.view.WithoutMedia = true
	c.recompose()
	return true
}

// tokens is the size of the next prompt: what the provider counted of the last one, and an estimate
// of what came since.
func (c *modelInput) tokens() int {
	return c.counted.tokens + c.scale.tokens(c.bytes()-c.counted.bytes)
}

// count takes note of what the provider counted of a prompt.
func (c *modelInput) count(u usage, bytes int) {
	if u.Input == nil || *u.Input <= 0 || *u.Input > math.MaxInt32 {
		return
	}
	c.counted = counted{int(*u.Input), bytes}
	c.scale.learn(bytes, int(*u.Input))
}

func (c *modelInput) bytes() int {
	n := c.prompt.Bytes()
	for _, b := range c.system {
		n += len(b.Text)
	}
	for _, d := range c.decls {
		n += len(d.Name) + len(d.Description) + len(d.Parameters)
	}
	return n
}
