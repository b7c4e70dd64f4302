package ask

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Span is a part of a day, a day, or the end of the log.
type Span struct {
	From, To int           // minutes of the day; To is not included. Both 0: the whole day
	Day      string        // 2026-03-12; "" is the first day that the page shows
	Month    time.Month    // with DayOf, a date without a year
	DayOf    int           // of the month
	Last     time.Duration // back from the end of the log
}

const (
	clock  = `(\d{1,2})(?::(\d\d))?\s*(am|pm|h|o'?clock)?(?:\s*utc)?`
	months = `(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*`
)

var (
	nameOfTime = strings.NewReplacer("noon", "12:00", "midday", "12:00", "midnight", "0:00")
	dateRe     = regexp.MustCompile(`\b(?:on )?(?:the )?(?:(\d{4}-\d\d-\d\d)|(\d{1,2})(?:st|nd|rd|th|\.)?(?: of)? ` + months + `|` + months + ` (\d{1,2})(?:st|nd|rd|th)?)\b(?: \d{4}\b)?`)
	lastRe     = regexp.MustCompile(`\b(?:in |during |for |within )?(?:the )?(?:last|past|final) (?:(\d{1,3}|two|three|six|twelve) )?(min|hour|day|week)[a-z]*(?: of the log)?`)
	rangeRe    = regexp.MustCompile(`\b(between|from|hours?(?: between| from)?)? ?\b` + clock + `\s*(?:and|to|till|until|-)\s*` + clock + `(?:[\s?.,!;]|$)`)
	openRe     = regexp.MustCompile(`\b(after|since|before|until|till)\s+` + clock + `(?:[\s?.,!;]|$)`)
	atRe       = regexp.MustCompile(`\b(at|in the hour from)\s+` + clock + `(?:[\s?.,!;]|$)|\b(?:the )?(\d{1,2})(?::(\d\d)|\s*(am|pm|o'?clock))(?:[\s?.,!;]|$)`)
	partRe     = regexp.MustCompile(`\b(?:in the |at |during the )?(morning|afternoon|evening|night)\b`)
	dayParts   = map[string][2]int{"morning": {6, 12}, "afternoon": {12, 18}, "evening": {18, 24}, "night": {0, 6}}
	numbers    = map[string]int{"": 1, "two": 2, "three": 3, "six": 6, "twelve": 12}
	units      = map[string]time.Duration{"min": time.Minute, "hou": time.Hour, "day": 24 * time.Hour, "wee": 7 * 24 * time.Hour}
)

// times replaces what is said about time: the widest forms first.
func (r *reader) times() {
	r.text = nameOfTime.Replace(r.text)
	for _, form := range []struct {
		re   *regexp.Regexp
		read func(m []string) (Span, bool)
	}{{lastRe, readLast}, {dateRe, readDate}, {rangeRe, readRange}, {openRe, readOpen}, {atRe, readAt}, {partRe, readPart}} {
		r.text = form.re.ReplaceAllStringFunc(r.text, func(found string) string {
			s, ok := form.read(form.re.FindStringSubmatch(found))
			if !ok {
				return found
			}
			return r.add(piece{meaning: meaning{kind: "time"}, span: s})
		})
	}
}

func readLast(m []string) (Span, bool) {
	n, ok := numbers[m[1]]
	if !ok {
		n, _ = strconv.Atoi(m[1])
	}
	return Span{Last: time.Duration(n) * units[m[2][:3]]}, n > 0
}

func readDate(m []string) (Span, bool) {
	if m[1] != "" {
		_, err := time.Parse(time.DateOnly, m[1])
		return Span{Day: m[1]}, err == nil
	}
	day, _ := strconv.Atoi(m[2] + m[5])
	names := []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}
	return Span{Month: time.Month(slices.Index(names, m[3]+m[4]) + 1), DayOf: day}, day >= 1 && day <= 31
}

// minutes reads a time of the day: hour, minute, and what follows.
func minutes(hour, minute, half string) (int, bool) {
	h, _ := strconv.Atoi(hour)
	m, _ := strconv.Atoi(minute)
	if half == "pm" && h < 12 {
		h += 12
	} else if half == "am" && h == 12 {
		h = 0
	}
	return 60*h + m, h <= 24 && m < 60
}

// readRange needs a word before it, or times that cannot be anything else.
// Its end comes after its start.
func readRange(m []string) (Span, bool) {
	if m[1] == "" && m[3]+m[4]+m[6]+m[7] == "" && !strings.Contains(m[0], "-") {
		return Span{}, false
	}
	first := m[4]
	if first == "" && m[7] == "pm" && len(m[2]) < 3 {
		if a, _ := strconv.Atoi(m[2]); a < 12 {
			if b, _ := strconv.Atoi(m[5]); a < b && b != 12 {
				first = "pm"
			}
		}
	}
	from, ok := minutes(m[2], m[3], first)
	to, ok2 := minutes(m[5], m[6], m[7])
	if to == 0 {
		to = 24 * 60
	}
	return Span{From: from, To: to}, ok && ok2 && from < to
}

func readOpen(m []string) (Span, bool) {
	at, ok := minutes(m[2], m[3], m[4])
	switch m[1] {
	case "before", "until", "till":
		return Span{To: at}, ok && at > 0
	}
	return Span{From: at, To: 24 * 60}, ok && at < 24*60
}

// readAt is an hour, or a minute where one is named that is not the first.
func readAt(m []string) (Span, bool) {
	at, ok := minutes(m[2]+m[5], m[3]+m[6], m[4]+m[7])
	wide := 60
	if at%60 != 0 {
		wide = 1
	}
	return Span{From: at, To: at + wide}, ok && at < 24*60
}

func readPart(m []string) (Span, bool) {
	part := dayParts[m[1]]
	return Span{From: 60 * part[0], To: 60 * part[1]}, true
}

// join adds a date to a time of the day, or the other way around.
func (s Span) join(t Span) (Span, bool) {
	dated, timed := s, t
	if s.To > 0 {
		dated, timed = t, s
	}
	if dated.To > 0 || dated.Last > 0 || timed.Last > 0 || timed.Day != "" || timed.DayOf > 0 {
		return s, false
	}
	dated.From, dated.To = timed.From, timed.To
	return dated, true
}

// Log is when the log begins and ends, and what the page shows of it begins.
type Log struct{ Min, Max, Shown time.Time }

// Resolve returns the times that a span means in a log; the end is not included.
func (s Span) Resolve(l Log) (from, to time.Time) {
	if s.Last > 0 {
		return l.Max.Add(-s.Last), l.Max.Add(time.Millisecond)
	}
	day := l.Shown
	if s.DayOf > 0 {
		day = time.Date(l.Max.Year(), s.Month, s.DayOf, 0, 0, 0, 0, time.UTC)
	} else if s.Day != "" {
		day, _ = time.Parse(time.DateOnly, s.Day)
	}
	day = day.UTC().Truncate(24 * time.Hour)
	if s.To == 0 {
		return day, day.Add(24 * time.Hour)
	}
	return day.Add(time.Duration(s.From) * time.Minute), day.Add(time.Duration(s.To) * time.Minute)
}

// Label names a span that was resolved.
func Label(from, to time.Time) string {
	if from.Truncate(24*time.Hour).Equal(from) && to.Sub(from) == 24*time.Hour {
		return from.Format("2 Jan 2006")
	}
	end := to.Format("15:04")
	if to.Truncate(24 * time.Hour).Equal(to) {
		end = "24:00"
	}
	return fmt.Sprintf("%s–%s UTC", from.Format("2 Jan 2006 15:04"), end)
}
