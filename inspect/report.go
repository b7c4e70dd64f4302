package inspect

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/llm"
)

// report is a file that package llm/script plays: rules that repeat what the model said, and for
// the reader what it was asked.
type report struct {
	Name   string        `yaml:"name"`
	Report circumstances `yaml:"report"`
	Rules  []rule        `yaml:"rules"`
}

// circumstances is for the reader of the file. Nothing of it is played.
type circumstances struct {
	Run         string        `yaml:"run"`
	Thread      string        `yaml:"thread"`
	Agent       string        `yaml:"agent"`
	Model       string        `yaml:"model"`
	Status      string        `yaml:"status"`
	Error       text          `yaml:"error,omitempty"`
	Began       time.Time     `yaml:"began"`
	Took        string        `yaml:"took,omitempty"`
	Page        string        `yaml:"page,omitempty"`
	Tab         string        `yaml:"tab,omitempty"`
	Subtab      string        `yaml:"subtab,omitempty"`
	Scope       yaml.Node     `yaml:"scope,omitempty"`
	Tools       []string      `yaml:"tools"`
	PageContext []contextItem `yaml:"context"`
	Calls       []toolCall    `yaml:"toolCalls"`
}

type contextItem struct {
	Description text `yaml:"description"`
	Value       text `yaml:"value"`
}

type toolCall struct {
	Tool     text   `yaml:"tool"`
	Args     text   `yaml:"args"`
	Decision string `yaml:"decision"`
	Why      text   `yaml:"why,omitempty"`
	Result   text   `yaml:"result,omitempty"`
}

type rule struct {
	Match    text   `yaml:"match,omitempty"`
	Fallback bool   `yaml:"fallback,omitempty"`
	Steps    []step `yaml:"steps"`
}

type step struct {
	Reasoning text     `yaml:"reasoning,omitempty"`
	Text      text     `yaml:"text,omitempty"`
	Calls     []call   `yaml:"calls,omitempty"`
	Finish    string   `yaml:"finish,omitempty"`
	Error     *failure `yaml:"error,omitempty"`
}

type call struct {
	Tool text `yaml:"tool"`
	Args text `yaml:"rawArgs"`
}

type failure struct {
	Kind      string `yaml:"kind"`
	Message   text   `yaml:"message"`
	AfterText bool   `yaml:"afterText,omitempty"`
}

// Report returns a run as a YAML file that package llm/script plays: each question of its thread up
// to this run gets the answers it got, as far as runs are kept. It reports false if the run is not
// kept or is another owner's.
//
// Tool calls are played as the model made them; their results come from the tools of the server
// that plays it. It cannot play the second answer to a question that was asked twice in the same
// words, nor payloads that the model wrote by calling generated tools.
func (r *Recorder) Report(owner, id string) ([]byte, bool, error) {
	records := r.of(Access{Owner: owner}.sees)
	last := slices.IndexFunc(records, func(run record) bool { return run.id == id })
	if last < 0 {
		return nil, false, nil
	}
	run := records[last]
	doc := report{Name: "report", Report: run.circumstances()}
	for _, q := range questions(records[:last+1], run.Input.ThreadID) {
		doc.Rules = append(doc.Rules, rule{Match: text(`^\s*` + regexp.QuoteMeta(q.text) + `\s*$`), Steps: q.steps})
	}
	if len(doc.Rules) == 0 { // nothing was said, but a script needs a rule
		doc.Rules = []rule{{Fallback: true, Steps: []step{{}}}}
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "# What run %s was asked and did. To play it: pageside demo --model script/report.yaml\n", id)
	if err := writeYAML(&out, doc); err != nil {
		return nil, true, fmt.Errorf("write the report of run %s: %w", id, err)
	}
	return out.Bytes(), true, nil
}

func (r *record) circumstances() circumstances {
	in := r.Input
	c := circumstances{Run: r.id, Thread: in.ThreadID, Agent: r.Agent, Model: r.Model.Name(), Status: r.status(), Began: r.At,
		Page: in.Place.Page, Tab: in.Place.Tab, Subtab: in.Place.Subtab, Tools: []string{},
		PageContext: []contextItem{}, Calls: []toolCall{}}
	if r.err != nil {
		c.Error = text(r.err.Error())
	}
	if !r.ended.IsZero() {
		c.Took = r.ended.Sub(r.At).Round(time.Millisecond).String()
	}
	if len(in.Place.Scope) > 0 {
		_ = c.Scope.Encode(in.Place.Scope) // a map of strings
	}
	for _, t := range r.Tools {
		c.Tools = append(c.Tools, t.Name)
	}
	for _, item := range in.Context {
		c.PageContext = append(c.PageContext, contextItem{text(item.Description), text(item.Value)})
	}
	for _, call := range r.calls {
		c.Calls = append(c.Calls, toolCall{
			text(call.Name), text(call.Args), call.Decision, text(call.Why), text(call.result),
		})
	}
	return c
}

// question is something the user said, and the model calls of all runs that answered it.
type question struct {
	id, text string
	steps    []step
}

func questions(records []record, threadID string) (all []*question) {
	for _, run := range records {
		if run.Input.ThreadID != threadID || run.question == "" {
			continue
		}
		i := slices.IndexFunc(all, func(q *question) bool { return q.id == run.asked })
		if i < 0 {
			all = append(all, &question{id: run.asked, text: run.question})
			i = len(all) - 1
		}
		steps := slices.DeleteFunc(slices.Clone(run.steps), func(m modelCall) bool { return m.Purpose != "" })
		for at, m := range steps {
			if again := at+1 < len(steps) && steps[at+1].Attempt > m.Attempt; !again {
				all[i].steps = append(all[i].steps, played(m.ModelTrace))
			}
		}
	}
	return slices.DeleteFunc(all, func(q *question) bool { return len(q.steps) == 0 })
}

func played(m agent.ModelTrace) step {
	s := step{Reasoning: literal(m.Reasoning), Text: literal(m.Text)}
	for _, c := range m.Calls {
		s.Calls = append(s.Calls, call{text(c.Name), literal(c.Args)})
	}
	if m.Finish == llm.FinishLength || m.Finish == llm.FinishFilter {
		s.Finish = string(m.Finish)
	}
	if failed, ok := errors.AsType[*llm.Error](m.Err); ok {
		s.Error = &failure{string(failed.Kind), text(failed.Message), m.Text != ""}
	}
	return s
}

// literal writes a text that a template shows as it is.
func literal(s string) text { return text(strings.ReplaceAll(s, "{{", `{{"{{"}}`)) }
