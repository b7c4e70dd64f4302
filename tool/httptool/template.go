package httptool

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"text/template/parse"

	"github.com/pageside/pageside/internal/lazy"
	"github.com/pageside/pageside/internal/nearest"
	"github.com/pageside/pageside/tool"
)

// text is a parsed template whose actions are escaped.
type text struct{ t *template.Template }

// maxRendered bounds the output of a template: a loop over what a model sent must not fill the
// memory.
const maxRendered = 1 << 20

// parse parses a template and adds to each of its actions the escaping for its position, as
// html/template does for HTML.
func (w *walker) parse(source string, start position) (*text, error) {
	t, err := template.New("template").Funcs(functions).Parse(source)
	if err != nil {
		return nil, plain(err)
	}
	if t.Tree == nil || t.Root == nil {
		return nil, errors.New("it is empty")
	}
	if len(t.Templates()) > 1 {
		return nil, errors.New("{{define}} and {{block}} are not supported")
	}
	if _, err := w.list(t.Root, start); err != nil {
		return nil, err
	}
	return &text{t}, nil
}

// plain drops the name text/template puts in front of its errors.
func plain(err error) error {
	text := strings.TrimPrefix(err.Error(), "template: template:")
	if m := undefined().FindStringSubmatch(text); m != nil {
		text += fmt.Sprintf(": an argument of the call is {{ .%s }}", m[1])
	}
	return errors.New(text)
}

// undefined matches what a name without its dot is taken for.
var undefined = lazy.Regexp(`function "(\w+)" not defined$`)

// render executes the template. An error is a *tool.Error.
func (t *text) render(data any) (string, error) {
	var b bytes.Buffer
	if err := t.t.Execute(&boundedWriter{&b}, data); err != nil {
		if known, ok := errors.AsType[*tool.Error](err); ok {
			return "", known
		}
		return "", badArgs(plain(err).Error())
	}
	return b.String(), nil
}

type boundedWriter struct{ *bytes.Buffer }

func (w *boundedWriter) Write(p []byte) (int, error) {
	if w.Len()+len(p) > maxRendered {
		return 0, badArgs(fmt.Sprintf("they make a request of more than %d bytes", maxRendered))
	}
	return w.Buffer.Write(p)
}

// badArgs is a problem with the arguments, which the model can correct.
func badArgs(message string) error {
	return &tool.Error{Code: tool.CodeInvalidArgs, Message: message}
}

// misuse is one with the template, which only the configuration can.
func misuse(message string) error { return &tool.Error{Code: CodeMisconfig, Message: message} }

// absent is one with what is not known of who asks, or where.
func absent(message string) error { return &tool.Error{Code: tool.CodeUnavailable, Message: message} }

// walker adds escaping to a template's tree.
type walker struct {
	names []string // of the fields that may be used at the top
	// how many {{range}} and {{with}} are open: inside them a field is not an argument
	nested int
	// how many branches are open, such as {{if}}: inside them a value may be missing
	branches int
	caller   bool          // names has who asks and where
	declared []string      // the tool's arguments
	needs    []tool.Source // what stands outside branches, and needs a value
}

func (w *walker) list(l *parse.ListNode, at position) (position, error) {
	if l == nil {
		return at, nil
	}
	var err error
	for _, n := range l.Nodes {
		if at, err = w.node(n, at); err != nil {
			return "", err
		}
	}
	return at, nil
}

func (w *walker) node(n parse.Node, at position) (position, error) {
	switch n := n.(type) {
	case *parse.TextNode:
		return at.after(string(n.Text))
	case *parse.ActionNode:
		return at, w.action(n, at)
	case *parse.IfNode:
		return w.branch(&n.BranchNode, at, 0)
	case *parse.WithNode:
		return w.branch(&n.BranchNode, at, 1)
	case *parse.RangeNode:
		end, err := w.branch(&n.BranchNode, at, 1)
		if err == nil && end != at {
			return "", fmt.Errorf("{{range %s}} ends in another place than it begins", n.Pipe)
		}
		n.Pipe.Cmds = append(n.Pipe.Cmds, command(n.Pos, "_list"))
		return end, err
	case *parse.CommentNode:
		return at, nil
	}
	return "", fmt.Errorf("%s is not supported", n)
}

