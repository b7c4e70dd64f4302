package pubmed

import (
	"regexp"
	"strconv"
	"strings"
)

// lastTime is the time up to now: last 5 years, last 90 days.
var lastTime = regexp.MustCompile(`(?i)^last\s+(\d{1,4})\s+(day|month|year)s?$`)

// endOfTime is where PubMed lets the time up to now end: what is announced counts.
const endOfTime = 30001231

// since reads the time up to now.
func (p *parser) since(t token) (*Dates, bool) {
	m := lastTime.FindStringSubmatch(t.text)
	if m == nil {
		return nil, false
	}
	n, _ := strconv.Atoi(m[1])
	from := p.now.AddDate(0, 0, -n)
	if unit := strings.ToLower(m[2]); unit != "day" {
		if unit == "year" {
			n *= 12
		}
		from = p.now.AddDate(0, -n, 0)
		if from.Day() != p.now.Day() { // a month that has no such day
			from = from.AddDate(0, 0, -from.Day())
		}
	}
	if n == 0 || from.Year() < 1000 {
		return nil, false
	}
	return &Dates{From: from.Year()*10000 + int(from.Month())*100 + from.Day(), To: endOfTime, Text: from.Format("2006/01/02") + ":3000/12/31"}, true
}

// dates reads the days of a [dp]: 2024, 2020:2024, "last 5 years", or "2020/01/01"[dp] :
// "2024/12/31"[dp] as PubMed prints it.
func (p *parser) dates(t token) (Node, error) {
	if p.terms++; p.terms > maxTerms {
		return nil, errorAt(t.start, t.length, nil, "there are more than %d terms", maxTerms)
	}
	if n, ok := p.since(t); ok {
		return n, nil
	}
	from, to, isRange := strings.Cut(t.text, ":")
	if !isRange {
		to = from
		if p.peek().text == ":" {
			upper, err := p.upperDate()
			if err != nil {
				return nil, err
			}
			to, t.length = upper.text, upper.start+upper.length-t.start
			t.text += ":" + upper.text
		}
	}
	n := &Dates{Text: strings.ReplaceAll(t.text, " ", "")}
	var okFrom, okTo bool
	n.From, _, okFrom = day(from)
	_, n.To, okTo = day(to)
	if !okFrom || !okTo {
		return nil, errorAt(t.start, t.length, []string{"2024[dp]", "2024/05/17[dp]", "2020:2024[dp]", `"last 5 years"[dp]`}, "%q is no date and no range of dates", t.text)
	}
	if n.From > n.To {
		return nil, errorAt(t.start, t.length, nil, "the range %s ends before it begins", t.text)
	}
	return n, nil
}

// upperDate reads : and the second half of a range.
func (p *parser) upperDate() (token, error) {
	colon := p.take()
	t := p.take()
	if t.kind != word && t.kind != phrase {
		return t, errorAt(colon.start, colon.length, []string{"a date"}, "the range has no end")
	}
	f := p.take()
	if known := fieldOf(f.text); f.kind != tag || known == nil || !known.dates {
		return t, errorAt(t.start, t.length, []string{"[dp]"}, "the end of the range needs the tag [dp]")
	}
	return t, nil
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
