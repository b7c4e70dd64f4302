package sharedstate

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/tool"
)

// Prediction says that an argument of a tool is to become a member of the state. Clients show it
// while the model writes it; once the tool has run, it is stored.
type Prediction struct {
	Key      string `json:"state_key" yaml:"key"`
	Tool     string `json:"tool"`
	Argument string `json:"tool_argument,omitempty"` // "" means all arguments
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

// Predicts reports whether an argument of a tool grows into the state.
func (c *Config) Predicts(name string) bool {
	return slices.ContainsFunc(c.Predict, func(p Prediction) bool { return p.Tool == name })
}

// PatchOf returns the patch that a call of a tool makes to the state, nil for none.
func (c *Config) PatchOf(name string, args json.RawMessage) json.RawMessage {
	var ops []op
	for _, p := range c.Predict {
		if p.Tool != name {
			continue
		}
		value := args
		if p.Argument != "" && json.Valid(args) {
			value = jsonx.Find(args, p.Argument)
		}
		if len(value) > 0 && json.Valid(value) {
			ops = append(ops, op{"add", string(jsontext.Pointer("").AppendToken(p.Key)), value})
		}
	}
	if ops == nil {
		return nil
	}
	return jsonx.Marshal(ops)
}

// op is an operation of a JSON Patch that we write ourselves.
type op struct {
	Op    string          `json:"op"`
	Path  string          `json:"path"`
	Value json.RawMessage `json:"value,omitzero"`
}
