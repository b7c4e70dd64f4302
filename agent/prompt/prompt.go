// Package prompt turns a thread into the messages that a model is sent.
//
//	p := prompt.Build(prompt.Thread{History: history}, view)
//	for … {
//		answer := ask(p.Messages())
//		p.Append(answer) // the messages of a step, with the results of its calls
//	}
//
// A thread and a view make the same bytes every time, and Append changes nothing that stands before
// what it adds: a provider that caches the beginning of a prompt can serve all of it again. The
// package is pure. It runs no tools, asks no model, stores nothing and knows no loop.
//
// What stands where:
//
//   - The text of a message is handed on as the JSON it is stored in. System and developer messages
//     are left out, and so are activities that the model has not written.
//   - The results of an assistant message's calls follow it, in the order of the calls, wherever
//     they are in the thread (transcript.result). Results that are too long are cut (Shorten).
//   - Thoughts belong to the assistant message after them, and go back only if the provider signed
//     them.
//   - Payloads that the model wrote stand in its text or among its calls, as it wrote them
//     (transcript.step).
//   - What the user did between two questions is a line in front of the second (noteLine).
//   - What the page shows is data, in blocks. Each item stands where it was when it was first shown
//     as it is now, so that only what is new is sent anew (PageContext).
//   - Of a thread that has grown too long, old results are placeholders and old messages a summary
//     (Compaction). Notes in the thread say which, so that later runs build the same prompt.
package prompt

import (
	"slices"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/payload"
)

// Thread is everything that was said.
type Thread struct {
	History []agui.Message   // before this run, with every call answered
	Steps   [][]agui.Message // of this run, each with the results of its calls
}

// Messages returns the history and the steps in one list.
func (t Thread) Messages() []agui.Message {
	all := slices.Clip(t.History)
	for _, step := range t.Steps {
		all = append(all, step...)
	}
	return all
}

// View says how a model is shown a thread.
type View struct {
	Model      llm.Info
	Payloads   *payload.Registry // for the markers of payloads; nil knows none
	Page       PageContext       // what the page shows
	Compaction Compaction        // what is left out
	MaxResult  int               // bytes of a result that are shown; 0 shows all
	// WithoutMedia tells of attachments in words: the provider has refused them.
	WithoutMedia bool
}

// Prompt is a thread as a model is shown it. The zero value is empty.
type Prompt struct{ transcript transcript }

// Build returns the prompt of a thread. What the page shows stands where the notes say; what no
// note mentions stands behind the history, where this run began.
func Build(t Thread, v View) *Prompt {
	cleared := v.Compaction.cleared(t.Messages())
	history := v.Compaction.apply(t.History, cleared)
	blocks, rest := v.Page.blocks(history)
	p := &Prompt{transcript{view: v, blocks: blocks}}
	p.Append(history)
	p.transcript.show()
	p.transcript.block = rest
	p.transcript.show()
	for _, step := range t.Steps {
		p.Append(clearResults(step, cleared))
	}
	return p
}

// BuildUntil returns the beginning of the prompt, up to the message of the history with an index,
// without what the page shows now.
func BuildUntil(t Thread, end int, v View) *Prompt {
	history := v.Compaction.apply(t.History[:end], v.Compaction.cleared(t.Messages()))
	blocks, _ := v.Page.blocks(history)
	p := &Prompt{transcript{view: v, blocks: blocks}}
	p.Append(history)
	return p
}

// Append adds messages to the end: a step of the model, with the results of its calls.
func (p *Prompt) Append(messages []agui.Message) { p.transcript.append(messages) }

// Messages returns the prompt. It must not be changed.
func (p *Prompt) Messages() []llm.Message { return p.transcript.messages }

// HoldsMedia reports whether there are attachments that are sent as what they are.
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

// Bytes returns how much the messages weigh. Providers count tokens, which are in proportion.
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

// UserText returns a user message with a text.
func UserText(s string) llm.Message {
	return llm.Message{Role: llm.RoleUser, Content: []llm.Content{llm.Text{Text: s}}}
}
