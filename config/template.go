package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/template"

	"github.com/pageside/pageside/page"
)

// maxContext is how long the output of a context template may be, in bytes.
const maxContext = 64 << 10

// contextData is what a template sees. Values that Context lacks are nil; a name that is none of
// these is an error.
type contextData struct {
	Page, Tab, Subtab string
	Scope             map[string]string
	Context           map[string]any
}

// contextBuilder compiles a template over a page's context. It sees .Page .Tab .Subtab .Scope, and
// the context items as .Context: a map from label, id or description to the value. A value that is
// not there is nil, which if and default test for.
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
	// What it makes of an empty page is of no interest, but a field that does not exist is a
	// mistake in the template.
	if _, err := build(contextData{}); err != nil && strings.Contains(err.Error(), "can't evaluate field") {
		return nil, withoutPrefix(err)
	}
	return func(at page.Place, values map[string]any) (string, error) {
		return build(contextData{at.Page, at.Tab, at.Subtab, at.Scope, values})
	}, nil
}

// withoutPrefix is the error of a template in the words of who writes one.
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

// limited is text that may not grow without bound: a page's context is not ours.
type limited struct{ strings.Builder }

func (l *limited) Write(p []byte) (int, error) {
	if l.Len()+len(p) > maxContext {
		return 0, fmt.Errorf("the context is longer than %d bytes", maxContext)
	}
	return l.Builder.Write(p)
}
