package script

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/pageside/pageside/internal/lazy"
)

// data is what templates see.
type data struct {
	Asked
	User    string            // the question
	Match   map[string]string // the groups of the rule's match, by name and by number
	Results []any             // of the calls, in their order
	Tools   []string          // the names of the tools offered
	Each    any               // the item that a call with each is made for
}

// ToolOffered reports whether the request declares a tool.
func (d *data) ToolOffered(name string) bool { return slices.Contains(d.Tools, name) }

// findResult returns the newest result of a tool, or nil if it was not called.
func (d *data) findResult(tool string) any {
	for _, c := range slices.Backward(d.Calls) {
		if c.Name == tool {
			return c.Result
		}
	}
	return nil
}

func (d *data) called(tool string) bool {
	return slices.ContainsFunc(d.Calls, func(c Call) bool { return c.Name == tool })
}

// cite returns the mark of a source by its address or title, or "" if no result rests on it.
func (d *data) cite(source string) string {
	for _, c := range slices.Backward(d.Calls) {
		if mark := c.Sources[source]; mark != "" {
			return mark
		}
	}
	return ""
}

// text is a template, or plain text without placeholders.
type text struct {
	plain string
	tmpl  *template.Template
}

// render executes the template.
func (t *text) render(d *data) (string, error) {
	if t == nil || t.tmpl == nil {
		if t == nil {
			return "", nil
		}
		return t.plain, nil
	}
	// Bind the functions that depend on the request to a copy: a model serves concurrent requests.
	tmpl, err := t.tmpl.Clone()
	if err != nil {
		return "", err
	}
	tmpl.Funcs(template.FuncMap{"context": d.Value, "result": d.findResult, "called": d.called, "cite": d.cite})
	var out bytes.Buffer
	if err := tmpl.Execute(&out, d); err != nil {
		return "", trimTemplateError(err)
	}
	return out.String(), nil
}

// renderTrue reports whether the template renders "true"; a missing one counts as true.
func (t *text) renderTrue(d *data) (bool, error) {
	if t == nil {
		return true, nil
	}
	s, err := t.render(d)
	return strings.TrimSpace(s) == "true", err
}

var executing = lazy.Regexp(`executing "[^"]*" at `)

// trimTemplateError removes the field's name from a template error, which repeats it.
func trimTemplateError(err error) error {
	s := strings.TrimPrefix(err.Error(), "template: ")
	return fmt.Errorf("%s", executing().ReplaceAllString(s, "at "))
}

// groups returns the groups of a match: by number, and by name if the group has one and took part.
func groups(re *regexp.Regexp, question string) (map[string]string, bool) {
	found := map[string]string{}
	if re == nil {
		return found, true
	}
	m := re.FindStringSubmatch(question)
	for i, name := range re.SubexpNames() {
		if m == nil {
			return nil, false
		}
		found[fmt.Sprint(i)] = m[i]
		if name != "" && (m[i] != "" || found[name] == "") {
			found[name] = m[i]
		}
	}
	return found, true
}
