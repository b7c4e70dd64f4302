package httptool

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/tool"
)

// bodyKind is the format of a request's body, which decides how values are escaped in it.
type bodyKind int

const (
	noBody bodyKind = iota
	jsonBody
	formBody
	textBody
)

func (e *endpoint) checkContentType() error {
	sends := e.Body != "" || slices.Contains([]string{http.MethodPost, http.MethodPut, http.MethodPatch}, e.Method)
	switch {
	case !sends && e.ContentType != "":
		return fmt.Errorf("a %s request without body has none", e.Method)
	case !sends:
		e.kind = noBody
		return nil
	case e.ContentType == "":
		e.ContentType = "application/json"
	}
	media, _, err := mime.ParseMediaType(e.ContentType)
	if err != nil {
		return fmt.Errorf("%q is no media type", e.ContentType)
	}
	switch {
	case isJSON(media):
		e.kind = jsonBody
	case media == "application/x-www-form-urlencoded":
		e.kind = formBody
	default:
		e.kind = textBody
	}
	return nil
}

func isJSON(media string) bool {
	return media == "application/json" || strings.HasSuffix(media, "+json")
}

func (e *endpoint) checkBody() error {
	if e.Body == "" {
		if e.kind == formBody || e.kind == textBody {
			return fmt.Errorf("%s needs a template", e.ContentType)
		}
		return nil
	}
	if e.Method == http.MethodGet || e.Method == http.MethodHead {
		return fmt.Errorf("a %s request has no body", e.Method)
	}
	start := map[bodyKind]position{jsonBody: inJSON, formBody: inQuery, textBody: inText}[e.kind]
	var err error
	if e.body, err = e.parse(e.Body, start, e.properties); err != nil {
		return err
	}
	return e.try(func(sample map[string]any) error {
		_, err := e.renderBody(sample, nil)
		return err
	})
}

// renderBody makes the body of a call. raw is the arguments as they came.
func (e *endpoint) renderBody(args map[string]any, raw json.RawMessage) (string, error) {
	switch {
	case e.kind == noBody:
		return "", nil
	case e.body == nil:
		return string(raw), nil
	}
	body, err := e.body.render(args)
	if err != nil || e.kind != jsonBody {
		return body, err
	}
	if err := jsonx.Validate([]byte(body), jsonx.Limits{}); err != nil {
		return "", misuse("the template makes no valid JSON: " + err.Error())
	}
	return body, nil
}

// try renders with made-up arguments to find errors in a template itself.
func (e *endpoint) try(render func(sample map[string]any) error) error {
	for _, sample := range e.samples() {
		if e, ok := errors.AsType[*tool.Error](render(sample)); ok && e.Code == CodeMisconfig {
			return e
		}
	}
	return nil
}

// samples returns made-up arguments: once all of them, once only the required ones.
func (e *endpoint) samples() []map[string]any {
	var schema struct {
		Properties map[string]struct {
			Type any   `json:"type"`
			Enum []any `json:"enum"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	if len(e.InputSchema) > 0 && json.Unmarshal(e.InputSchema, &schema) != nil {
		return nil // such as a property that is just true
	}
	all, required := e.arguments(nil), e.arguments(nil)
	for name, p := range schema.Properties {
		if len(p.Enum) > 0 {
			all[name] = p.Enum[0]
		} else {
			all[name] = sample(p.Type)
		}
		if slices.Contains(schema.Required, name) {
			required[name] = all[name]
		}
	}
	return []map[string]any{e.data(all, &tool.Call{}), e.data(required, &tool.Call{})}
}

func sample(kind any) any {
	if several, ok := kind.([]any); ok && len(several) > 0 {
		kind = several[0]
	}
	switch kind {
	case "integer", "number":
		return int64(1)
	case "boolean":
		return true
	case "array":
		return []any{"x"}
	case "object":
		return map[string]any{}
	}
	return "x"
}

// arguments adds to the arguments of a call those that were left out, as nil, so that templates can
// test for them.
func (e *endpoint) arguments(given map[string]any) map[string]any {
	args := map[string]any{}
	for _, name := range e.properties {
		args[name] = nil
	}
	maps.Copy(args, given)
	return args
}
