package mcptool

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/internal/lazy"
	"github.com/pageside/pageside/internal/visible"
	"github.com/pageside/pageside/tool"
)

// definition is what a server says a tool is, word for word.
type definition struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
}

// Fingerprint returns the hash by which a tool's definition is pinned: SHA-256 over the canonical
// JSON (RFC 8785) of an object with its name, description and inputSchema, as "sha256:" and
// hexadecimal digits.
func Fingerprint(name, description string, inputSchema json.RawMessage) (string, error) {
	doc, err := json.Marshal(definition{name, description, inputSchema})
	if err != nil {
		return "", fmt.Errorf("fingerprint of %q: %w", name, err)
	}
	canonical := jsontext.Value(doc)
	if err := canonical.Canonicalize(); err != nil {
		return "", fmt.Errorf("fingerprint of %q: %w", name, err)
	}
	sum := sha256.Sum256(canonical)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

var hashPattern = lazy.Regexp(`^sha256:[0-9a-f]{64}$`)

const maxToolName = 64 // what providers accept

var notInNames = lazy.Regexp(`[^a-zA-Z0-9_-]`)

// toolName returns the name of a server's tool here: server__tool, with _ for characters that a
// tool's name cannot have. A name that would be too long ends with part of its hash.
func toolName(server, name string) string {
	ours := server + "__" + notInNames().ReplaceAllString(name, "_")
	if len(ours) <= maxToolName {
		return ours
	}
	sum := sha256.Sum256([]byte(name))
	end := "_" + hex.EncodeToString(sum[:4])
	return ours[:maxToolName-len(end)] + end
}

// maxDescription bounds what a server may put into the prompt about one tool.
const maxDescription = 8 << 10

// clean returns the definition as a model may see it: without characters that a reviewer does not
// see. The error says why the tool cannot be offered at all.
func (d definition) clean() (definition, error) {
	c := definition{Name: d.Name, Description: visible.Brief(d.Description, maxDescription)}
	schema, err := jsonx.Value(d.InputSchema, nil)
	if err != nil {
		return c, fmt.Errorf("its schema cannot be read: %w", err)
	}
	if err := cleanSchema(schema); err != nil {
		return c, err
	}
	c.InputSchema, _ = json.Marshal(schema) // made of JSON: cannot fail
	_, err = tool.CompileSchema(c.InputSchema)
	return c, err
}

// annotations are the keywords whose text is for readers. Changing any other text would change what
// the schema accepts.
var annotations = map[string]bool{"description": true, "title": true, "$comment": true}

var errInvisible = errors.New("its schema has invisible characters in a name or value")

// cleanSchema removes invisible characters from a schema's annotations.
func cleanSchema(v any) error {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			text, isText := value.(string)
			if isText && annotations[key] {
				v[key] = visible.Text(text)
			} else if err := cmp.Or(cleanSchema(key), cleanSchema(value)); err != nil {
				return err
			}
		}
	case []any:
		for _, value := range v {
			if err := cleanSchema(value); err != nil {
				return err
			}
		}
	case string:
		if !visible.Is(v) {
			return errInvisible
		}
	}
	return nil
}
