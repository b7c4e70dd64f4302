package bedrock

import (
	"strings"

	"github.com/pageside/pageside/llm"
)

// family is what is known of the models whose names begin alike.
type family struct {
	prefix string
	window int // tokens
	images bool
	mute   bool // takes no tools while it streams
	cache  bool // takes cache points
	think  thinking
	strict bool
}

// thinking is how a model is asked to think.
type thinking uint8

const (
	thinksNever    thinking = iota // or as it likes
	thinksBudget                   // Claude up to 4.5: with a budget of tokens
	thinksFreely                   // Claude from 4.6: with an effort
	thinksOnlyFree                 // Claude from 4.7: takes no budget and no temperature
	thinksNova                     // Amazon Nova 2
	thinksEffort                   // OpenAI's open models
)

// families are the known ones, by the maker and name in the model's id, longer prefixes first.
// Source: Bedrock's pages on supported models, prompt caching and the Converse API, and Anthropic's
// on thinking.
var families = []family{
	{prefix: "anthropic.claude-3-7", window: 200_000, images: true, cache: true, think: thinksBudget},
	{prefix: "anthropic.claude-3-5-haiku", window: 200_000, cache: true},
	{prefix: "anthropic.claude-3-5-sonnet-20241022", window: 200_000, images: true, cache: true},
	{prefix: "anthropic.claude-3", window: 200_000, images: true},
	{prefix: "anthropic.claude-opus-4-5", window: 200_000, images: true, cache: true, think: thinksBudget, strict: true},
	{prefix: "anthropic.claude-sonnet-4-5", window: 200_000, images: true, cache: true, think: thinksBudget, strict: true},
	{prefix: "anthropic.claude-haiku-4-5", window: 200_000, images: true, cache: true, think: thinksBudget, strict: true},
	{prefix: "anthropic.claude-opus-4-6", window: 1_000_000, images: true, cache: true, think: thinksFreely, strict: true},
	{prefix: "anthropic.claude-sonnet-4-6", window: 1_000_000, images: true, cache: true, think: thinksFreely, strict: true},
	{prefix: "anthropic.claude-opus-4-1", window: 200_000, images: true, cache: true, think: thinksBudget},
	// -20250514
	{prefix: "anthropic.claude-opus-4-2", window: 200_000, images: true, cache: true, think: thinksBudget},
	{prefix: "anthropic.claude-sonnet-4-2", window: 200_000, images: true, cache: true, think: thinksBudget},
	{prefix: "anthropic.claude-haiku-", window: 200_000, images: true, cache: true, think: thinksOnlyFree, strict: true},
	{prefix: "anthropic.claude-", window: 1_000_000, images: true, cache: true, think: thinksOnlyFree, strict: true},
	{prefix: "amazon.nova-micro", window: 128_000, cache: true},
	{prefix: "amazon.nova-premier", window: 1_000_000, images: true, cache: true},
	{prefix: "amazon.nova-2", window: 1_000_000, images: true, cache: true, think: thinksNova},
	{prefix: "amazon.nova", window: 300_000, images: true, cache: true},
	{prefix: "amazon.titan", window: 8_192, mute: true},
	{prefix: "meta.llama3", window: 128_000, mute: true},
	{prefix: "meta.llama4", window: 1_000_000, images: true},
	{prefix: "mistral.pixtral", window: 128_000, images: true},
	{prefix: "mistral.", window: 128_000},
	{prefix: "cohere.command-r", window: 128_000},
	{prefix: "deepseek.r1", window: 128_000, mute: true},
	{prefix: "deepseek.", window: 128_000},
	{prefix: "openai.gpt-oss", window: 131_072, think: thinksEffort},
	{prefix: "qwen.", window: 128_000},
	{prefix: "ai21.jamba", window: 256_000},
}

// familyOf finds a model by its id: behind a region (us., eu., global.), or as the last part of an
// ARN.
func familyOf(id string) family {
	name := strings.ToLower(id[strings.LastIndexByte(id, '/')+1:])
	for _, f := range families {
		if i := strings.Index(name, f.prefix); i == 0 || i > 0 && name[i-1] == '.' {
			return f
		}
	}
	return family{}
}

func (f family) info(id string) llm.Info {
	return llm.Info{
		Provider: "bedrock", Model: id, ContextWindow: f.window,
		Tools: !f.mute, ParallelTools: !f.mute, Images: f.images, PDF: f.reads(), Reasoning: f.think != thinksNever, StrictTools: f.strict,
	}
}

// maker is who made the model: its thoughts go back to no other maker's.
func (f family) maker() string {
	maker, _, _ := strings.Cut(f.prefix, ".")
	return maker
}
