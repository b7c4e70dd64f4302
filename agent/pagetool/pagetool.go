// Package pagetool reads the tools that a page declares with each of its runs: what may be offered
// to a model, and how. A declaration that was read before is not read again.
package pagetool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/visible"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/tool"
)

// Tool is a tool that a page declares. Tool and Decl are the caller's to change, but not what their
// fields point to.
type Tool struct {
	Tool   tool.Tool // what the page says of it; it has no handler
	Schema *tool.Schema
	Decl   llm.ToolDecl // its description is cut
}

// Check returns an *agui.FieldError for the first unusable frontend tool: a name that no
// provider accepts, parameters that are not a schema or could keep a validator busy, or an effect
// that there is not. A server calls it before it accepts a run.
func Check(tools []agui.Tool) error {
	for i := range tools {
		if _, err := Read(i, &tools[i]); err != nil {
			return err
		}
	}
	return nil
}

// known are tools as they were read before, by the hash of what was declared: a page declares the
// same ones with every question. None is kept of a longer declaration.
var known, _ = lru.New[uint64, *remembered](256) // fails for no size only

type remembered struct {
	declared agui.Tool
	read     Tool
}

const maxRemembered = 8 << 10 // bytes

var seed = maphash.MakeSeed()

// Read reads and checks the i-th tool of a run's input. Its error is an *agui.FieldError.
func Read(i int, t *agui.Tool) (Tool, error) {
	if len(t.Name)+len(t.Description)+len(t.Parameters)+len(t.Metadata) > maxRemembered {
		return read(i, *t)
	}
	hash := hashOf(t)
	if k, ok := known.Get(hash); ok && isSame(&k.declared, t) {
		return k.read, nil
	}
	declared := clone(t)
	read, err := read(i, declared)
	if err != nil {
		return Tool{}, err
	}
	known.Add(hash, &remembered{declared, read})
	return read, nil
}

func hashOf(t *agui.Tool) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	_, _ = h.WriteString(t.Name) // none of these can fail
	_, _ = h.WriteString(t.Description)
	_, _ = h.Write(t.Parameters)
	_, _ = h.Write(t.Metadata)
	return h.Sum64()
}

func isSame(a, b *agui.Tool) bool {
	return a.Name == b.Name && a.Description == b.Description &&
		bytes.Equal(a.Parameters, b.Parameters) && bytes.Equal(a.Metadata, b.Metadata)
}

// clone returns t without the memory of the request that it came with.
func clone(t *agui.Tool) agui.Tool {
	return agui.Tool{
		Name: strings.Clone(t.Name), Description: strings.Clone(t.Description),
		Parameters: bytes.Clone(t.Parameters), Metadata: bytes.Clone(t.Metadata),
	}
}

func read(i int, t agui.Tool) (Tool, error) {
	if !tool.ValidName(t.Name) {
		return Tool{}, invalid(i, "name", "a name is 1 to 64 letters, digits, _ and -")
	}
	schema, err := tool.CompileSchema(t.Parameters)
	if err != nil {
		return Tool{}, invalid(i, "parameters", err.Error())
	}
	if !visibleIn(schema.Declaration()) {
		return Tool{}, invalid(i, "parameters", "they have characters that nobody sees")
	}
	decl := llm.ToolDecl{
		Name: t.Name, Description: visible.Cut(visible.Text(t.Description), maxDescription),
		Parameters: schema.Declaration(),
	}
	described := tool.Tool{
		Name: t.Name, Description: t.Description, InputSchema: decl.Parameters, Target: pageTarget,
		Foreign: IsForeign(t),
	}
	described.Policy.OpenArgs = []string{tool.AnyArgs}
	if described.Effect, described.Policy.Approval, err = declared(t.Metadata); err != nil {
		return Tool{}, invalid(i, "metadata.pageside", err.Error())
	}
	return Tool{described, schema, decl}, nil
}

func invalid(i int, field, reason string) error {
	return &agui.FieldError{Path: fmt.Sprintf("tools[%d].%s", i, field), Reason: reason}
}

// IsForeign reports whether a tool of the page is described by somebody other than the developer of
// the application.
func IsForeign(t agui.Tool) bool {
	own, _ := agui.ReadMetadata(t.Metadata)
	return own.Foreign
}

// pageTarget makes the definition of a frontend tool differ from that of any backend tool.
const pageTarget = "page"

// declared returns what a client says of a frontend tool in its metadata: its effect, if any, and
// whether a person must approve each call. It may make the server ask more often than its policy,
// not less often: a client's approval is not "never".
func declared(metadata json.RawMessage) (tool.Effect, tool.Approval, error) {
	own, ok := agui.ReadMetadata(metadata)
	if !ok && agui.HasMetadata(metadata) {
		return "", "", errors.New("must be an object with effect and approval, which are texts")
	}
	effect, approval := tool.Effect(own.Effect), tool.Approval(own.Approval)
	switch effect {
	case "", tool.Read, tool.Page, tool.Idempotent, tool.Write, tool.Exfil, tool.Destructive:
	default:
		return "", "", fmt.Errorf("effect: %.50q is not read, page, idempotent, write, exfil or destructive",
			own.Effect)
	}
	if approval != tool.ApprovalPolicy && approval != tool.ApprovalAlways {
		return "", "", fmt.Errorf("approval: %.50q is not always", own.Approval)
	}
	return effect, approval, nil
}

// maxDescription bounds what a page may say about one tool, in bytes. A schema has at most 16 KiB.
const maxDescription = 2 << 10

// visibleIn reports whether the texts of a schema have no characters that nobody sees. A schema
// cannot be cleaned: the browser checks by the one it has declared.
func visibleIn(schema json.RawMessage) bool {
	if !bytes.ContainsFunc(schema, func(r rune) bool { return r >= utf8.RuneSelf || r == '\\' }) {
		return true // compiled JSON holds no control characters as they are
	}
	d := jsontext.NewDecoder(bytes.NewReader(schema))
	for {
		token, err := d.ReadToken()
		switch {
		case err != nil:
			return true // the end: it has been compiled
		case token.Kind() == '"' && !visible.Is(token.String()):
			return false
		}
	}
}
