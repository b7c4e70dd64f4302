package gemini

import "strings"

// family is what is known of the models whose names begin alike.
type family struct {
	prefix   string
	window   int // tokens
	thinking thinking
	levels   map[string]string // what an effort is called where the model thinks by levels
}

// thinking is how a model is asked to think.
type thinking uint8

const (
	thinksNever  thinking = iota
	thinksBudget          // with a budget of tokens
	thinksLevel           // with a level; these models refuse calls whose signature is missing
)

const million = 1 << 20

var (
	allLevels = map[string]string{"low": "low", "medium": "medium", "high": "high"}
	twoLevels = map[string]string{"low": "low", "medium": "high", "high": "high"}
	// within what every model takes
	allBudgets = map[string]int{"low": 1024, "medium": 8192, "high": 24_576}
)

// families are the models known, longer prefixes first. Source: the Gemini API's pages on models
// and on thinking.
var families = []family{
	{"gemini-1.5-pro", 2 * million, thinksNever, nil},
	{"gemini-1.5", million, thinksNever, nil},
	{"gemini-2.0", million, thinksNever, nil},
	{"gemini-2.5-flash-image", 32_768, thinksNever, nil},
	{"gemini-2.5", million, thinksBudget, nil},
	{"gemini-3-pro", million, thinksLevel, twoLevels},
	{"gemini-", million, thinksLevel, allLevels}, // Gemini 3 and what came after
}

// familyOf returns what is known of a model. Of other makers' models nothing is.
func familyOf(model string) family {
	name := strings.TrimPrefix(strings.ToLower(model), "models/")
	for _, f := range families {
		if strings.HasPrefix(name, f.prefix) {
			return f
		}
	}
	return family{}
}
