package script

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/pageside/pageside/llm"
)

// file is a parsed rules file.
type file struct {
	name      string
	pace      time.Duration
	limitText *text
	words     vocabulary // of all rules that have some
	rules     []*rule
}

type rule struct {
	match     *regexp.Regexp
	words     vocabulary
	when      *text
	fallback  bool
	steps     []*step
	limitText *text
}

type step struct {
	reasoning, text *text
	calls           []*call
	delay           *time.Duration
	chunk           int
	failure         *failure
	finish          llm.Finish
	usage           *llm.Usage
	repeat          bool
}

type call struct {
	tool    string
	each    *text // a list in JSON: the call is made for each item
	when    *text
	args    value
	rawArgs *text
}

// failure is an error a step ends with.
type failure struct {
	kind       llm.ErrorKind
	code       string // of an llm.PublicError, in place of kind
	message    string
	status     int
	retryAfter time.Duration
	afterText  bool
}

const (
	defaultLimitText = "I stopped here: the limit of steps for one answer is reached."
	defaultFallback  = "This model plays a script, and the script has no rule for that question."
)

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
	f := p.document(doc.Content[0])
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

func (p *parser) document(n *yaml.Node) *file {
	f := &file{limitText: &text{plain: defaultLimitText}}
	p.fields(n, "", setters{
		"name":      into(p, &f.name),
		"pace":      p.duration(&f.pace),
		"limitText": p.text(&f.limitText),
		"words":     p.words(&f.words),
		"report":    func(*yaml.Node, string) {}, // for people
		"rules": func(n *yaml.Node, path string) {
			p.items(n, path, func(n *yaml.Node, path string) { f.rules = append(f.rules, p.rule(n, path)) })
		},
	})
	if len(p.errs) == 0 && len(f.rules) == 0 {
		p.failf(n, "rules", "at least one rule is needed")
	}
	for i, r := range f.rules {
		if r.fallback && i < len(f.rules)-1 {
			p.failf(n, fmt.Sprintf("rules[%d]", i), "the fallback must be the last rule")
		}
	}
	if len(f.rules) > 0 && !f.rules[len(f.rules)-1].fallback {
		f.rules = append(f.rules, &rule{fallback: true, steps: []*step{{text: &text{plain: defaultFallback}}}})
	}
	return f
}

func (p *parser) rule(n *yaml.Node, path string) *rule {
	r := &rule{}
	p.fields(n, path, setters{
		"match":     p.regexp(&r.match),
		"when":      p.text(&r.when),
		"fallback":  into(p, &r.fallback),
		"limitText": p.text(&r.limitText),
		"words":     p.words(&r.words),
		"steps": func(n *yaml.Node, path string) {
			p.items(n, path, func(n *yaml.Node, path string) { r.steps = append(r.steps, p.step(n, path)) })
		},
	})
	switch {
	case r.fallback && (r.match != nil || r.when != nil):
		p.failf(n, path, "a fallback has neither match nor when")
	case !r.fallback && r.match == nil && r.when == nil:
		p.failf(n, path, "needs match, when or fallback: true")
	case r.words != nil && r.match == nil:
		p.failf(n, path, "words needs match: what its groups take is known as well")
	case len(r.steps) == 0:
		p.failf(n, path+".steps", "at least one step is needed")
	}
	for i, s := range r.steps {
		if s.repeat && i < len(r.steps)-1 {
			p.failf(n, fmt.Sprintf("%s.steps[%d].repeat", path, i), "only the last step may repeat")
		}
	}
	return r
}

func (p *parser) step(n *yaml.Node, path string) *step {
	s := &step{}
	p.fields(n, path, setters{
		"reasoning": p.text(&s.reasoning),
		"text":      p.text(&s.text),
		"calls": func(n *yaml.Node, path string) {
			p.items(n, path, func(n *yaml.Node, path string) { s.calls = append(s.calls, p.call(n, path)) })
		},
		"delay": func(n *yaml.Node, path string) {
			s.delay = new(time.Duration)
			p.duration(s.delay)(n, path)
		},
		"chunk": func(n *yaml.Node, path string) {
			if scalar(p, n, path, &s.chunk) && s.chunk < 1 {
				p.failf(n, path, "must be at least 1")
			}
		},
		"error":  func(n *yaml.Node, path string) { s.failure = p.failure(n, path) },
		"finish": func(n *yaml.Node, path string) { s.finish = oneOf(p, n, path, finishes) },
		"usage":  func(n *yaml.Node, path string) { s.usage = p.usage(n, path) },
		"repeat": into(p, &s.repeat),
	})
	return s
}

func (p *parser) call(n *yaml.Node, path string) *call {
	c := &call{}
	p.fields(n, path, setters{
		"tool":    into(p, &c.tool),
		"each":    p.text(&c.each),
		"when":    p.text(&c.when),
		"args":    func(n *yaml.Node, path string) { c.args = p.value(n, path, 0) },
		"rawArgs": p.text(&c.rawArgs),
	})
	if c.args != nil && c.rawArgs != nil {
		p.failf(n, path, "has both args and rawArgs")
	}
	return c
}

func (p *parser) failure(n *yaml.Node, path string) *failure {
	f := &failure{message: "the script fails here"}
	p.fields(n, path, setters{
		"kind":       func(n *yaml.Node, path string) { f.kind = oneOf(p, n, path, kinds) },
		"code":       into(p, &f.code),
		"message":    into(p, &f.message),
		"status":     into(p, &f.status),
		"retryAfter": p.duration(&f.retryAfter),
		"afterText":  into(p, &f.afterText),
	})
	switch {
	case f.code == "":
		f.kind = cmp.Or(f.kind, llm.KindOverloaded)
	case f.kind != "" || f.status != 0 || f.retryAfter != 0:
		p.failf(n, path, "code stands in place of kind, status and retryAfter")
	default:
		if err := (&llm.PublicError{Code: f.code, Message: f.message}).Validate(); err != nil {
			p.failf(n, path, "%v", err)
		}
	}
	return f
}

func (p *parser) usage(n *yaml.Node, path string) *llm.Usage {
	u := &llm.Usage{}
	count := func(to **int64) func(*yaml.Node, string) {
		return func(n *yaml.Node, path string) {
			*to = new(int64)
			scalar(p, n, path, *to)
		}
	}
	p.fields(n, path, setters{
		"input":      count(&u.Input),
		"output":     count(&u.Output),
		"reasoning":  count(&u.Reasoning),
		"cacheRead":  count(&u.CacheRead),
		"cacheWrite": count(&u.CacheWrite),
	})
	return u
}

var (
	finishes = []llm.Finish{llm.FinishStop, llm.FinishTools, llm.FinishLength, llm.FinishFilter, llm.FinishOther}
	kinds    = []llm.ErrorKind{
		llm.KindAuth, llm.KindRateLimited, llm.KindOverloaded, llm.KindContextFull, llm.KindBadRequest,
		llm.KindStalled, llm.KindOutputLimit, llm.KindProtocol, llm.KindNetwork, llm.KindCancelled,
	}
)

// oneOf reads a word from a fixed list.
func oneOf[T ~string](p *parser, n *yaml.Node, path string, allowed []T) T {
	var word string
	if scalar(p, n, path, &word) && !slices.Contains(allowed, T(word)) {
		p.failf(n, path, "%q is none of %v", word, allowed)
	}
	return T(word)
}
