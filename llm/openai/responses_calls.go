package openai

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/pageside/pageside/llm"
)

// beginCall begins the call of an item. A call of several tools at once, under the name that models
// use for that among themselves, is held until it can be taken apart.
func (s *responses) beginCall(it *item, begun *itemJSON) {
	c := &it.call
	if c.name != "" {
		return
	}
	c.sentID, c.name = begun.CallID, strings.TrimSpace(begun.Name)
	if c.name != "" && !s.wraps(c.name) {
		s.announce(c)
	}
}

// announce emits a call's beginning, with the reasoning that led to it.
func (s *responses) announce(c *call) {
	s.calls.all = append(s.calls.all, c)
	if len(s.calls.all) > s.Limits.MaxCalls {
		s.TooManyCalls()
	}
	s.startCall(c, s.pending)
	s.pending = ""
}

// fill passes arguments on, and keeps those of a call that is not announced.
func (s *responses) fill(it *item, args string) {
	if args == "" {
		return
	}
	it.said = true
	s.Grow(len(args))
	if it.call.started {
		s.write(&it.call, args)
	} else {
		it.call.held = append(it.call.held, args...)
	}
}

// complete takes in all of a call's arguments, where its deltas did not bring them.
func (s *responses) complete(it *item, whole string) {
	if !it.said {
		s.fill(it, whole)
	}
	c := &it.call
	if c.started || c.name == "" || !it.done {
		return
	}
	c.started = true
	for _, part := range s.unwrap(c) {
		s.announce(part)
	}
}

// completeAll is for calls whose end was not told before the answer's.
func (s *responses) completeAll() {
	for _, it := range s.items {
		if it.done = true; it.kind == itemCall {
			s.complete(it, "")
		}
	}
}

// wraps reports whether a name is the one under which models call several tools at once, and no
// tool that was declared.
func (s *responses) wraps(name string) bool {
	return (name == "parallel" || name == "multi_tool_use.parallel") && !s.declared(name)
}

func (s *responses) declared(name string) bool {
	return slices.ContainsFunc(s.Request.Tools, func(t llm.ToolDecl) bool { return t.Name == name })
}

// wrapped is one of the calls in a call of several tools.
type wrapped struct {
	Recipient  string          `json:"recipient_name"`
	Parameters json.RawMessage `json:"parameters"`
}

func (w *wrapped) tool() string { return strings.TrimPrefix(w.Recipient, "functions.") }

// unwrap splits a call of several tools into its calls. It returns c itself if c is not such a
// call, or names an undeclared tool.
func (s *responses) unwrap(c *call) (calls []*call) {
	var in struct {
		Uses []wrapped `json:"tool_uses"`
	}
	if json.Unmarshal(c.held, &in) != nil || len(in.Uses) == 0 {
		return []*call{c}
	}
	for i := range in.Uses {
		p := &in.Uses[i]
		if !s.declared(p.tool()) {
			return []*call{c}
		}
		part := &call{name: p.tool()}
		if !isNull(p.Parameters) {
			part.held = bytes.TrimSpace(p.Parameters)
		}
		calls = append(calls, part)
	}
	return calls
}
