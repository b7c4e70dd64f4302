package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"

	"github.com/pageside/pageside/internal/registry"
)

// Registry holds the backend tools of a server. It does not change once made and is safe for
// concurrent use. A nil *Registry is empty.
type Registry struct{ tools registry.Registry[*Tool] }

// NewRegistry checks the tools and keeps a copy of each. A duplicate or invalid name, a missing
// handler or a schema that cannot be inferred or compiled is an error that names the tool.
func NewRegistry(tools ...*Tool) (*Registry, error) {
	r := &Registry{}
	for i, t := range tools {
		if t == nil {
			return nil, fmt.Errorf("tool %d is nil", i)
		}
		ready, err := t.prepare()
		if err != nil {
			return nil, fmt.Errorf("tool %q: %w", t.Name, err)
		}
		if err := r.tools.Add(ready.Name, ready); err != nil {
			return nil, fmt.Errorf("tool %w", err)
		}
	}
	return r, nil
}

// Get returns the tool with that name, ready to run.
func (r *Registry) Get(name string) (*Tool, bool) { return r.known().Get(name) }

// All yields the tools in the order they were given.
func (r *Registry) All() iter.Seq[*Tool] { return r.known().All() }

func (r *Registry) known() *registry.Registry[*Tool] {
	if r == nil {
		return nil
	}
	return &r.tools
}

// prepare returns a checked copy of t with its schema compiled.
func (t *Tool) prepare() (*Tool, error) {
	switch {
	case !ValidName(t.Name):
		return nil, errors.New("a name is 1 to 64 letters, digits, _ and -")
	case t.err != nil:
		return nil, t.err
	case t.Handler == nil:
		return nil, errors.New("it has no handler")
	case t.Policy.Timeout < 0:
		return nil, fmt.Errorf("its timeout is %v", t.Policy.Timeout)
	case t.Policy.Rate.PerSecond < 0 || t.Policy.Rate.Burst < 0:
		return nil, fmt.Errorf("its rate is %v", t.Policy.Rate)
	}
	effect, err := t.Effect.check()
	if err != nil {
		return nil, err
	}
	ready := t.ready()
	ready.Effect = effect
	if _, err := ready.schema(); err != nil {
		return nil, fmt.Errorf("its input schema: %w", err)
	}
	if err := t.checkOpenArgs(); err != nil {
		return nil, err
	}
	if err := ready.prepareBind(); err != nil {
		return nil, err
	}
	ready.calls = NewLimiter(t.Policy.Rate)
	return ready, nil
}

// ready returns a copy of t that calls can run.
func (t *Tool) ready() *Tool {
	ready := *t
	ready.schema = sync.OnceValues(func() (*Schema, error) { return CompileSchema(ready.InputSchema) })
	ready.running = &leaks{}
	return &ready
}

// Builtin returns a tool of the program's own, ready to run: nothing of it is checked, and its
// schema is compiled when it is first asked for. It has no limit on its rate and binds nothing.
func Builtin(t Tool) *Tool { return t.ready() }

// checkOpenArgs returns an error if Policy.OpenArgs names what the tool does not declare.
func (t *Tool) checkOpenArgs() error {
	if len(t.Policy.OpenArgs) == 0 {
		return nil
	}
	var declared struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal(t.InputSchema, &declared); err != nil {
		return fmt.Errorf("its open arguments need an input schema: %w", err)
	}
	for _, name := range t.Policy.OpenArgs {
		if _, ok := declared.Properties[name]; !ok {
			return fmt.Errorf("%q is among its open arguments, but not among the properties of its input schema", name)
		}
	}
	return nil
}

// check returns the effect class of e. The zero value is Write, the cautious assumption.
func (e Effect) check() (Effect, error) {
	switch e {
	case "":
		return Write, nil
	case Read, Idempotent, Write, Exfil, Destructive:
		return e, nil
	}
	return "", fmt.Errorf("%q is no effect class: read, idempotent, write, exfil or destructive", string(e))
}

// nameChars are the characters of a tool's name.
const nameChars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

// ValidName reports whether name can be a tool's name: 1 to 64 letters, digits, _ and -. The rule
// is what every provider accepts.
func ValidName(name string) bool {
	return name != "" && len(name) <= 64 && strings.Trim(name, nameChars) == ""
}

// CheckName returns an error unless ValidName takes a name.
func CheckName(name string) error {
	if !ValidName(name) {
		return errors.New("a name is 1 to 64 letters, digits, _ and -")
	}
	return nil
}
