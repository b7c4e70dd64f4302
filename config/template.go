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
// is an error.
type contextData struct {
	Page, Tab, Subtab string
	Scope             map[string]string
	Context           map[string]any
}

// contextBuilder compiles a template over a page's context. .Context maps the label, id or
// description of a context item to its value. A missing value is nil, which if and default can
// test.
func contextBuilder(name, text string) (page.ContextBuilder, error) {
	t, err := template.New(name).Funcs(contextFuncs).Parse(text)
	if err != nil {
		return nil, withoutPrefix(err)
	}
	build := func(data contextData) (string, error) {
		var out limited
		err := t.Execute(&out, data)
		return strings.TrimSpace(out.String()), err
	}
	// The output for an empty page does not matter, but an unknown field is a mistake in the
	// template.
	if _, err := build(contextData{}); err != nil && strings.Contains(err.Error(), "can't evaluate field") {
		return nil, withoutPrefix(err)
	}
	return func(at page.Place, values map[string]any) (string, error) {
		return build(contextData{at.Page, at.Tab, at.Subtab, at.Scope, values})
	}, nil
}

// withoutPrefix puts a template error in terms of pageside.yaml.
func withoutPrefix(err error) error {
	text := strings.TrimPrefix(err.Error(), "template: ")
	return errors.New(strings.Replace(text, " in type config.contextData", ": there are .Page, .Tab, .Subtab, .Scope and .Context", 1))
}

var contextFuncs = template.FuncMap{
	"json": func(v any) (string, error) {
		b, err := json.Marshal(v)
		return string(b), err
	},
	"default": func(fallback, v any) any {
		if v == nil || v == "" {
			return fallback
		}
		return v
	},
	"get": func(v any, path string) any {
		for key := range strings.SplitSeq(path, ".") {
			m, ok := v.(map[string]any)
			if !ok {
				return nil
			}
			v = m[key]
		}
		return v
	},
	"join": func(separator string, list any) string {
		items, _ := list.([]any)
		texts := make([]string, len(items))
		for i, it := range items {
			texts[i] = fmt.Sprint(it)
		}
		return strings.Join(texts, separator)
	},
}

// limited is a builder with a maximum length: the page's context is untrusted.
type limited struct{ strings.Builder }

// Write refuses what would exceed maxContext.
func (l *limited) Write(p []byte) (int, error) {
	if l.Len()+len(p) > maxContext {
		return 0, fmt.Errorf("the context is longer than %d bytes", maxContext)
	}
	return l.Builder.Write(p)
}
