package gemini

import (
	"slices"
	"strings"

	"github.com/pageside/pageside/llm/catalog"
)

// Budgets of thinking within what every model takes, in tokens.
const mostBudget = 24_576

var allBudgets = map[string]int{"low": 1024, "medium": 8192, "high": mostBudget}

// familyOf returns what is known of a model. Of other makers' models nothing is.
func familyOf(model string) catalog.Model {
	f, _ := catalog.Find(catalog.Gemini, strings.TrimPrefix(strings.ToLower(model), "models/"))
	return f
}

// levelOf returns the level at which a model of the family thinks for an effort, "" for none. It is
// the next higher one where the family lacks it.
func levelOf(f catalog.Model, effort string) string {
	efforts := []string{"low", "medium", "high"}
	i := slices.Index(efforts, effort)
	if f.Thinking != catalog.Level || i < 0 {
		return ""
	}
	if len(f.Levels) == 0 {
		return effort
	}
	for _, level := range efforts[i:] {
		if slices.Contains(f.Levels, level) {
			return level
		}
	}
	return ""
}
