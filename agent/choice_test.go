package agent

import (
	"strings"
	"testing"

	"github.com/pageside/pageside/llm"
)

type infoModel struct {
	llm.Model
	info llm.Info
}

func (m infoModel) Info() llm.Info { return m.info }

func TestChoicesThatCannotBe(t *testing.T) {
	plain := infoModel{info: llm.Info{Provider: "fake", Model: "plain"}}
	thinks := infoModel{info: llm.Info{Provider: "fake", Model: "thinks", Reasoning: true}}
	for want, choices := range map[string]Choices{
		"choices[0].model: is missing":                                     {{ID: "a"}},
		"choices[0].id: is missing":                                        {{Model: plain}},
		`choices[1]: "a" is offered twice`:                                 {{ID: "a", Model: plain}, {ID: "a", Model: thinks}},
		`choices[1].efforts[0]: "huge" is none of low, medium, high`:       {{ID: "a", Model: plain}, {ID: "b", Model: thinks, Efforts: []string{"huge"}}},
		`choices[1].efforts[1]: "low" is offered twice`:                    {{ID: "a", Model: plain}, {ID: "b", Model: thinks, Efforts: []string{"low", "low"}}},
		"choices[0].efforts: fake/plain is not known to take an effort":    {{ID: "a", Model: plain, Efforts: []string{"low"}}},
		"choices[0].model: must be the agent's model, which is fake/plain": {{ID: "b", Model: thinks}, {ID: "a", Model: plain}},
	} {
		a := &Agent{ID: "default", Model: plain, Choices: choices}
		if err := a.Validate(); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	a := &Agent{ID: "default", Model: plain, Choices: Choices{{ID: "a", Model: plain}, {ID: "b", Model: thinks, Efforts: []string{"low"}}}}
	if err := a.Validate(); err != nil {
		t.Error(err)
	}
}
