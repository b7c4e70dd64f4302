package catalog

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/pageside/pageside/internal/lazy"
	"github.com/pageside/pageside/internal/nearest"
	"github.com/pageside/pageside/llm"
)

// API is the protocol by which a provider is asked.
type API string

// APIs.
const (
	OpenAI    API = "openai" // Chat Completions and Responses
	Anthropic API = "anthropic"
	Gemini    API = "gemini"
	Bedrock   API = "bedrock"
	// Gemini or Anthropic, at Google's addresses and with its credentials
	Vertex API = "vertex"
)

// Thinking is how a model is asked to think. The zero value is not at all.
type Thinking string

// Ways of thinking.
const (
	Effort   Thinking = "effort"   // by a word, such as low
	Budget   Thinking = "budget"   // within a number of tokens
	Level    Thinking = "level"    // by a word; refuses calls whose signature is missing
	Adaptive Thinking = "adaptive" // as the model sees fit, with an effort; takes a temperature
	// as Adaptive, but refuses a temperature, and shows its thoughts only when asked
	AdaptiveOnly Thinking = "adaptive-only"
	Nova         Thinking = "nova" // as Amazon's models are asked
)

// Provider is who serves models.
type Provider struct {
	Name  string `json:"name"`  // the first half of a model's name
	Title string `json:"title"` // for people
	API   API    `json:"api"`

	Key          string `json:"key"`          // the environment variable of the key
	Address      string `json:"address"`      // the environment variable of another address
	BaseURL      string `json:"baseUrl"`      // the usual address
	NeedsAddress bool   `json:"needsAddress"` // it has no usual one
	Path         string `json:"path"`         // ends every address

	// of the Chat Completions request, where it is not max_tokens
	MaxTokens string `json:"maxTokens"`
	KeyHeader string `json:"keyHeader"` // where it is not Authorization
	// calls tools that are declared and must not be called, or writes calls as text. They are then
	// not declared, which loses no prompt cache that anybody pays for
	IgnoresNone bool `json:"ignoresNone"`
	// runs on one's own machines: needs no key, and takes minutes to load a model
	Local bool `json:"local"`

	Example string `json:"example"` // the name of a model
}

// Model is what is known of the models whose names begin alike.
type Model struct {
	API    API    `json:"api"`
	Prefix string `json:"prefix"`

	Window   int      `json:"window"` // of context, in tokens
	Output   int      `json:"output"` // the most of one answer, in tokens; 0 means unknown
	Images   bool     `json:"images"`
	Thinking Thinking `json:"thinking"`
	Levels   []string `json:"levels"`  // of Level, if not low, medium and high
	Single   bool     `json:"single"`  // one tool call a step
	Phases   bool     `json:"phases"`  // tells preambles from answers, and wants to be told again
	NoTools  bool     `json:"noTools"` // takes no tools while it streams
	Cache    bool     `json:"cache"`   // takes cache points
	Strict   bool     `json:"strict"`  // takes tools with strict schemas

	// in US dollars, at the usual address of the provider At
	Prices llm.Prices `json:"prices"`
	At     string     `json:"at"` // the API's own provider where it is empty
}

// MayThink reports whether a model may think before it says anything: one that is not known may.
func (m Model) MayThink() bool { return m.Prefix == "" || m.Thinking != "" }

//go:embed catalog.json
var source []byte

type data struct {
	Providers []Provider `json:"providers"`
	Models    []Model    `json:"models"`
}

var read = sync.OnceValue(func() (d data) {
	dec := json.NewDecoder(bytes.NewReader(source))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&d); err != nil {
		panic(fmt.Sprintf("catalog.json: %v", err))
	}
	return d
})

// Providers lists the providers.
func Providers() []Provider { return slices.Clone(read().Providers) }

// ProviderOf returns the provider of a name.
func ProviderOf(name string) (Provider, bool) {
	i := slices.IndexFunc(read().Providers, func(p Provider) bool { return p.Name == name })
	if i < 0 {
		return Provider{}, false
	}
	return read().Providers[i], true
}

// PricesAt returns what the model costs at a provider's address, zero where that is not known.
func (m Model) PricesAt(baseURL string) llm.Prices {
	if p, ok := ProviderOf(cmp.Or(m.At, string(m.API))); ok && baseURL == p.BaseURL && baseURL != "" {
		return m.Prices
	}
	return llm.Prices{}
}

// Models lists the models known behind an API.
func Models(api API) (list []Model) {
	for _, m := range read().Models {
		if m.API == api {
			list = append(list, m)
		}
	}
	return list
}

// Find returns what is known of a model: the entry with the longest prefix of its name. Prices are
// those of the very model, dated versions of it included: others that begin alike cost something
// else.
func Find(api API, name string) (best Model, found bool) {
	name = strings.ToLower(name)
	rest := ""
	for _, m := range read().Models {
		after, begins := strings.CutPrefix(name, m.Prefix)
		if m.API == api && begins && len(m.Prefix) > len(best.Prefix) && separate(m.Prefix, after) {
			best, rest, found = m, after, true
		}
	}
	if !version().MatchString(rest) {
		best.Prices = llm.Prices{}
	}
	return best, found
}

// Meant returns the known model whose name is almost that of an unknown one: probably what was
// meant. "" if the name is known, or none comes near.
func Meant(api API, name string) string {
	if _, known := Find(api, name); known {
		return ""
	}
	best, apart := "", 3
	for _, m := range Models(api) {
		if d := nearest.Distance(strings.ToLower(name), m.Prefix); d < apart && d < len(m.Prefix)/2 {
			best, apart = m.Prefix, d
		}
	}
	return best
}

// version matches what follows the name of a model in that of one of its versions.
var version = lazy.Regexp(`^([-@](latest|preview|\d{4}-\d{2}-\d{2}|\d{8}|\d{4}))?$`)

// separate reports whether what follows a prefix of a name begins a new word.
func separate(prefix, after string) bool {
	return after == "" || !alphanumeric(prefix[len(prefix)-1]) || !alphanumeric(after[0])
}

func alphanumeric(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }
