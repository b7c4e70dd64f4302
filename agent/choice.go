package agent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
)

// Choice is a model that users may choose for their runs.
type Choice struct {
	ID    string // names it in requests
	Label string // for people; "" is the model's name
	Model llm.Model
	// reasoning efforts that users may ask of it: low, medium or high; none means that the provider
	// decides
	Efforts []string
}

// Pick is what a user has chosen. The zero value leaves both to the agent.
type Pick struct {
	Model  string // the ID of a Choice; "" is the first
	Effort string // one of its Efforts; "" is the provider's default
}

// Choices are the models of an agent that users may choose from. The first is the agent's own.
type Choices []Choice

// efforts are what a Choice may offer. Every provider that takes an effort takes these.
var efforts = []string{"low", "medium", "high"}

func (c Choices) check() error {
	for i, choice := range c {
		at := fmt.Sprintf("choices[%d]", i)
		switch {
		case choice.Model == nil:
			return fmt.Errorf("%s.model: is missing", at)
		case choice.ID == "":
			return fmt.Errorf("%s.id: is missing", at)
		case slices.ContainsFunc(c[:i], func(other Choice) bool { return other.ID == choice.ID }):
			return fmt.Errorf("%s: %q is offered twice", at, choice.ID)
		}
		for k, effort := range choice.Efforts {
			switch {
			case !slices.Contains(efforts, effort):
				return fmt.Errorf("%s.efforts[%d]: %q is none of %s", at, k, effort, strings.Join(efforts, ", "))
			case slices.Contains(choice.Efforts[:k], effort):
				return fmt.Errorf("%s.efforts[%d]: %q is offered twice", at, k, effort)
			}
		}
		if info := choice.Model.Info(); len(choice.Efforts) > 0 && !info.Reasoning {
			return fmt.Errorf("%s.efforts: %s is not known to take an effort", at, info.Name())
		}
	}
	return nil
}

// Check returns an *agui.FieldError that lists what is offered, if that does not include the pick.
// Its path is model or effort.
func (c Choices) Check(p Pick) error {
	choice, ok := c.find(p.Model)
	field, offered := "model", c.ids()
	if ok {
		if p.Effort == "" || slices.Contains(choice.Efforts, p.Effort) {
			return nil
		}
		field, offered = "effort", choice.Efforts
	}
	if len(offered) == 0 {
		return &agui.FieldError{Path: field, Reason: "there is no choice"}
	}
	return &agui.FieldError{Path: field, Reason: "must be one of " + strings.Join(offered, ", ")}
}

// find returns the choice with an id; for "" the first, or the zero value if there is none.
func (c Choices) find(id string) (Choice, bool) {
	if id == "" {
		if len(c) == 0 {
			return Choice{}, true
		}
		return c[0], true
	}
	i := slices.IndexFunc(c, func(choice Choice) bool { return choice.ID == id })
	if i < 0 {
		return Choice{}, false
	}
	return c[i], true
}

func (c Choices) ids() []string {
	ids := make([]string, len(c))
	for i, choice := range c {
		ids[i] = choice.ID
	}
	return ids
}
