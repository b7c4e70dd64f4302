package bedrock

import (
	"encoding/base64"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"github.com/pageside/pageside/llm"
)

// An opaque value is "bedrock:", who made the model, ":", what it is, ":", and the provider's
// bytes. It goes back to that maker's models alone.
const (
	sealSignature = "signature" // of the reasoning's text, which goes back beside it
	sealRedacted  = "redacted"  // reasoning that is not shown, in base64
)

func (m *Model) seal(what, raw string) string { return m.tag(what) + raw }

func (m *Model) tag(what string) string { return "bedrock:" + m.family.maker() + ":" + what + ":" }

// thought is a model's own reasoning as it goes back, nil where it is another's.
func (m *Model) thought(r llm.Reasoning) types.ContentBlock {
	if !m.info.Reasoning {
		return nil
	}
	if signature, ok := strings.CutPrefix(r.Opaque, m.tag(sealSignature)); ok && signature != "" {
		text := types.ReasoningTextBlock{Text: &r.Text, Signature: &signature}
		return &types.ContentBlockMemberReasoningContent{
			Value: &types.ReasoningContentBlockMemberReasoningText{Value: text},
		}
	}
	if raw, ok := strings.CutPrefix(r.Opaque, m.tag(sealRedacted)); ok {
		if data, err := base64.StdEncoding.DecodeString(raw); err == nil && len(data) > 0 {
			return &types.ContentBlockMemberReasoningContent{
				Value: &types.ReasoningContentBlockMemberRedactedContent{Value: data},
			}
		}
	}
	return nil
}
