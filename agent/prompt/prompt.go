// Package prompt turns a thread into the messages sent to a model.
//
//	p := prompt.Build(prompt.Thread{History: history}, view)
//	for … {
//		answer := ask(p.Messages())
//		p.Append(answer) // the messages of a step, with the results of its calls
//	}
//
// The same thread and view give the same bytes every time, and Append only adds at the end: a
// provider that caches the beginning of a prompt can serve all of it again. The package is pure. It
// runs no tools, asks no model and stores nothing.
//
// What a prompt holds:
//
//   - The text of a message, as the JSON it is stored in. System and developer messages are left
//     out, and so are activities the model did not write.
//   - The results of an assistant message's calls follow it in the order of the calls, wherever
//     they are in the thread (transcript.result). Results that are too long are cut (Shorten).
//   - A call stands in the message in which the model made it, even if the page got it in a later
//     one (reunited).
//   - Thoughts belong to the assistant message after them, and go back only if the provider signed
//     them.
//   - Payloads written by the model are in its text or among its calls, as it wrote them
//     (transcript.step).
//   - If the run continues a cut answer, a message after the history asks for that
//     (Thread.Request). It is not part of the thread.
//   - What the user did between two messages is a line before the second (noteLine).
//   - The page context is data, in blocks. Each item stays where its present value was first shown;
//     only new items are sent again (PageContext).
//   - In a thread that has grown too long, old results are placeholders and old messages a summary
//     (Compaction). Notes in the thread record which, so later runs build the same prompt.
package prompt

import (
	"slices"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/payload"
)

// Thread is a thread, including the current run.
type Thread struct {
	History []agui.Message   // before this run; every call has a result
	Steps   [][]agui.Message // of this run, each with its results
	// Request follows the history as a user message: what the run asks for if no message of the
	// user does. "" is none.
	Request string
}

// Messages returns the history and the steps as one list.
func (t Thread) Messages() []agui.Message {
	all := slices.Clip(t.History)
	for _, step := range t.Steps {
		all = append(all, step...)
	}
	return all
}

// HasCalls reports whether a step of this run called a tool.
func (t Thread) HasCalls() bool {
	return slices.ContainsFunc(t.Steps, func(step []agui.Message) bool {
		return slices.ContainsFunc(step, func(m agui.Message) bool { return len(m.ToolCalls) > 0 })
	})
}

// View determines how a thread is shown to a model.
type View struct {
	Model      llm.Info
	Payloads   *payload.Registry // for the markers of payloads; may be nil
	Page       PageContext       // the page context
	Compaction Compaction        // what is left out
	MaxResult  int               // longest result in bytes; 0 means no limit
	// WithoutMedia replaces attachments with words: the provider has refused them.
	WithoutMedia bool
}

// Prompt is a thread as shown to a model. The zero value is empty.
type Prompt struct{ transcript transcript }

// Build returns the prompt of a thread. The page context goes where the notes say; items without a
// note go after the history, where this run began.
func Build(t Thread, v View) *Prompt {
	cleared := v.Compaction.cleared(t.Messages())
	history := v.Compaction.apply(t.History, cleared)
	blocks, rest := v.Page.blocks(history)
	p := &Prompt{transcript{view: v, blocks: blocks}}
	p.Append(history)
	if t.Request != "" {
		p.transcript.user(&agui.Message{Role: agui.RoleUser, Content: agui.TextContent(t.Request)})
	}
	p.transcript.show()
	p.transcript.block = rest
	p.transcript.show()
	for _, step := range t.Steps {
		p.Append(clearResults(step, cleared))
	}
	return p
}

// BuildUntil returns the beginning of the prompt, up to message end of the history, without the
// current page context.
func BuildUntil(t Thread, end int, v View) *Prompt {
	history := v.Compaction.apply(t.History[:end], v.Compaction.cleared(t.Messages()))
	blocks, _ := v.Page.blocks(history)
	p := &Prompt{transcript{view: v, blocks: blocks}}
	p.Append(history)
	return p
}

// Append adds messages at the end: a step of the model with its results.
func (p *Prompt) Append(messages []agui.Message) { p.transcript.append(messages) }

// Messages returns the prompt. The caller must not change it.
func (p *Prompt) Messages() []llm.Message { return p.transcript.messages }

// HoldsMedia reports whether the prompt has attachments that are not replaced with words.
func (p *Prompt) HoldsMedia() bool {
	return slices.ContainsFunc(p.transcript.messages, func(m llm.Message) bool {
		return slices.ContainsFunc(m.Content, func(c llm.Content) bool {
			media, ok := c.(llm.Media)
			if ok {
				_, ok = media.Unsent("")
			}
			return ok
		})
	})
}

// Bytes returns the size of the messages, which is proportional to their tokens.
func (p *Prompt) Bytes() int {
	n := 0
	for _, m := range p.transcript.messages {
		n += messageBytes(m)
	}
	return n
}

func messageBytes(m llm.Message) int {
	n := 8
	for _, c := range m.Content {
		switch c := c.(type) {
		case llm.Text:
			n += len(c.Text) + len(c.Quoted)
		case llm.ToolCall:
			n += len(c.Name) + len(c.Args)
		case llm.ToolResult:
			n += len(c.Content.Text) + len(c.Content.Quoted)
		case llm.Reasoning:
			n += len(c.Text)
		case llm.Media:
			n += c.Weight()
		}
	}
	return n
}

// UserText returns a user message with the given text.
func UserText(s string) llm.Message {
	return llm.Message{Role: llm.RoleUser, Content: []llm.Content{llm.Text{Text: s}}}
}
