package script

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pageside/pageside/internal/lazy"
	"github.com/pageside/pageside/llm"
)

// Model plays a rules file. It is stateless: its answer depends only on the request. Safe for
// concurrent use.
type Model struct {
	file  *file
	known []Item
}

var _ llm.Model = (*Model)(nil)

// Load reads a rules file. The error lists the file, line and field of every problem.
func Load(path string) (*Model, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, data)
}

// Parse is Load for rules in memory. name replaces the file in errors; its base without the
// extension is the model's name if the rules give none.
func Parse(name string, data []byte) (*Model, error) {
	f, err := parse(name, data)
	if err != nil {
		return nil, err
	}
	if f.Name == "" {
		f.Name = strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
	}
	return &Model{file: f}, nil
}

// WithPace returns the model with another wait between words; 0 means none. Steps with their own
// delay keep it.
func (m *Model) WithPace(pace time.Duration) *Model {
	f := *m.file
	f.Pace = duration(pace)
	return &Model{&f, m.known}
}

// WithContext returns the model with items that its templates see before those of the page, such as
// what a program makes of a question.
func (m *Model) WithContext(items ...Item) *Model { return &Model{m.file, items} }

// Info returns what the model is: provider "script", and Scripted set.
func (m *Model) Info() llm.Info {
	return llm.Info{
		Provider: "script", Model: m.file.Name, Tools: true, ParallelTools: true, Reasoning: true,
		Scripted: true,
	}
}

// Stream plays the step that the request has reached.
func (m *Model) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Part, error] {
	return func(yield func(llm.Part, error) bool) {
		p := &player{ctx: ctx, model: m.Info().Name(), pace: time.Duration(m.file.Pace), yield: yield}
		m.play(p, req)
		if p.err != nil && p.err != errStopped {
			yield(llm.Part{}, p.asError(p.err))
		}
	}
}

// play finds the rule and step and plays it.
func (m *Model) play(p *player, req *llm.Request) {
	d := m.dataOf(req)
	n, err := m.choose(d)
	if err != nil {
		p.fail(err)
		return
	}
	r := m.file.Rules[n]
	s := r.step(d.Step)
	if req.Choice == llm.ChoiceNone && len(s.Calls) > 0 {
		s = &step{Text: r.LimitText}
		if r.LimitText == nil {
			s.Text = m.file.LimitText
		}
	}
	p.callPrefix = "call_r" + strconv.Itoa(n) + "s" + strconv.Itoa(d.Step) + "_"
	p.step(s, d)
}

// dataOf is what the templates see of a request.
func (m *Model) dataOf(req *llm.Request) *data {
	q := ReadRequest(asked(req))
	q.Context = slices.Concat(m.known, q.Context)
	d := &data{Asked: q, User: q.Text}
	for _, c := range q.Calls {
		d.Results = append(d.Results, c.Result)
	}
	for _, t := range req.Tools {
		d.Tools = append(d.Tools, t.Name)
	}
	return d
}

// asked returns the request without what an agent says behind the results once no more tools may be
// called: rules are about the user's words.
func asked(req *llm.Request) *llm.Request {
	n := len(req.Messages)
	if req.Choice != llm.ChoiceNone || n < 2 || req.Messages[n-1].Role != llm.RoleUser ||
		req.Messages[n-2].Role != llm.RoleTool {
		return req
	}
	before := *req
	before.Messages = req.Messages[:n-1]
	return &before
}

// choose returns the index of the rule that answers, and sets d.Match. Later steps of an answer
// stay with the rule of its first call, even if the page has changed and with it the values of
// when.
func (m *Model) choose(d *data) (int, error) {
	if n, ok := m.begun(d); ok {
		return n, nil
	}
	for i, r := range m.file.Rules {
		found, ok := groups(r.Match.Regexp, d.User)
		if !ok || !r.knows(m.file.Words, d.User) {
			continue
		}
		d.Match = found
		if ok, err := r.When.renderTrue(d); err != nil || ok {
			return i, err
		}
	}
	return len(m.file.Rules) - 1, nil // not reached: the last rule is the fallback
}

var callID = lazy.Regexp(`^call_r(\d+)s\d+_`)

// begun returns the rule encoded in the id of the first call since the question.
func (m *Model) begun(d *data) (int, bool) {
	if len(d.Calls) == 0 {
		return 0, false
	}
	id := callID().FindStringSubmatch(d.Calls[0].ID)
	if id == nil {
		return 0, false
	}
	n, err := strconv.Atoi(id[1])
	if err != nil || n >= len(m.file.Rules) {
		return 0, false
	}
	found, ok := groups(m.file.Rules[n].Match.Regexp, d.User)
	if ok {
		d.Match = found
	}
	return n, ok
}

// step returns the step after n model calls. Past the end it is empty, which is a plain stop.
func (r *rule) step(n int) *step {
	switch last := r.Steps[len(r.Steps)-1]; {
	case n < len(r.Steps):
		return r.Steps[n]
	case last.Repeat:
		return last
	}
	return &step{}
}
