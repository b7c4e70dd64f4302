package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pageside/pageside/page"
)

// prompt is what a provider gets, in the order in which its cache compares it: the tools, the
// system prompt, the messages.
type prompt []message

// layout makes the prompt of the last of the given calls of a conversation.
type layout struct {
	key, name string
	prompt    func(calls []call) prompt
}

// The others are compared with the first layout.
var layouts = []layout{
	{"A", "in the system prompt (as in CopilotKit's built-in agent)", inSystem},
	{"B", "before the last question, gone with the next run (as in ml-commons)", inLastQuestion},
	{"C", "before each question and behind the page's tools, all kept", appended},
	{"D", "before the question or behind the page's tools, gone with the next run", atTheEnd},
	{"", "**Pageside**: each item where it last changed", ours},
}

func ours(calls []call) prompt {
	c := calls[len(calls)-1]
	return append(c.head(strings.Join(c.system, "\n\n")), c.whole...)
}

// inSystem is what CopilotKit's built-in agent does: the system prompt ends with the context as it
// is now.
func inSystem(calls []call) prompt {
	c := calls[len(calls)-1]
	return append(c.head(c.plainSystem()+"\n\n## Context from the application\n"+c.listed("%s:\n%s\n")), c.messages...)
}

// inLastQuestion is what ml-commons' agent does. Where a run goes on after calls of the page's
// tools, the last question stands before them.
func inLastQuestion(calls []call) prompt {
	c := calls[len(calls)-1]
	messages := slices.Clone(c.messages)
	for i, m := range slices.Backward(messages) {
		if m.role == "user" {
			messages[i].text = "Context:\n" + c.listed("- %s: %s\n") + "\n" + m.text
			break
		}
	}
	return append(c.head(c.plainSystem()), messages...)
}

// appended gives each run the context as it was when it began, and keeps it there.
func appended(calls []call) prompt { return snapshots(calls, calls) }

// atTheEnd gives each run the context as it was when it began, and drops that of the runs before.
func atTheEnd(calls []call) prompt { return snapshots(calls, calls[len(calls)-1:]) }

// snapshots is the last call's prompt with the contexts of the runs that made some of the calls.
func snapshots(calls, shown []call) prompt {
	last := calls[len(calls)-1]
	p := last.head(last.plainSystem())
	at := map[int]call{} // by how many messages there were when the run began
	for _, c := range shown {
		at[c.began(calls)] = c
	}
	for i := range len(last.messages) + 1 {
		question := i < len(last.messages) && last.messages[i].role == "user"
		c, ok := at[i]
		if ok && !question {
			p = append(p, message{"user", "Context:\n" + c.listed("- %s: %s\n")})
		}
		if i == len(last.messages) {
			break
		}
		m := last.messages[i]
		if ok && question {
			m.text = "Context:\n" + c.listed("- %s: %s\n") + "\n" + m.text
		}
		p = append(p, m)
	}
	return p
}

// began returns the index of the message at which the call's run began: its question, or the one
// after the results that it brought.
func (c *call) began(calls []call) int {
	first := calls[slices.IndexFunc(calls, func(other call) bool { return other.run == c.run })]
	if n := len(first.messages); first.messages[n-1].role == "user" {
		return n - 1
	}
	return len(first.messages)
}

func (c *call) head(system string) prompt {
	return prompt{{"tools", c.tools}, {"system", system}}
}

// plainSystem returns the system prompt without what it says about Pageside's blocks.
func (c *call) plainSystem() string {
	return strings.Join(slices.DeleteFunc(slices.Clone(c.system), func(s string) bool { return s == page.ContextNotice }), "\n\n")
}

// listed returns the whole context as the browser sent it, each item in the format.
func (c *call) listed(format string) string {
	var b strings.Builder
	for _, item := range c.context {
		fmt.Fprintf(&b, format, item.Description, item.Value)
	}
	return b.String()
}
