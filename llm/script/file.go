package script

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/pageside/pageside/llm"
)

// file is a parsed rules file. The fields of this and of the following structs are those of the
// YAML.
type file struct {
	Name      string
	Pace      duration
	LimitText *text
	Words     vocabulary // of all rules that have some
	Report    anything   // for people
	Rules     []*rule
}

type rule struct {
	Match     pattern
	Words     vocabulary
	When      *text
	Fallback  bool
	Steps     []*step
	LimitText *text
}

type step struct {
	Reasoning, Text *text
	Calls           []*call
	Delay           *duration
	Chunk           length
	Error           *failure
	Finish          llm.Finish
	Usage           *llm.Usage
	Repeat          bool
}

type call struct {
	Tool    string
	Each    *text // a list in JSON: the call is made for each item
	When    *text
	Args    arguments
	RawArgs *text
}

// failure is an error a step ends with.
type failure struct {
	Kind       llm.ErrorKind
	Code       string // of an llm.PublicError, in place of kind
	Message    string
	Status     int
	RetryAfter duration
	AfterText  bool
}

const (
	defaultLimitText = "I stopped here: the limit of steps for one answer is reached."
	defaultFallback  = "This model plays a script, and the script has no rule for that question."
	defaultFailure   = "the script fails here"
)

// choices are the words that a field of such a type takes.
var choices = map[reflect.Type][]string{
	reflect.TypeFor[llm.Finish](): texts(
		llm.FinishStop, llm.FinishTools, llm.FinishLength, llm.FinishFilter, llm.FinishOther),
	reflect.TypeFor[llm.ErrorKind](): texts(
		llm.KindAuth, llm.KindRateLimited, llm.KindOverloaded, llm.KindContextFull, llm.KindBadRequest,
		llm.KindStalled, llm.KindOutputLimit, llm.KindProtocol, llm.KindNetwork, llm.KindCancelled),
}

func texts[T ~string](words ...T) (list []string) {
	for _, w := range words {
		list = append(list, string(w))
	}
	return list
}

// parse reads a rules file; its error lists all problems, one per line.
func parse(name string, data []byte) (*file, error) {
	p := &parser{file: name}
	var doc yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(&doc); err != nil {
		return nil, fmt.Errorf("%s: %s", name, yamlMessage(err))
	}
	if err := dec.Decode(new(yaml.Node)); err != io.EOF {
		return nil, fmt.Errorf("%s: must hold one YAML document", name)
	}
	f := &file{LimitText: &text{plain: defaultLimitText}}
	p.value(doc.Content[0], "", reflect.ValueOf(f).Elem())
	if len(p.errs) > 0 {
		return nil, errors.Join(p.errs...)
	}
	return f, nil
}

func yamlMessage(err error) string {
	if err == io.EOF {
		return "is empty"
	}
	return strings.TrimPrefix(err.Error(), "yaml: ")
}

// check also adds the fallback of a file that has none.
func (f *file) check(p *parser, n *yaml.Node, _ string) {
	if len(p.errs) == 0 && len(f.Rules) == 0 {
		p.failf(n, "rules", "at least one rule is needed")
	}
	for i, r := range f.Rules {
		if r.Fallback && i < len(f.Rules)-1 {
			p.failf(n, fmt.Sprintf("rules[%d]", i), "the fallback must be the last rule")
		}
	}
	if len(f.Rules) > 0 && !f.Rules[len(f.Rules)-1].Fallback {
		f.Rules = append(f.Rules, &rule{Fallback: true, Steps: []*step{{Text: &text{plain: defaultFallback}}}})
	}
}

func (r *rule) check(p *parser, n *yaml.Node, path string) {
	matches := r.Match.Regexp != nil
	switch {
	case r.Fallback && (matches || r.When != nil):
		p.failf(n, path, "a fallback has neither match nor when")
	case !r.Fallback && !matches && r.When == nil:
		p.failf(n, path, "needs match, when or fallback: true")
	case r.Words != nil && !matches:
		p.failf(n, path, "words needs match: what its groups take is known as well")
	case len(r.Steps) == 0:
		p.failf(n, path+".steps", "at least one step is needed")
	}
	for i, s := range r.Steps {
		if s.Repeat && i < len(r.Steps)-1 {
			p.failf(n, fmt.Sprintf("%s.steps[%d].repeat", path, i), "only the last step may repeat")
		}
	}
}

func (c *call) check(p *parser, n *yaml.Node, path string) {
	if c.Args.argument != nil && c.RawArgs != nil {
		p.failf(n, path, "has both args and rawArgs")
	}
}

func (f *failure) check(p *parser, n *yaml.Node, path string) {
	f.Message = cmp.Or(f.Message, defaultFailure)
	switch {
	case f.Code == "":
		f.Kind = cmp.Or(f.Kind, llm.KindOverloaded)
	case f.Kind != "" || f.Status != 0 || f.RetryAfter != 0:
		p.failf(n, path, "code stands in place of kind, status and retryAfter")
	default:
		if err := (&llm.PublicError{Code: f.Code, Message: f.Message}).Validate(); err != nil {
			p.failf(n, path, "%v", err)
		}
	}
}
