package agent

import (
	"fmt"

	"github.com/pageside/pageside/llm"
)

// The bounds on what a model may send, in bytes of text, thoughts and arguments together. Nobody
// reads that much: a model that sends it is broken, or somebody else answers in its place.
const (
	maxStepBytes = 4 << 20
	maxRunBytes  = 16 << 20
)

// weigh counts what a part holds against the limits of the step and the run.
func (t *turn) weigh(p *llm.Part) error {
	n := len(p.Delta) + len(p.Opaque) + len(p.Name) + len(p.ID)
	t.size += n
	t.run.size += n
	switch {
	case t.size > maxStepBytes:
		return t.run.modelError(llm.KindOutputLimit, fmt.Sprintf("the model sent more than %d bytes in one step", maxStepBytes))
	case t.run.size > maxRunBytes:
		return t.run.modelError(llm.KindOutputLimit, fmt.Sprintf("the model sent more than %d bytes in one run", maxRunBytes))
	}
	return nil
}
