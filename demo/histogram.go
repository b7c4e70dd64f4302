package demo

import (
	"context"
	"fmt"
	"time"

	"github.com/pageside/pageside/demo/ppl"
)

type histogram struct {
	Interval string   `json:"interval"`
	Buckets  []bucket `json:"buckets"`
}

type bucket struct {
	From   string `json:"from"`
	Count  int64  `json:"count"`
	Errors int64  `json:"errors"`
}

// maxBuckets is the maximum number of intervals; the shortest interval that fits is used.
const maxBuckets = 120

type interval struct {
	name  string // as span takes it
	width time.Duration
}

const day = 24 * time.Hour

var intervals = []interval{
	{"1s", time.Second}, {"5s", 5 * time.Second}, {"10s", 10 * time.Second}, {"30s", 30 * time.Second},
	{"1m", time.Minute}, {"5m", 5 * time.Minute}, {"10m", 10 * time.Minute}, {"30m", 30 * time.Minute},
	{"1h", time.Hour}, {"3h", 3 * time.Hour}, {"6h", 6 * time.Hour}, {"12h", 12 * time.Hour},
	{"1d", day}, {"1w", 7 * day}, {"4w", 28 * day},
}

// extent returns the time that the histogram covers: the requested range within the log or, if the
// query itself narrows the time, only what the query selects. first and last are the milliseconds
// of the matching events.
func (s *selection) extent(matched, first, last int64) (from, to time.Time) {
	from, to = s.source.min, s.source.max
	if matched > 0 && s.Narrows("timestamp") {
		from, to = time.UnixMilli(first).UTC(), time.UnixMilli(last).UTC()
	}
	if s.window.from.After(from) {
		from = s.window.from
	}
	if !s.window.to.IsZero() && s.window.to.Before(to) {
		to = s.window.to
	}
	return from, to
}

// histogram counts the matching events, and errors among them, in intervals without gaps.
func (d *Demo) histogram(ctx context.Context, plan *ppl.Plan, from, to time.Time) (histogram, error) {
	chosen := intervals[len(intervals)-1]
	for i := len(intervals) - 1; i >= 0 && to.Sub(from)/intervals[i].width < maxBuckets; i-- {
		chosen = intervals[i]
	}
	h := histogram{chosen.name, []bucket{}}
	rows, err := plan.Aggregate(ctx, d.log.DB, fmt.Sprintf("stats count(), count(eval(status >= 400)) by span(timestamp, %s)", chosen.name))
	if err != nil || from.IsZero() || to.Before(from) {
		return h, err
	}
	counts := map[int64]bucket{}
	for _, row := range rows {
		counts[asInt(row[2])] = bucket{Count: asInt(row[0]), Errors: asInt(row[1])}
	}
	for at := chosen.floor(from); !at.After(to); at = at.Add(chosen.width) {
		b := counts[at.UnixMilli()]
		b.From = formatTime(at)
		h.Buckets = append(h.Buckets, b)
	}
	return h, nil
}

// floor rounds down as span does: from 1970 on, weeks from a Monday.
func (i interval) floor(t time.Time) time.Time {
	width, origin := i.width.Milliseconds(), int64(0)
	if i.width%(7*day) == 0 {
		origin = (4 * day).Milliseconds()
	}
	ms := t.UnixMilli()
	return time.UnixMilli(ms - ((ms-origin)%width+width)%width).UTC()
}
