package llm

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"maps"
	"slices"
)

// Profile is a model's configuration. A nil field keeps the adapter's value.
type Profile struct {
	ContextWindow *int // tokens
	Tools         *bool
	ParallelTools *bool
	Images        *bool
	Reasoning     *bool
	StrictTools   *bool
	Payloads      *PayloadTransport
	Prices        *Prices
	Wishes        *Wishes
}

// Wishes are what a configuration asks of each answer of a model. A request that asks for something
// else wins. Zero fields leave it to the provider.
type Wishes struct {
	Effort      string // reasoning effort
	Temperature *float64
	MaxTokens   int
	Extra       map[string]json.RawMessage // members of the request's body
}

// WithProfile returns m with its Info changed by the profile. If the profile turns them off, no
// tool is declared strict and no parallel calls are requested. Requests have the profile's wishes.
func WithProfile(m Model, p Profile) Model {
	if p == (Profile{}) {
		return m
	}
	return &profiled{Model: m, profile: p}
}

// Apply returns i with the fields of the profile.
func (p Profile) Apply(i Info) Info {
	override(&i.ContextWindow, p.ContextWindow)
	i.WindowAssumed = i.WindowAssumed && p.ContextWindow == nil
	override(&i.Tools, p.Tools)
	i.Tools = i.Tools && !i.ToolsRefused
	override(&i.ParallelTools, p.ParallelTools)
	override(&i.Images, p.Images)
	override(&i.Reasoning, p.Reasoning)
	override(&i.StrictTools, p.StrictTools)
	override(&i.Payloads, p.Payloads)
	override(&i.Prices, p.Prices)
	return i
}

func override[T any](field, with *T) {
	if with != nil {
		*field = *with
	}
}

// profiled is a model with a profile.
type profiled struct {
	Model
	profile Profile
}

func (m *profiled) Info() Info { return m.profile.Apply(m.Model.Info()) }

// Learn implements Learner.
func (m *profiled) Learn(ctx context.Context) {
	if m.Info().WindowAssumed {
		Learn(ctx, m.Model)
	}
}

func (m *profiled) Stream(ctx context.Context, req *Request) iter.Seq2[Part, error] {
	return m.Model.Stream(ctx, m.request(req))
}

// answerers of a profiled group are the group's, changed by the profile.
func (m *profiled) answerers() []Info {
	infos := slices.Clone(Answerers(m.Model))
	for i := range infos {
		infos[i] = m.profile.Apply(infos[i])
	}
	return infos
}

func (m *profiled) request(req *Request) *Request {
	strict := func(t ToolDecl) bool { return t.Strict }
	relax := denied(m.profile.StrictTools) && slices.ContainsFunc(req.Tools, strict)
	if !relax && !denied(m.profile.ParallelTools) && m.profile.Wishes == nil {
		return req
	}
	changed := *req
	changed.ask(m.profile.Wishes)
	changed.Sequential = changed.Sequential || denied(m.profile.ParallelTools)
	if relax {
		changed.Tools = slices.Clone(req.Tools)
		for i := range changed.Tools {
			changed.Tools[i].Strict = false
		}
	}
	return &changed
}

// Level returns low, medium or high for a reasoning effort, for models that have no more levels.
// Minimal is low, and what is above high is high; none and others are as they are.
func Level(effort string) string {
	switch effort {
	case "minimal":
		return "low"
	case "xhigh", "max":
		return "high"
	}
	return effort
}

// ask adds wishes to what the request asks for already. w may be nil.
func (r *Request) ask(w *Wishes) {
	if w == nil {
		return
	}
	r.Effort, r.Temperature, r.MaxTokens = cmp.Or(r.Effort, w.Effort), cmp.Or(r.Temperature,
		w.Temperature), cmp.Or(r.MaxTokens, w.MaxTokens)
	extra := maps.Clone(w.Extra)
	maps.Copy(extra, r.Extra)
	r.Extra = extra
}

func denied(b *bool) bool { return b != nil && !*b }

// Answerers returns the Info of every model that may answer in m's place: of m alone, or of all of
// a Fallback. A UsagePart's Model is the Name of one of them.
func Answerers(m Model) []Info {
	if group, ok := m.(interface{ answerers() []Info }); ok {
		return group.answerers()
	}
	return []Info{m.Info()}
}
