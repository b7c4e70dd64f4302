package tool

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pageside/pageside/internal/schema"
)

// Definition is a hash of what a tool is: its name, description, schema, effect, approval, target
// and bound arguments. Agreeing to one definition is not agreeing to another. "" is a tool whose
// schema is not JSON. The code of a handler is not part of it.
func (t *Tool) Definition() string {
	schema := t.InputSchema
	if len(schema) == 0 {
		schema = json.RawMessage("null")
	}
	doc, err := json.Marshal(struct {
		Name, Description string
		InputSchema       json.RawMessage
		Effect            Effect
		Approval          Approval
		Target            string
		Bind              map[string]Source `json:",omitempty"`
	}{t.Name, t.Description, schema, t.Effect, t.Policy.Approval, t.Target, t.Bind})
	if err != nil {
		return ""
	}
	hash, err := Hash(doc)
	if err != nil {
		return ""
	}
	return hash
}

// Hash is the SHA-256 of JSON in canonical form, as "sha256:" and hexadecimal digits: neither the
// order of names nor blanks nor escapes count. Numbers count as they are written. RFC 8785 would
// make large integers equal that a handler tells apart, and agreeing to one call must not allow
// another; so 1 and 1.0 differ. JSON with a name twice in an object, or that is not UTF-8, is an
// error.
func Hash(raw json.RawMessage) (string, error) {
	canonical, err := Canonical(raw)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(canonical)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

// TargetOf returns the Target of a tool whose calls these parts identify. Credentials must not be
// among them: they change while the tool stays the same.
func TargetOf(parts ...any) string {
	doc, _ := json.Marshal(parts) // texts, lists and maps of texts: cannot fail
	hash, _ := Hash(doc)
	return hash
}

// HashExcept is Hash for arguments of which some may have any value: the open ones. They must be
// there, unless AnyArgs opens them all. Without open arguments it is Hash.
func HashExcept(args json.RawMessage, open []string) (string, error) {
	if len(open) == 0 {
		return Hash(args)
	}
	var fixed map[string]jsontext.Value
	if err := jsonv2.Unmarshal(args, &fixed); err != nil {
		return "", err
	}
	if slices.Contains(open, AnyArgs) {
		open, fixed = []string{AnyArgs}, nil
	}
	for _, name := range open {
		if _, ok := fixed[name]; !ok && name != AnyArgs {
			return "", fmt.Errorf("there is no argument %q", name)
		}
		delete(fixed, name)
	}
	names := slices.Sorted(slices.Values(open))
	doc, err := jsonv2.Marshal(map[string]any{"fixed": fixed, "open": slices.Compact(names)})
	if err != nil {
		return "", err
	}
	return Hash(doc)
}

// Canonical returns the form of JSON that Hash hashes.
func Canonical(raw json.RawMessage) ([]byte, error) {
	canonical := jsontext.Value(raw).Clone()
	if err := canonical.Canonicalize(jsontext.CanonicalizeRawInts(false),
		jsontext.CanonicalizeRawFloats(false)); err != nil {
		return nil, err
	}
	return canonical, nil
}

// Schema is a compiled JSON Schema of a tool's arguments. It is immutable and safe for concurrent
// use. A nil *Schema takes any object.
type Schema = schema.Schema

// CompileSchema checks and compiles the schema of a tool's arguments, be it our own or a client's.
// nil or null is a tool without arguments. It refuses what could keep a validator busy: more than
// 16 KiB, 32 levels or 1,000 objects and arrays, references that leave the schema or lead back to
// themselves, and more than 2,000 nodes once references are expanded. It opens no file and no URL.
//
// Patterns that Go's regular expressions cannot express (look-ahead, back-references) are not
// checked: a browser that declared one checks it itself. Compiled schemas are kept, so that a
// client may send its tools with every run.
func CompileSchema(raw json.RawMessage) (*Schema, error) { return schema.Compile(raw) }

// ClosedSchema returns the schema of a tool's arguments such that arguments it does not declare are
// refused, unless it says otherwise: what the model adds on its own does not get to an endpoint.
func ClosedSchema(raw json.RawMessage) (json.RawMessage, error) { return schema.Closed(raw) }
