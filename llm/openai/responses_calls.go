package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/pageside/pageside/llm"
)

// beginCall begins the call of an item. A call of several tools at once, under the name that models
// use for that among themselves, is held until it can be taken apart.
func (s *responses) beginCall(it *item, begun *itemJSON) error {
	c := &it.call
	if c.name != "" {
		return nil
	}
	c.sentID, c.name = begun.CallID, strings.TrimSpace(begun.Name)
	if c.name == "" || s.wraps(c.name) {
		return nil
	}
	return s.announce(c)
}

// announce emits a call's beginning, with the reasoning that led to it.
func (s *responses) announce(c *call) error {
	s.calls.all = append(s.calls.all, c)
	if len(s.calls.all) > s.Limits.MaxCalls {
		return s.TooManyCalls()
	}
	thoughts := s.pending
	s.pending = ""
	return s.startCall(c, thoughts)
}

// fill passes arguments on, and keeps those of a call that is not announced.
func (s *responses) fill(it *item, args string) error {
	if args == "" {
		return nil
	}
	it.said = true
	if err := s.Grow(len(args)); err != nil || it.call.started {
		return cmp.Or(err, s.write(&it.call, args))
	}
	it.call.held = append(it.call.held, args...)
	return nil
}

// complete takes in all of a call's arguments, where its deltas did not bring them.
func (s *responses) complete(it *item, whole string) error {
	if !it.said {
		if err := s.fill(it, whole); err != nil {
			return err
		}
	}
	c := &it.call
	if c.started || c.name == "" || !it.done {
		return nil
	}
	c.started = true
	for _, part := range s.unwrap(c) {
		if err := s.announce(part); err != nil {
			return err
		}
	}
	return nil
}

// completeAll is for calls whose end was not told before the answer's.
func (s *responses) completeAll() error {
	for _, it := range s.items {
		if it.done = true; it.kind == itemCall {
			if err := s.complete(it, ""); err != nil {
				return err
			}
		}
	}
	return nil
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
