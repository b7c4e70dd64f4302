package agent

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/tool"
)

// State configures the state that the page and the agent share. The zero value takes any state and
// shows it to the model.
type State struct {
	Schema  *tool.Schema    // what a state must match; nil takes any
	Initial json.RawMessage // the state of a new thread; nil is none
	Model   StateAccess     // what the model may do; "" means StateRead
	// size as JSON; 0 means DefaultStateBytes
	MaxBytes int
	// arguments of tools that grow into the state while the model writes them
	Predict []Prediction
}

// Prediction says that an argument of a tool is to become a member of the state. Clients show it
// while the model writes it; once the tool has run, it is stored.
type Prediction struct {
	Key      string `json:"state_key" yaml:"key"`
	Tool     string `json:"tool"`
	Argument string `json:"tool_argument,omitempty"` // "" means all arguments
}

// StateAccess says what a model may do with the shared state.
type StateAccess string

// What a model may do with the shared state.
const (
	StateNone  StateAccess = "none"  // it does not see it
	StateRead  StateAccess = "read"  // it sees it
	StateWrite StateAccess = "write" // it sees it, and changes it with the tool update_state
)

// updateStateName names the tool with which a model changes the state.
const updateStateName = "update_state"

// Bounds on a state and on one change of it.
const (
	DefaultStateBytes = 64 << 10
	maxStateDepth     = 32
	maxStateOps       = 1000
)

// ErrStateTooLarge is wrapped by errors about a state of too many bytes.
var ErrStateTooLarge = errors.New("the state is too large")

// check returns an error that names the first field that cannot work.
func (s *State) check(tools *tool.Registry, ofPage func(name string) bool) error {
	switch s.Model {
	case "", StateNone, StateRead, StateWrite:
	default:
		return fmt.Errorf("model: %q is none of none, read and write", s.Model)
	}
	if s.Initial != nil {
		if err := cmp.Or(s.Fits(s.Initial), s.Validate(s.Initial)); err != nil {
			return fmt.Errorf("initial: %w", err)
		}
	}
	for i, p := range s.Predict {
		if err := p.check(tools, ofPage); err != nil {
			return fmt.Errorf("predict[%d].%w", i, err)
		}
	}
	return nil
}

func (p Prediction) check(tools *tool.Registry, ofPage func(name string) bool) error {
	t, known := tools.Get(p.Tool)
	switch {
	case p.Key == "" || jsonx.ForbiddenKey(p.Key):
		return fmt.Errorf("key: %q cannot be a member of a state", p.Key)
	case !known && !ofPage(p.Tool):
		return fmt.Errorf("tool: there is no tool %q on the server, nor among pageTools", p.Tool)
	case p.Argument == "", !known: // what a tool of the page takes is known once it is declared
		return nil
	}
	var declared struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal(t.InputSchema, &declared); err != nil || declared.Properties[p.Argument] == nil {
		return fmt.Errorf("argument: the tool %q declares no argument %q", p.Tool, p.Argument)
	}
	return nil
}

// Fits returns an error if a state is too large or too deep. It does not look at the schema.
func (s *State) Fits(state json.RawMessage) error {
	limit := s.MaxBytes
	if limit == 0 {
		limit = DefaultStateBytes
	}
	if len(state) > limit {
		return fmt.Errorf("%w: %d bytes, of at most %d", ErrStateTooLarge, len(state), limit)
	}
	if d := jsonx.Depth(state); d > maxStateDepth {
		return fmt.Errorf("the state nests %d levels deep, at most %d are allowed", d, maxStateDepth)
	}
	return nil
}

// Validate returns an error that names the path if a state does not match the schema.
func (s *State) Validate(state json.RawMessage) error { return s.Schema.Validate(state) }

// shows reports whether the model is shown a state.
func (s *State) shows(state json.RawMessage) bool {
	return s.Model != StateNone && len(state) > 0 && !jsonx.Equal(state, json.RawMessage("{}")) &&
		!jsonx.Equal(state, json.RawMessage("null"))
}
