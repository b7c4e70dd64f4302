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

// contextBuilder compiles a template over a page's context. It sees .Page .Tab .Subtab .Scope, and the context items as .Context:
// a map from label, id or description to the value. A value that is not there is nil, which if and default test for.
func contextBuilder(name, text string) (page.ContextBuilder, error) {
	t, err := template.New(name).Funcs(contextFuncs).Parse(text)
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "template: "))
	}
	return func(at page.Place, values map[string]any) (string, error) {
		var out limited
		err := t.Execute(&out, map[string]any{"Page": at.Page, "Tab": at.Tab, "Subtab": at.Subtab, "Scope": at.Scope, "Context": values})
		return strings.TrimSpace(out.String()), err
	}, nil
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
