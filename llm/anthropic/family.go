package anthropic

import "strings"

// family describes models with a common name prefix.
type family struct {
	prefix   string
	window   int // tokens
	output   int // the most tokens of one answer
	thinking thinking
	strict   bool // takes tools with strict schemas
}

// thinking is how a model is asked to think.
type thinking uint8

const (
	thinksNever  thinking = iota
	thinksBudget          // with a budget of tokens
	thinksFreely          // as it sees fit, with an effort; takes a temperature
	// the same, but refuses a budget and a temperature, and shows its thoughts only when asked
	thinksOnlyFree
)

// families are the models known, longer prefixes first. Source: Anthropic's models overview, and
// its pages on adaptive and extended thinking and on strict tool use.
var families = []family{
	{"claude-3-7", 200_000, 64_000, thinksBudget, false},
	{"claude-3-5", 200_000, 8_192, thinksNever, false},
	{"claude-3-", 200_000, 4_096, thinksNever, false},
	{"claude-opus-4-1", 200_000, 32_000, thinksBudget, true},
	{"claude-opus-4-5", 200_000, 64_000, thinksBudget, true},
	{"claude-sonnet-4-5", 200_000, 64_000, thinksBudget, true},
	{"claude-haiku-4-5", 200_000, 64_000, thinksBudget, true},
	{"claude-opus-4-6", 1_000_000, 128_000, thinksFreely, true},
	{"claude-sonnet-4-6", 1_000_000, 64_000, thinksFreely, true},
	{"claude-opus-4-2", 200_000, 32_000, thinksBudget, false}, // claude-opus-4-20250514
	{"claude-opus-4-0", 200_000, 32_000, thinksBudget, false},
	{"claude-sonnet-4-2", 200_000, 64_000, thinksBudget, false}, // claude-sonnet-4-20250514
	{"claude-sonnet-4-0", 200_000, 64_000, thinksBudget, false},
	{"claude-haiku-", 200_000, 64_000, thinksOnlyFree, true},
	{"claude-", 1_000_000, 128_000, thinksOnlyFree, true}, // Opus 4.7 and what came after
}

// familyOf returns what is known of a model. Of other makers' models nothing is.
func familyOf(model string) family {
	name := strings.ToLower(model)
	if i := strings.Index(name, "claude-"); i > 0 { // with a region or a maker before it
		name = name[i:]
	}
	name = strings.NewReplacer(".", "-", "@", "-").Replace(name)
	for _, f := range families {
		if strings.HasPrefix(name, f.prefix) {
			return f
		}
	}
	return family{output: 16_384}
}
