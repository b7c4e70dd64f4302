package bedrock

import (
	"encoding/json"
	"maps"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/document"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/catalog"
	"github.com/pageside/pageside/llm/httpmodel"
)

// budgets are the tokens a model may think for where it takes a budget; it takes no less than
// leastBudget.
var budgets = map[string]int{"low": 2048, "medium": 8192, "high": 16_384}

const leastBudget = 1024

// plan reports whether the model is asked to think. One that must call a tool can't, and one with a
// budget can't begin to in the middle of a run: a run that went on with tools must have begun
// with thoughts of its own.
func (m *Model) plan(req *llm.Request, textual bool) bool {
	switch {
	case req.Effort == "" || req.Effort == "none" || m.family.Thinking == "" || !m.info.Reasoning:
		return false
	case m.family.Thinking != catalog.Budget:
		return m.family.Thinking == catalog.Nova || m.family.Thinking == catalog.Effort ||
			req.Choice != llm.ChoiceRequired
	}
	return req.Choice != llm.ChoiceRequired && m.budget(req) >= leastBudget &&
		(textual || httpmodel.BeganWithThought(req.Messages, m.begins))
}

func (m *Model) budget(req *llm.Request) int {
	budget := budgets[llm.Level(req.Effort)]
	if req.MaxTokens > 0 {
		budget = min(budget, req.MaxTokens*3/4)
	}
	return budget
}

// begins reports whether anything of an answer goes back, and whether that begins with a thought.
func (m *Model) begins(answer []llm.Content) (thought, sent bool) {
	blocks := (&builder{model: m}).assistant(answer)
	if len(blocks) == 0 {
		return false, false
	}
	_, thought = blocks[0].(*types.ContentBlockMemberReasoningContent)
	return thought, true
}

// fields are what a model of this maker takes beside what all take.
func (m *Model) fields(req *llm.Request, think bool) (document.Interface, error) {
	fields := map[string]json.RawMessage{}
	if think {
		effort := json.RawMessage(strconv.Quote(llm.Level(req.Effort)))
		switch m.family.Thinking {
		case catalog.Budget:
			fields["thinking"] = json.RawMessage(`{"type":"enabled","budget_tokens":` +
				strconv.Itoa(m.budget(req)) + `}`)
		case catalog.Adaptive:
			fields["thinking"] = json.RawMessage(`{"type":"adaptive"}`)
			fields["output_config"] = json.RawMessage(`{"effort":` + string(effort) + `}`)
		case catalog.AdaptiveOnly:
			fields["thinking"] = json.RawMessage(`{"type":"adaptive","display":"summarized"}`)
			fields["output_config"] = json.RawMessage(`{"effort":` + string(effort) + `}`)
		case catalog.Nova:
			fields["reasoningConfig"] = json.RawMessage(`{"type":"enabled","maxReasoningEffort":` +
				string(effort) + `}`)
		case catalog.Effort:
			fields["reasoning_effort"] = effort
		}
	}
	maps.Copy(fields, req.Extra)
	if len(fields) == 0 {
		return nil, nil
	}
	data, err := json.Marshal(fields)
	return raw(data), err
}
