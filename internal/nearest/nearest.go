// Package nearest measures the distance of two names, for errors with suggestions.
//
//	if nearest.Distance("get_wether", "get_weather") <= 2 { … }
//
// The caller decides which names to compare. Of knows which distance is small enough for most.
package nearest

import (
	"fmt"
	"strings"
)

// Distance returns the Levenshtein distance of two names, in bytes. It takes time proportional to
// the product of their lengths.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

// Slip returns the candidate that a name is but for a slip or two, or "".
func Slip(name string, candidates []string) (best string) {
	least := min(3, len(name))
	for _, c := range candidates {
		if d := Distance(name, c); d < least {
			best, least = c, d
		}
	}
	return best
}

// Of returns the candidate that a name, in small letters, may have been meant to be, or "".
func Of(name string, candidates []string) string {
	best, least := "", 1+max(1, len(name)/3)
	for _, c := range candidates {
		if d := Distance(strings.ToLower(name), c); d < least {
			best, least = c, d
		}
	}
	return best
}

// Question asks whether the best candidate was meant, printed by a verb of fmt; "" where there is
// none.
func Question(verb, best string) string {
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean "+verb+"?", best)
}
