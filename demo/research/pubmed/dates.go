package pubmed

import (
	"strconv"
	"strings"
)

// dates reads the days of a [dp]: 2024, or 2020:2024.
func (p *parser) dates(t token) (Node, error) {
	if p.terms++; p.terms > maxTerms {
		return nil, errorAt(t.start, t.length, nil, "there are more than %d terms", maxTerms)
	}
	from, to, isRange := strings.Cut(t.text, ":")
	if !isRange {
		to = from
	}
	n := &Dates{Text: strings.ReplaceAll(t.text, " ", "")}
	var okFrom, okTo bool
	n.From, _, okFrom = day(from)
	_, n.To, okTo = day(to)
	if !okFrom || !okTo {
		return nil, errorAt(t.start, t.length, []string{"2024[dp]", "2024/05/17[dp]", "2020:2024[dp]"}, "%q is no date and no range of dates", t.text)
	}
	if n.From > n.To {
		return nil, errorAt(t.start, t.length, nil, "the range %s ends before it begins", t.text)
	}
	return n, nil
}

func isDate(s string) bool { _, _, ok := day(s); return ok }

// day reads a year, month or day as its first and last day, in numbers such as 20240517.
func day(s string) (first, last int, ok bool) {
	parts := strings.Split(strings.ReplaceAll(strings.Trim(strings.TrimSpace(s), `"`), "-", "/"), "/")
	bounds := [][2]int{{1000, 9999}, {1, 12}, {1, 31}}
	if len(parts) > len(bounds) || len(parts[0]) != 4 {
		return 0, 0, false
	}
	first, last = 0, 0
	for i, b := range bounds {
		lo, hi := b[0], b[1]
		if i < len(parts) {
			n, err := strconv.Atoi(parts[i])
			if err != nil || n < lo || n > hi || len(parts[i]) > 4 {
				return 0, 0, false
			}
			lo, hi = n, n
		}
		first, last = first*100+lo, last*100+hi
	}
	return first, last, true
}

// Day is the first day of a date such as "2024", "2024-05" or "2024-05-17", as a number such as
// 20240517; 0 where it is none. LastDay is the last.
func Day(date string) int { first, _, _ := day(date); return first }

// LastDay is the last day that a date includes.
func LastDay(date string) int { _, last, _ := day(date); return last }
