package payload

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/lazy"
	"github.com/pageside/pageside/internal/registry"
	"github.com/pageside/pageside/internal/schema"
)

// Registry holds the payload types of a server. Immutable and safe for concurrent use. A nil
// *Registry is empty.
type Registry struct{ types registry.Registry[*Type] }

// NewRegistry checks the types and copies them. Invalid or duplicate names, schemas that do not
// compile, and markers that are prefixes of each other are errors that name the type.
func NewRegistry(types ...*Type) (*Registry, error) {
	r := &Registry{}
	for i, t := range types {
		if t == nil {
			return nil, fmt.Errorf("payload %d is nil", i)
		}
		ready, err := t.prepare()
		if err != nil {
			return nil, fmt.Errorf("payload %q: %w", t.Name, err)
		}
		if err := r.types.Add(ready.Name, ready); err != nil {
			return nil, fmt.Errorf("payload %w", err)
		}
		if err := r.checkMarker(ready); err != nil {
			return nil, fmt.Errorf("payload %q: %w", t.Name, err)
		}
	}
	return r, nil
}

// Get returns the type with a name, or nil.
func (r *Registry) Get(name string) (*Type, bool) { return r.known().Get(name) }

// All yields the types in the order they were given.
func (r *Registry) All() iter.Seq[*Type] { return r.known().All() }

func (r *Registry) known() *registry.Registry[*Type] {
	if r == nil {
		return nil
	}
	return &r.types
}

// DefaultMarker returns the marker of a type without one of its own: the name in capitals and a
// colon.
func DefaultMarker(name string) string { return strings.ToUpper(name) + ":" }

var namePattern = lazy.Regexp(`^[a-zA-Z0-9_-]{1,64}$`)

// prepare returns a checked copy of t with its schema compiled.
func (t *Type) prepare() (*Type, error) {
	switch {
	case !namePattern().MatchString(t.Name):
		return nil, errors.New("a name is 1 to 64 letters, digits, _ and -")
	case strings.HasPrefix(t.Name, agui.ReservedPrefix), builtIn(t.Name):
		return nil, errors.New("the name is reserved")
	}
	ready := *t
	switch t.Source {
	case "":
		ready.Source = FromTool
	case FromTool, FromLLM:
	default:
		return nil, fmt.Errorf("%q is no source: tool or llm", string(t.Source))
	}
	if err := ready.prepareMarker(); err != nil {
		return nil, err
	}
	var err error
	if ready.schema, err = schema.Compile(t.Schema); err != nil {
		return nil, fmt.Errorf("its schema: %w", err)
	}
	return &ready, nil
}

func (t *Type) prepareMarker() error {
	if t.Source == FromTool {
		if t.Marker != "" {
			return errors.New("it comes from tools and must not have a marker")
		}
		return nil
	}
	if len(t.Name) > maxEmittedName {
		return fmt.Errorf("the name of a payload the model writes has at most %d characters", maxEmittedName)
	}
	if t.Marker == "" {
		t.Marker = DefaultMarker(t.Name)
	}
	return validMarker(t.Marker)
}

const (
	minMarker = 2
	maxMarker = 72
)

// maxEmittedName leaves room for the prefix in the name of the generated tool.
const maxEmittedName = 64 - len(emitPrefix)

const emitPrefix = "emit_"

// ToolName returns the name of the tool generated for a type whose payloads are written as
// arguments.
func (t *Type) ToolName() string { return emitPrefix + t.Name }

// validMarker checks that a marker is distinguishable from ordinary text at the start of a line and
// from the text around it.
func validMarker(marker string) error {
	if len(marker) < minMarker || len(marker) > maxMarker {
		return fmt.Errorf("its marker %q must have %d to %d characters", marker, minMarker, maxMarker)
	}
	for i := range len(marker) {
		if c := marker[i]; c <= ' ' && i == 0 || c < ' ' || c > '~' ||
			strings.IndexByte("*>`~{[\\\"", c) >= 0 || c == '-' && i == 0 {
			return fmt.Errorf("its marker %q must not hold %q there", marker, c)
		}
	}
	if strings.HasSuffix(marker, " ") {
		return fmt.Errorf("its marker %q must not end with a blank", marker)
	}
	return nil
}

// checkMarker refuses a marker that begins with another type's, or vice versa: in a stream they
// would be indistinguishable.
func (r *Registry) checkMarker(t *Type) error {
	if t.Source != FromLLM {
		return nil
	}
	for _, other := range slices.AppendSeq(slices.Clone(builtIns), r.All()) {
		switch {
		case other == t || other.Source != FromLLM:
		case other.Marker == t.Marker:
			return fmt.Errorf("its marker %q is that of payload %q too", t.Marker, other.Name)
		case strings.HasPrefix(other.Marker, t.Marker), strings.HasPrefix(t.Marker, other.Marker):
			return fmt.Errorf("its marker %q and %q of payload %q begin alike: neither may be the beginning of the other",
				t.Marker, other.Marker, other.Name)
		}
	}
	return nil
}
