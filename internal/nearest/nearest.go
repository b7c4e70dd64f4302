// Package nearest measures how far two names are apart, for errors that suggest what was meant.
//
//	if nearest.Distance("get_wether", "get_weather") <= 2 { … }
//
// Which names to compare, and how near is near enough, is up to the caller.
package nearest

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
