package ask

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Span is a part of a day, a day, or the end of the log.
type Span struct {
	From, To int           // minutes of the day; To is not included. Both 0: the whole day
	Day      time.Time     // zero is the first day that the page shows; year 0 the log's
	Last     time.Duration // back from the end of the log
}

// timeForms are what patterns about time are made of.
var timeForms = strings.NewReplacer(
	"CLOCK", `(\d{1,2})(?::(\d\d))? ?(am|pm|h|o'?clock)?(?: utc)?`,
	"MONTH", `(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*`,
	"DATE", `(\d{1,2})(?:st|nd|rd|th)?`,
)

// timeReaders read what the groups of a pattern about time have found.
var timeReaders = map[string]func(m []string) (Span, bool){
	"last": readLast, "day": readDay, "range": readRange, "open": readOpen, "at": readAt, "part": readPart,
}

func readLast(m []string) (Span, bool) {
	units := map[string]time.Duration{"min": time.Minute, "hour": time.Hour, "day": 24 * time.Hour, "week": 7 * 24 * time.Hour}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		n = 1
	}
	return Span{Last: time.Duration(n) * units[m[2]]}, n > 0
}

func readDay(m []string) (Span, bool) {
	for _, layout := range []string{time.DateOnly, "2 Jan", "Jan 2"} {
		if day, err := time.Parse(layout, strings.Join(m[1:], " ")); err == nil {
			return Span{Day: day}, true
		}
	}
	return Span{}, false
}

func readPart(m []string) (Span, bool) {
	from := map[string]int{"morning": 6, "afternoon": 12, "evening": 18}[m[1]]
	return Span{From: 60 * from, To: 60 * (from + 6)}, true
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

// readRange needs a word before it, or times that cannot be anything else. In "between 2 and 4 pm"
// both are. Its end comes after its start.
func readRange(m []string) (Span, bool) {
	if m[1] == "" && m[3]+m[4]+m[6]+m[7] == "" && !strings.Contains(m[0], "-") {
		return Span{}, false
	}
	to, ok := minutes(m[5], m[6], m[7])
	if to == 0 {
		to = 24 * 60
	}
	from, ok2 := minutes(m[2], m[3], m[4])
	if later, _ := minutes(m[2], m[3], "pm"); m[4] == "" && m[7] == "pm" && later < to {
		from = later
	}
	return Span{From: from, To: to}, ok && ok2 && from < to
}

func readOpen(m []string) (Span, bool) {
	at, ok := minutes(m[2], m[3], m[4])
	if m[1] == "after" || m[1] == "since" {
		return Span{From: at, To: 24 * 60}, ok && at < 24*60
	}
	return Span{To: at}, ok && at > 0
}

// readAt is an hour, or a minute where one is named that is not the first.
func readAt(m []string) (Span, bool) {
	at, ok := minutes(m[1], m[2], m[3])
	wide := 60
	if at%60 != 0 {
		wide = 1
	}
	return Span{From: at, To: at + wide}, ok && at < 24*60
}

// join adds a date to a time of the day, or the other way around.
func (s Span) join(t Span) (Span, bool) {
	if s.To > 0 {
		s, t = t, s
	}
	ok := s.To == 0 && s.Last == 0 && t.Last == 0 && t.Day.IsZero()
	s.From, s.To = t.From, t.To
	return s, ok
}

// Log is when the log begins and ends, and what the page shows of it begins.
type Log struct{ Min, Max, Shown time.Time }

// Resolve returns the times that a span means in a log; the end is not included.
func (s Span) Resolve(l Log) (from, to time.Time) {
	if s.Last > 0 {
		return l.Max.Add(-s.Last), l.Max.Add(time.Millisecond)
	}
	day := s.Day
	switch {
	case day.IsZero():
		day = l.Shown.UTC().Truncate(24 * time.Hour)
	case day.Year() == 0:
		day = day.AddDate(l.Max.Year(), 0, 0)
	}
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
