package bedrock

import (
	"encoding/json"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/document"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/catalog"
	"github.com/pageside/pageside/llm/httpmodel"
)

// input returns the request. Extra goes into the model's own fields and counts more than what is
// put there for Effort. Bedrock has no word for Sequential and CacheKey.
func (m *Model) input(req *llm.Request) (*bedrockruntime.ConverseStreamInput, error) {
	b := &builder{model: m, textual: !m.mayCall(req)}
	think := m.plan(req, b.textual)
	in := &bedrockruntime.ConverseStreamInput{ModelId: &m.cfg.Model, System: m.system(req.System)}
	if !b.textual {
		in.ToolConfig = m.tools(req)
	}
	for _, msg := range req.Messages {
		b.message(msg)
	}
	in.Messages = b.finish()
	in.InferenceConfig = m.inference(req, think)
	fields, err := m.fields(req, think)
	if err != nil {
		return nil, err
	}
	in.AdditionalModelRequestFields = fields
	return in, nil
}

// mayCall reports whether the model may call tools. Where it may not, there is no way to say so but
// to declare none, and then earlier calls can only be told in words.
func (m *Model) mayCall(req *llm.Request) bool {
	return m.info.Tools && len(req.Tools) > 0 && req.Choice != llm.ChoiceNone
}

// systemPoints is how many of the four cache points of a request the system prompt may use.
const systemPoints = 2

func (m *Model) system(blocks []llm.Block) (out []types.SystemContentBlock) {
	points := 0
	blocks = httpmodel.SystemBlocks(blocks)
	for i, b := range blocks {
		out = append(out, &types.SystemContentBlockMemberText{Value: b.Text})
		if b.Cache && m.family.Cache && (points < systemPoints-1 || i == len(blocks)-1) {
			points++
			out = append(out,
				&types.SystemContentBlockMemberCachePoint{
					Value: types.CachePointBlock{Type: types.CachePointTypeDefault},
				})
		}
	}
	return out
}

func (m *Model) tools(req *llm.Request) *types.ToolConfiguration {
	c := &types.ToolConfiguration{}
	for _, t := range req.Tools {
		spec := types.ToolSpecification{
			Name:        aws.String(t.Name),
			InputSchema: &types.ToolInputSchemaMemberJson{Value: raw(schema(t.Parameters))},
		}
		if strings.TrimSpace(t.Description) != "" {
			spec.Description = aws.String(t.Description)
		}
		if t.Strict && m.info.StrictTools {
			spec.Strict = aws.Bool(true)
		}
		c.Tools = append(c.Tools, &types.ToolMemberToolSpec{Value: spec})
	}
	if req.Choice == llm.ChoiceRequired {
		c.ToolChoice = &types.ToolChoiceMemberAny{}
	}
	return c
}

func schema(parameters json.RawMessage) []byte {
	if len(parameters) == 0 {
		return []byte(httpmodel.NoParameters)
	}
	return parameters
}

// inference leaves out what a model that thinks does not take.
func (m *Model) inference(req *llm.Request, think bool) *types.InferenceConfiguration {
	c := &types.InferenceConfiguration{}
	if req.MaxTokens > 0 {
		c.MaxTokens = aws.Int32(int32(min(req.MaxTokens, 1<<30)))
	}
	if req.Temperature != nil && !think && m.family.Thinking != catalog.AdaptiveOnly {
		c.Temperature = aws.Float32(float32(*req.Temperature))
	}
	if think && m.family.Thinking == catalog.Nova && req.Effort == "high" {
		return nil
	}
	if c.MaxTokens == nil && c.Temperature == nil {
		return nil
	}
	return c
}

// rawDocument is a document that is JSON already. The SDK would write the same value in its own
// way: what a provider caches goes by bytes.
type rawDocument struct {
	document.Interface
	json []byte
}

func (d *rawDocument) MarshalSmithyDocument() ([]byte, error) { return d.json, nil }

func raw(data []byte) document.Interface {
	return &rawDocument{document.NewLazyDocument(nil), data}
}
