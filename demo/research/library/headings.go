package library

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// The export that the library is made from splits lists of terms at every comma, those inside a
// term too. terms.txt has terms with commas, to be put together again.
//
//go:embed terms.txt
var termList string

// termParts are the parts of those terms by the first part, the longest first.
var termParts = sync.OnceValue(func() map[string][][]string {
	by := map[string][][]string{}
	for term := range strings.SplitSeq(strings.TrimSpace(termList), "\n") {
		parts := strings.Split(term, ", ")
		by[parts[0]] = append(by[parts[0]], parts)
	}
	for _, list := range by {
		slices.SortFunc(list, func(a, b []string) int { return len(b) - len(a) })
	}
	return by
})

// joinParts puts the parts of terms together where they follow one another, and drops what comes
// twice.
func joinParts(list []string) []string {
	joined := make([]string, 0, len(list))
	for i := 0; i < len(list); {
		term, n := list[i], 1
		for _, parts := range termParts()[list[i]] {
			if len(parts) <= len(list)-i && slices.Equal(parts, list[i:i+len(parts)]) {
				term, n = strings.Join(parts, ", "), len(parts)
				break
			}
		}
		if !slices.Contains(joined, term) {
			joined = append(joined, term)
		}
		i += n
	}
	return joined
}
