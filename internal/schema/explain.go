package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// maxProblems limits the problems listed in an error. A model corrects a few at a time.
const maxProblems = 5

// explain puts a validator's error into words: "$.filters[0].op: must be one of "is", "is not";
// $.to: missing".
func explain(err error) string {
	invalid, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return err.Error()
	}
	problems := collect(nil, invalid)
	if more := len(problems) - maxProblems; more > 0 {
		problems = append(problems[:maxProblems], fmt.Sprintf("and %d more problems", more))
	}
	return strings.Join(problems, "; ")
}

// collect appends the problems at the leaves of e. Alternatives count as one problem.
func collect(dst []string, e *jsonschema.ValidationError) []string {
	switch k := e.ErrorKind.(type) {
	case *kind.AnyOf:
		return append(dst, alternatives(e))
	case *kind.OneOf:
		if k.Subschemas == nil {
			return append(dst, alternatives(e))
		}
	}
	if len(e.Causes) == 0 {
		return append(dst, Path(e.InstanceLocation)+": "+describe(e.ErrorKind))
	}
	for _, cause := range e.Causes {
		dst = collect(dst, cause)
	}
	return dst
}

// alternatives says that none of several schemas matches, and what is wrong with the closest one,
// which fails deepest.
func alternatives(e *jsonschema.ValidationError) string {
	var closest string
	deepest := -1
	for _, cause := range e.Causes {
		if d := depth(cause); d > deepest {
			deepest = d
			closest = collect(nil, cause)[0]
		}
	}
	text := fmt.Sprintf("%s: fits none of %d allowed shapes", Path(e.InstanceLocation), len(e.Causes))
	if closest != "" {
		text += " (closest: " + closest + ")"
	}
	return text
}

func depth(e *jsonschema.ValidationError) int {
	d := len(e.InstanceLocation)
	for _, cause := range e.Causes {
		d = max(d, depth(cause))
	}
	return d
}

func describe(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Type:
		return fmt.Sprintf("expected %s, got %s", strings.Join(k.Want, " or "), k.Got)
	case *kind.Required:
		return "missing required " + quoteAll(k.Missing)
	case *kind.AdditionalProperties:
		return "unknown " + quoteAll(k.Properties)
	case *kind.Enum:
		return "must be one of " + values(k.Want)
	case *kind.Const:
		return "must be " + values([]any{k.Want})
	case *kind.FalseSchema:
		return "is not allowed here"
	case *kind.MinLength:
		return fmt.Sprintf("must have at least %d characters, has %d", k.Want, k.Got)
	case *kind.MaxLength:
		return fmt.Sprintf("must have at most %d characters, has %d", k.Want, k.Got)
	case *kind.MinItems:
		return fmt.Sprintf("must have at least %d items, has %d", k.Want, k.Got)
	case *kind.MaxItems:
		return fmt.Sprintf("must have at most %d items, has %d", k.Want, k.Got)
	case *kind.Minimum:
		return "must be at least " + k.Want.RatString()
	case *kind.Maximum:
		return "must be at most " + k.Want.RatString()
	case *kind.ExclusiveMinimum:
		return "must be more than " + k.Want.RatString()
	case *kind.ExclusiveMaximum:
		return "must be less than " + k.Want.RatString()
	case *kind.Pattern:
		return "must match the pattern " + strconv.Quote(k.Want)
	case *kind.Format:
		return "must be a valid " + k.Want
	}
	return generic(k)
}

// generic uses the validator's own wording, for rare problems.
func generic(k jsonschema.ErrorKind) string {
	leaf := &jsonschema.ValidationError{ErrorKind: k}
	return leaf.BasicOutput().Error.String()
}

// maxValues limits how many values of an enum are listed.
const maxValues = 12

func values(want []any) string {
	var texts []string
	for i, v := range want {
		if i == maxValues {
			texts = append(texts, fmt.Sprintf("… (%d in all)", len(want)))
			break
		}
		b, err := json.Marshal(v)
		if err != nil {
			b = fmt.Append(nil, v)
		}
		texts = append(texts, string(b))
	}
	return strings.Join(texts, ", ")
}

func quoteAll(names []string) string {
	quoted := make([]string, 0, len(names))
	for _, name := range names[:min(len(names), maxValues)] {
		quoted = append(quoted, strconv.Quote(name))
	}
	return strings.Join(quoted, ", ")
}

// Path returns the path of a problem in the arguments, such as $.filters[0].op.
func Path(location []string) string {
	var b strings.Builder
	b.WriteByte('$')
	for _, token := range location {
		if _, err := strconv.Atoi(token); err == nil {
			b.WriteString("[" + token + "]")
			continue
		}
		b.WriteString("." + token)
	}
	return b.String()
}
