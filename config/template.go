package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/template"

	"github.com/pageside/pageside/page"
)

// maxContext is the longest output of a context template, in bytes.
const maxContext = 64 << 10

// contextData is what a template sees. Values missing from Context are nil; any other unknown name
// is an error. Its texts are strings, or quoted ones.
type contextData[S ~string] struct {
	Page, Tab, Subtab S
	Scope             map[string]S
	Context           map[string]any
}

// contextTemplate is a template over a page's context. .Context maps the label, id or description
// of a context item to its value. A missing value is nil, which if and default can test.
type contextTemplate struct {
	*template.Template
	most int // bytes of its output
}

func parseContext(name, text string, most int) (*contextTemplate, error) {
	parsed, err := template.New(name).Funcs(contextFuncs).Parse(text)
	if err != nil {
		return nil, withoutPrefix(err)
	}
	t := &contextTemplate{parsed, most}
	// The output for an empty page does not matter, but an unknown field is a mistake in the
	// template.
	if _, err := t.render(contextData[string]{}); err != nil && strings.Contains(err.Error(), "can't evaluate field") {
		return nil, withoutPrefix(err)
	}
	return t, nil
}

func (t *contextTemplate) render(data any) (string, error) {
	if t == nil {
		return "", nil
	}
	out := limited{most: t.most}
	err := t.Execute(&out, data)
	return strings.TrimSpace(out.String()), err
}

// contextBuilder makes a builder of two templates, either of which may be nil. To instructions, all
// texts of the page are quoted.
func contextBuilder(data, instructions *contextTemplate) page.ContextBuilder {
	return func(at page.Place, values map[string]any) (built page.Built, err error) {
		if built.Data, err = data.render(contextData[string]{
			at.Page, at.Tab, at.Subtab, at.Scope, values,
		}); err != nil || instructions == nil {
			return built, err
		}
		shown := contextData[quoted]{
			quoted(at.Page), quoted(at.Tab), quoted(at.Subtab), map[string]quoted{}, quotedMap(values),
		}
		for kind, id := range at.Scope {
			shown.Scope[kind] = quoted(id)
		}
		built.Instructions, err = instructions.render(shown)
		return built, err
	}
}

// withoutPrefix puts a template error in terms of pageside.yaml.
func withoutPrefix(err error) error {
	text := strings.TrimPrefix(err.Error(), "template: ")
	return errors.New(strings.Replace(text, " in type config.contextData[string]",
		": there are .Page, .Tab, .Subtab, .Scope and .Context", 1))
}

var contextFuncs = template.FuncMap{
	"json": func(v any) (string, error) {
		b, err := json.Marshal(v)
		return string(b), err
	},
	"default": func(fallback, v any) any {
		if v == nil || v == "" || v == quoted("") {
			return fallback
		}
		return v
	},
	"get": func(v any, path string) any {
		for key := range strings.SplitSeq(path, ".") {
			switch m := v.(type) {
			case map[string]any:
				v = m[key]
			case quotedObject:
				v = m[key]
			default:
				return nil
			}
		}
		return v
	},
	"join": func(separator string, list any) string {
		items, ok := list.([]any)
		if !ok {
			quoted, _ := list.(quotedList)
			items = quoted
		}
		texts := make([]string, len(items))
		for i, it := range items {
			texts[i] = fmt.Sprint(it)
		}
		return strings.Join(texts, separator)
	},
}

// limited is a builder with a maximum length: the page's context is untrusted.
type limited struct {
	strings.Builder
	most int
}

// Write refuses what would exceed the maximum.
func (l *limited) Write(p []byte) (int, error) {
	if l.Len()+len(p) > l.most {
		return 0, fmt.Errorf("the output is longer than %d bytes", l.most)
	}
	return l.Builder.Write(p)
}
