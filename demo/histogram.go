package demo

import (
	"context"
	"slices"
	"strings"
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

const (
	niceBuckets = 120  // at most that many where the interval is chosen here
	maxBuckets  = 2000 // at most that many where the client chooses
)

type interval struct {
	name string
	span ppl.Span
}

func (i interval) width() time.Duration {
	unit := map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour}[i.span.Unit]
	return time.Duration(i.span.Size) * unit
}

var intervals = []interval{
	{"1s", ppl.Span{Size: 1, Unit: "s"}}, {"5s", ppl.Span{Size: 5, Unit: "s"}}, {"10s", ppl.Span{Size: 10, Unit: "s"}}, {"30s", ppl.Span{Size: 30, Unit: "s"}},
	{"1m", ppl.Span{Size: 1, Unit: "m"}}, {"5m", ppl.Span{Size: 5, Unit: "m"}}, {"10m", ppl.Span{Size: 10, Unit: "m"}}, {"30m", ppl.Span{Size: 30, Unit: "m"}},
	{"1h", ppl.Span{Size: 1, Unit: "h"}}, {"3h", ppl.Span{Size: 3, Unit: "h"}}, {"6h", ppl.Span{Size: 6, Unit: "h"}}, {"12h", ppl.Span{Size: 12, Unit: "h"}},
	{"1d", ppl.Span{Size: 1, Unit: "d"}}, {"1w", ppl.Span{Size: 1, Unit: "w"}}, {"4w", ppl.Span{Size: 4, Unit: "w"}},
}

// findInterval returns nil for auto.
func findInterval(name string) (*interval, error) {
	if name == "" || name == "auto" {
		return nil, nil
	}
	for i := range intervals {
		if intervals[i].name == name {
			return &intervals[i], nil
		}
	}
	return nil, badField("interval", "must be auto or one of %s", strings.Join(intervalNames(), ", "))
}

func intervalNames() []string {
	names := make([]string, len(intervals))
	for i, iv := range intervals {
		names[i] = iv.name
	}
	return names
}

// histogram counts the matched events, and those among them that are errors, in intervals without
// gaps.
func (d *Demo) histogram(ctx context.Context, s *search, plan *ppl.Plan, m matchedEvents) (histogram, error) {
	from, to := d.extent(s, m)
	iv := intervals[len(intervals)-1]
	if s.interval != nil {
		iv = *s.interval
		if to.Sub(from)/iv.width() >= maxBuckets {
			return histogram{}, badField("interval", "%s makes more than %d buckets; use a longer one or auto", iv.name, maxBuckets)
		}
	} else if i := slices.IndexFunc(intervals, func(iv interval) bool { return to.Sub(from)/iv.width() < niceBuckets }); i >= 0 {
		iv = intervals[i]
	}
	counts, errors, err := d.countBySpan(ctx, plan, iv)
	if err != nil {
		return histogram{}, err
	}
	return histogram{iv.name, buckets(iv, from, to, counts, errors)}, nil
}

// extent is the time that the histogram covers: the requested range as far as the log reaches. A
// query that narrows the time itself would be a sliver of that, so there it is what the query left.
func (d *Demo) extent(s *search, m matchedEvents) (from, to time.Time) {
	from, to = s.source.min, s.source.max
	narrows := slices.ContainsFunc(s.query.Filters(), func(e ppl.Expr) bool { return ppl.Mentions(e, timeField) })
	if narrows && m.count > 0 {
		from, to = time.UnixMilli(m.first).UTC(), time.UnixMilli(m.last).UTC()
	}
	if s.time.from.After(from) {
		from = s.time.from
	}
	if !s.time.to.IsZero() && s.time.to.Before(to) {
		to = s.time.to
	}
	return from, to
}

// countBySpan counts the matched events of each interval, and the errors among them, by the
// interval's beginning in ms. There are not more intervals than buckets: a group for each status
// would be more than a query returns.
func (d *Demo) countBySpan(ctx context.Context, plan *ppl.Plan, iv interval) (counts, errors map[int64]int64, err error) {
	failed := &ppl.Compare{Op: ">=", Left: ppl.Name{Text: "status"}, Right: ppl.IntLiteral(400)}
	rows, err := d.aggregate(ctx, plan, &ppl.Stats{
		Aggs: []ppl.Agg{{Func: "count"}, {Func: "count", If: failed}}, By: []ppl.Group{{Field: ppl.Name{Text: timeField}, Span: &iv.span}}})
	counts, errors = map[int64]int64{}, map[int64]int64{}
	for _, row := range rows {
		from := asInt(row[2])
		counts[from], errors[from] = asInt(row[0]), asInt(row[1])
	}
	return counts, errors, err
}

func buckets(iv interval, from, to time.Time, counts, errors map[int64]int64) []bucket {
	list := []bucket{}
	if from.IsZero() || to.Before(from) {
		return list
	}
	for at := floorTime(from, iv); !at.After(to) && len(list) <= maxBuckets; at = at.Add(iv.width()) {
		list = append(list, bucket{formatTime(at), counts[at.UnixMilli()], errors[at.UnixMilli()]})
	}
	return list
}

// floorTime rounds down as span does: from 1970 on, weeks from a Monday.
func floorTime(t time.Time, iv interval) time.Time {
	width, origin := iv.width().Milliseconds(), int64(0)
	if iv.span.Unit == "w" {
		origin = (4 * 24 * time.Hour).Milliseconds()
	}
	ms := t.UnixMilli()
	return time.UnixMilli(ms - ((ms-origin)%width+width)%width).UTC()
}
