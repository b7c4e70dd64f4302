package research

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/pageside/pageside/demo/research/library"
)

// countBy counts articles by each of their values.
func countBy(articles []library.Article, values func(*library.Article) []string) map[string]int {
	counts := map[string]int{}
	for i := range articles {
		for _, v := range values(&articles[i]) {
			counts[v]++
		}
	}
	return counts
}

func typesOf(a *library.Article) []string { return a.Types }

func headingsOf(a *library.Article) []string {
	return slices.DeleteFunc(slices.Clone(a.MeSH), func(h string) bool { return slices.Contains(checkTags, h) })
}

func yearOf(a *library.Article) []string {
	if len(a.Date) < 4 {
		return nil
	}
	return []string{a.Date[:4]}
}

// top are the n most frequent values.
func top(counts map[string]int, n int) []library.Count {
	list := make([]library.Count, 0, len(counts))
	for v, c := range counts {
		list = append(list, library.Count{Value: v, Count: c})
	}
	slices.SortFunc(list, func(a, b library.Count) int { return cmp.Or(b.Count-a.Count, strings.Compare(a.Value, b.Value)) })
	return list[:min(len(list), n)]
}

// merged are the keys of both, in order.
func merged(a, b map[string]int) []string {
	both := maps.Clone(a)
	maps.Copy(both, b)
	return slices.Sorted(maps.Keys(both))
}
