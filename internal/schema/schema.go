package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Schema is a compiled JSON Schema of an object: a tool's arguments, a payload's data. It is
// immutable and safe for concurrent use. A nil *Schema takes any object.
type Schema struct {
	compiled *jsonschema.Schema
	declared json.RawMessage
	strict   bool
}

// Declaration is the schema as a model is told it: with the type "object" that providers insist on
// and clients leave out. nil takes any object. The caller must not change it.
func (s *Schema) Declaration() json.RawMessage { return s.declared }

// Compile checks and compiles the schema of an object, be it our own or a client's. nil or null
// takes any object. It refuses what could keep a validator busy: more than 16 KiB, 32 levels or
// 1,000 objects and arrays, references that leave the schema or lead back to themselves, and more
// than 2,000 nodes once references are expanded. It opens no file and no URL.
//
// Patterns that Go's regular expressions cannot express (look-ahead, back-references) are not
// checked: a browser that declared one checks it itself. Compiled schemas are kept, so that a
// client may send its tools with every run.
func Compile(raw json.RawMessage) (*Schema, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return anyObject(), nil
	}
	if len(raw) > maxSchemaBytes {
		return nil, fmt.Errorf("a schema of %d bytes is too large: at most %d", len(raw), maxSchemaBytes)
	}
	return compiledSchemas.get(raw)
}

// anyObject allows any object: a model that knows of no arguments sends {} or something harmless.
var anyObject = sync.OnceValue(func() *Schema { return &Schema{} })

func compile(raw json.RawMessage) (*Schema, error) {
	if err := Check(raw, Bounds{Depth: maxSchemaDepth, Values: maxSchemaNodes}); err != nil {
		return nil, fmt.Errorf("the schema cannot be used: %w", err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("the schema cannot be used: %w", err)
	}
	root, ok := doc.(map[string]any)
	if !ok {
		return nil, errors.New("the schema must be a JSON object")
	}
	if err := lint(root); err != nil {
		return nil, fmt.Errorf("the schema cannot be used: %w", err)
	}
	_, typed := root["type"]
	strict := isStrict(root)
	// The $id of the schema means nothing here, and one that names another schema would confuse.
	delete(root, "$id")
	compiled, err := newCompiler(root).Compile(schemaURL)
	if err != nil {
		return nil, fmt.Errorf("the schema is not valid: %s", compileProblem(err))
	}
	return &Schema{compiled, declaration(raw, typed), strict}, nil
}

// declaration returns a copy of the schema, with a type where it has none.
func declaration(raw json.RawMessage, typed bool) json.RawMessage {
	text := bytes.TrimSpace(raw)
	if typed {
		return bytes.Clone(text)
	}
	rest := bytes.TrimSpace(text[1:])
	if string(rest) == "}" {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return append(json.RawMessage(`{"type":"object",`), rest...)
}

// schemaURL is the made-up address of the one schema that a compiler knows.
const schemaURL = "schema:///object"

func newCompiler(root any) *jsonschema.Compiler {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(lenientRegexp)
	if err := c.AddResource(schemaURL, root); err != nil {
		panic("schema: " + err.Error()) // the first resource of a compiler cannot be a duplicate
	}
	return c
}

// noLoader refuses to load anything: by default the compiler would open file:// references.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("loading %q is not allowed", url)
}

// lenientRegexp matches everything where Go cannot express the pattern.
func lenientRegexp(pattern string) (jsonschema.Regexp, error) {
	if re, err := regexp.Compile(pattern); err == nil {
		return re, nil
	}
	return anyText(pattern), nil
}

type anyText string

func (anyText) MatchString(string) bool { return true }
func (a anyText) String() string        { return string(a) }

// compileProblem shortens a compiler's error to the pointer and the problem.
func compileProblem(err error) string {
	if invalid, ok := errors.AsType[*jsonschema.SchemaValidationError](err); ok {
		return explain(invalid.Err)
	}
	return err.Error()
}

// Validate reports where raw, which must be JSON, differs from the schema: the path, what was
// expected and what was found, at most a handful of problems, in words for a model.
func (s *Schema) Validate(raw json.RawMessage) error {
	if s == nil || s.compiled == nil {
		return nil
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	if err := s.compiled.Validate(v); err != nil {
		return errors.New(explain(err))
	}
	return nil
}

// maxCachedSchemas bounds the memory clients can make us keep: about 100 MB at the very worst, a
// few MB in practice.
const maxCachedSchemas = 512

// schemaCache keeps compiled schemas by their text. When it is full, an arbitrary one is dropped.
type schemaCache struct {
	mu   sync.Mutex
	seen map[string]*Schema
}

var compiledSchemas = &schemaCache{seen: map[string]*Schema{}}

func (c *schemaCache) get(raw json.RawMessage) (*Schema, error) {
	c.mu.Lock()
	s, ok := c.seen[string(raw)]
	c.mu.Unlock()
	if ok {
		return s, nil
	}
	s, err := compile(raw) // outside the lock: two may do the same work, nobody waits for another's
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.seen) >= maxCachedSchemas {
		for victim := range c.seen {
			delete(c.seen, victim)
			break
		}
	}
	c.seen[string(raw)] = s
	return s, nil
}