// action makes the value of {{…}} pass through the escaping of its position.
func (w *walker) action(n *parse.ActionNode, at position) error {
	if err := w.pipe(n.Pipe); err != nil {
		return err
	}
	w.need(n.Pipe)
	if len(n.Pipe.Decl) > 0 {
		return nil // an assignment writes nothing
	}
	name, err := at.escape()
	if err != nil {
		return fmt.Errorf("%s %w", n, err)
	}
	label := strings.TrimPrefix(n.Pipe.String(), ".")
	n.Pipe.Cmds = append(n.Pipe.Cmds, command(n.Pos, name, label))
	return nil
}

// command returns a call of a function at the end of a pipeline, whose value is the function's last
// argument.
func command(pos parse.Pos, function string, args ...string) *parse.CommandNode {
	c := &parse.CommandNode{
		NodeType: parse.NodeCommand, Pos: pos,
		Args: []parse.Node{parse.NewIdentifier(function).SetTree(nil).SetPos(pos)},
	}
	for _, arg := range args {
		c.Args = append(c.Args, &parse.StringNode{
			NodeType: parse.NodeString, Pos: pos, Quoted: strconv.Quote(arg), Text: arg,
		})
	}
	return c
}

// branch follows both branches. Where they end in different positions, no value may follow until
// the text makes the position clear again.
func (w *walker) branch(n *parse.BranchNode, at position, nested int) (position, error) {
	if err := w.pipe(n.Pipe); err != nil {
		return "", err
	}
	w.nested, w.branches = w.nested+nested, w.branches+1
	defer func() { w.branches-- }()
	yes, err := w.list(n.List, at)
	w.nested -= nested
	if err != nil {
		return "", err
	}
	no, err := w.list(n.ElseList, at)
	if err != nil {
		return "", err
	}
	return yes.or(no), nil
}

// pipe checks the names that a pipeline refers to, so that a misspelt one is found before a model's
// call runs into it.
func (w *walker) pipe(p *parse.PipeNode) error {
	for _, cmd := range p.Cmds {
		for _, arg := range cmd.Args {
			if err := w.operand(arg); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *walker) operand(n parse.Node) error {
	switch n := n.(type) {
	case *parse.PipeNode:
		return w.pipe(n)
	case *parse.ChainNode:
		return w.operand(n.Node)
	case *parse.FieldNode:
		if w.nested == 0 {
			return w.name(n.Ident)
		}
	case *parse.VariableNode:
		if n.Ident[0] == "$" && len(n.Ident) > 1 {
			return w.name(n.Ident[1:])
		}
	case *parse.IdentifierNode:
		if n.Ident == "urlquery" || n.Ident == "html" || n.Ident == "js" {
			return fmt.Errorf("%s is not needed: values are escaped for the place they stand in", n.Ident)
		}
	}
	return nil
}

// name checks the names of a field, such as scope.stream.
func (w *walker) name(path []string) error {
	name := path[0]
	switch {
	case w.caller && slices.Contains(whole, name) && slices.Contains(w.declared, name):
		return fmt.Errorf("it refers to %q, which is both an argument and %s: rename the argument", name,
			"who asks or where")
	case w.caller && slices.Contains(whole, name):
		return w.source(path)
	case slices.Contains(w.names, name):
		return nil
	}
	return fmt.Errorf("it refers to %q, and what there is, is: %s%s", name,
		cmp.Or(strings.Join(w.names, ", "), "none"), nearest.Question("%q", nearest.Of(name, w.names)))
}

// source checks a name of who asks or where. {{ index .context "Selected rows" }} has only its
// first part.
func (w *walker) source(path []string) error {
	if len(path) == 1 {
		return nil
	}
	_, err := tool.ParseSource(strings.Join(path, "."))
	return err
}

// need notes a value of who asks or where that an action writes as it is, outside branches: without
// it the template makes no request.
func (w *walker) need(p *parse.PipeNode) {
	if !w.caller || w.branches > 0 || len(p.Cmds) != 1 || len(p.Cmds[0].Args) != 1 {
		return
	}
	field, ok := p.Cmds[0].Args[0].(*parse.FieldNode)
	if !ok || len(field.Ident) < 2 || !slices.Contains(whole, field.Ident[0]) {
		return
	}
	w.needs = append(w.needs, tool.Source(strings.Join(field.Ident, ".")))
}
