package agent

import (
	"errors"
	"math"
	"net/http"
	"slices"
	"unicode/utf8"

	"github.com/pageside/pageside/agent/prompt"
	"github.com/pageside/pageside/agent/usage"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/tool"
)

// modelInput is what the model of a run is sent (system blocks, tools and the thread) and its size.
type modelInput struct {
	system    []llm.Block
	tools     toolset
	decls     []llm.ToolDecl // of the tools
	must      []llm.ToolDecl // those that a step with ChoiceRequired has
	thread    prompt.Thread
	view      prompt.View
	prompt    *prompt.Prompt // of the thread; only appended to, unless the view changes
	closing   string         // what the run asks for behind the thread; "" is nothing
	cacheKey  string         // the same for all runs of the thread
	effort    string         // reasoning effort; see llm.Request
	askUser   bool           // offer ask_user
	updates   *tool.Tool     // update_state; nil if it is not offered
	reader    *resultReader
	reads     bool    // earlier results were cut: offer read_result
	counted   counted // the last prompt counted by the provider
	estimates *usage.Estimates
}

// counted is the size of a prompt counted by the provider.
type counted struct{ tokens, bytes int }

// compose builds the prompt from the whole thread.
func (c *modelInput) compose() {
	if c.view.Model.Tools {
		c.decls = c.tools.decls()
	}
	c.prompt = prompt.Build(c.thread, c.view)
}

// recompose rebuilds the prompt after something was left out.
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

// offerBuiltins adds the built-in tools. A tool of the host with the same name wins.
func (c *modelInput) offerBuiltins() {
	if !c.view.Model.Tools {
		return
	}
	if c.askUser {
		c.tools.add(askUser()).question = true
	}
	if c.updates != nil {
		c.tools.add(c.updates)
	}
	if c.view.Compaction.Through != "" || c.reads {
		c.tools.add(c.reader.tool())
	}
}

// isCut reports whether a message is a result the model sees only in part.
func isCut(m agui.Message, maxResult int) bool {
	return prompt.WasCut(m) || m.Role == agui.RoleTool && len(m.Content.Raw()) > maxResult
}

// offerReading offers read_result from the first cut result to the end of the thread. That breaks
// the provider's cache once; declaring it from the start would burden every thread that does not
// need it.
func (c *modelInput) offerReading(newMessages []agui.Message) {
	if c.tools.offers[prompt.ReadResult] != nil || !c.view.Model.Tools ||
		!slices.ContainsFunc(newMessages, prompt.WasCut) {
		return
	}
	c.tools.add(c.reader.tool())
	c.decls = c.tools.decls()
}

// instruct adds an instruction for the rest of the run. It goes after the cacheable system blocks:
// in the thread it would look like the user's words.
func (c *modelInput) instruct(text string) {
	c.system = append(c.system, llm.Block{Text: text})
}

// messages returns the messages of the next step. What closes the run stands behind the thread: in
// the system prompt it would cost the provider's cache of the whole thread.
func (c *modelInput) messages() []llm.Message {
	if c.closing == "" {
		return c.prompt.Messages()
	}
	return append(slices.Clip(c.prompt.Messages()), prompt.UserText(c.closing))
}

// firstChoice returns the choice of the first step, and keeps the declarations of the tools of
// which it must call one.
func (c *modelInput) firstChoice(mustCall []string) llm.Choice {
	for _, d := range c.decls {
		if slices.Contains(mustCall, d.Name) {
			c.must = append(c.must, d)
		}
	}
	if len(c.must) == 0 {
		return llm.ChoiceAuto
	}
	return llm.ChoiceRequired
}

// request returns a model call of this run. All of them begin alike, for the provider's cache,
// except one that must call certain tools.
func (c *modelInput) request(messages []llm.Message, choice llm.Choice) *llm.Request {
	decls := c.decls
	if choice == llm.ChoiceRequired {
		decls = c.must
	}
	return &llm.Request{
		System: c.system, Tools: decls, Messages: messages, Choice: choice,
		Sequential: !c.view.Model.ParallelTools, CacheKey: c.cacheKey, Effort: c.effort,
	}
}

// leaveMediaOut replaces attachments with words for the rest of the run if they may be why the
// provider refused the prompt: their content, their size, or a dead address. It returns false if
// there are none, or if the model's window is full. The stored thread does not change.
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

// tokens returns the size of the next prompt: the provider's count of the last one plus an estimate
// of what was added.
func (c *modelInput) tokens() int {
	return c.counted.tokens + c.estimates.Tokens(c.bytes()-c.counted.bytes)
}

// count records the provider's count of a prompt, unless it cannot be that of the whole one.
func (c *modelInput) count(u llm.Usage, bytes int) {
	if u.Input == nil || *u.Input <= 0 || *u.Input > math.MaxInt32 || c.countedFew(u) {
		return
	}
	c.counted = counted{int(*u.Input), bytes}
	c.estimates.Learn(bytes, int(*u.Input))
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

// A count is too low to be that of the whole prompt if it means more bytes and characters per token
// than any language has, in a prompt that is large enough to be cut.
const (
	mostPerToken = usage.BytesPerToken * 3 / 2
	largePrompt  = 12 << 10 // bytes
)

// countedFew reports whether a provider counted far fewer tokens than the prompt has. Attachments
// are not estimated well enough.
func (c *modelInput) countedFew(u llm.Usage) bool {
	if u.Input == nil || *u.Input <= 0 {
		return false
	}
	bytes, most := int64(c.bytes()), *u.Input*mostPerToken
	return bytes >= largePrompt && bytes > most && !c.prompt.HoldsMedia() && c.exceeds(most)
}

// exceeds reports whether the prompt has more characters of any language.
func (c *modelInput) exceeds(most int64) bool {
	for text := range c.texts {
		if most -= int64(utf8.RuneCountInString(text)); most < 0 {
			return true
		}
	}
	return false
}

// texts yields all texts of the prompt.
func (c *modelInput) texts(yield func(string) bool) {
	for _, b := range c.system {
		if !yield(b.Text) {
			return
		}
	}
	for _, d := range c.decls {
		if !yield(d.Name) || !yield(d.Description) || !yield(string(d.Parameters)) {
			return
		}
	}
	for _, m := range c.prompt.Messages() {
		for _, content := range m.Content {
			if !yield(textOf(content)) {
				return
			}
		}
	}
}

func textOf(c llm.Content) string {
	switch c := c.(type) {
	case llm.Text:
		return c.String()
	case llm.Reasoning:
		return c.Text
	case llm.ToolCall:
		return c.Args
	case llm.ToolResult:
		return c.Content.String()
	}
	return ""
}
