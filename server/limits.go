package server

import (
	"fmt"
	"math"
	"net/http"
	"time"

	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/limit"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/run/refusal"
)

// Limits are what one caller may do, whatever others do. Zero means no limit.
type Limits struct {
	Runs         limit.Rate // starting runs
	Actions      limit.Rate // suggested actions
	Instructions limit.Rate // changing the instructions of scopes
	Searches     limit.Rate
	Writes       limit.Rate // everything else that changes something
	Reads        limit.Rate // and everything else

	SearchesAtOnce int
	StreamsAtOnce  int // open streams of events
	// bytes of bodies that are being read or wait for their run to begin
	Bodies int64
	// the same of all callers
	AllBodies int64
}

// class is a group of routes that share a rate.
type class string

// The classes, as they are called in errors and in the audit log.
const (
	classRuns         class = "runs"
	classActions      class = "actions"
	classInstructions class = "instructions"
	classSearches     class = "searches"
	classWrites       class = "writes"
	classReads        class = "reads"
)

var classes = []class{classRuns, classActions, classInstructions, classSearches, classWrites, classReads}

// classOf returns the class of a request by its route.
func classOf(r *http.Request) class {
	switch r.Pattern {
	case "POST /v1/actions/{name}":
		return classActions
	case "PUT /v1/instructions/{kind}/{id}", "DELETE /v1/instructions/{kind}/{id}":
		return classInstructions
	case "POST /v1/suggestions", "POST /v1/resolve", "POST /v1/disclosure": // these change nothing
		return classReads
	case "GET /v1/threads":
		if r.URL.Query().Get("q") != "" {
			return classSearches
		}
	}
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return classReads
	}
	return classWrites
}

func (l *Limits) rate(c class) limit.Rate {
	switch c {
	case classRuns:
		return l.Runs
	case classActions:
		return l.Actions
	case classInstructions:
		return l.Instructions
	case classSearches:
		return l.Searches
	case classWrites:
		return l.Writes
	}
	return l.Reads
}

// limiter applies Limits. A nil limiter allows everything.
type limiter struct {
	Limits
	reporter *audit.LimitReporter
	requests *limit.Buckets[bucketKey]
	searches limit.Gauge[run.Owner]
	streams  limit.Gauge[run.Owner]
	bodies   limit.Gauge[run.Owner]
}

type bucketKey struct {
	owner run.Owner
	class class
}

// maxBuckets bounds how many callers are told apart at a time, times their classes.
const maxBuckets = 100_000

func newLimiter(l *Limits, reporter *audit.LimitReporter) *limiter {
	if l == nil {
		return nil
	}
	return &limiter{
		Limits: *l, reporter: reporter, requests: limit.NewBuckets[bucketKey](maxBuckets),
		searches: limit.Gauge[run.Owner]{Each: int64(l.SearchesAtOnce)},
		streams:  limit.Gauge[run.Owner]{Each: int64(l.StreamsAtOnce)},
		bodies:   limit.Gauge[run.Owner]{Each: l.Bodies, All: l.AllBodies},
	}
}

// admit counts a request, or refuses it.
func (l *limiter) admit(c *call, class class) error {
	if l == nil {
		return nil
	}
	wait := l.requests.Take(bucketKey{c.owner, class}, l.rate(class), time.Now())
	if wait == 0 {
		return nil
	}
	return l.refuse(c, "requests."+string(class),
		fmt.Sprintf("too many requests (%s): try again in %d s", class, seconds(wait)), wait)
}

// refuse returns the error of a caller who has reached a limit of his own.
func (l *limiter) refuse(c *call, name, message string, wait time.Duration) error {
	l.reporter.Reached(c.r.Context(), c.principal, name)
	return &Error{
		Status: http.StatusTooManyRequests, Code: "rate_limited", Message: message, Retry: wait,
		Details: map[string]any{"limit": name},
	}
}

// search counts a search until done is called, or refuses it.
func (l *limiter) search(c *call) (done func(), err error) {
	if l == nil {
		return func() {}, nil
	}
	if l.searches.Take(c.owner, 1) != limit.None {
		return nil, l.refuse(c,
			"searches",
			fmt.Sprintf("you have %d searches under way: try again when one has ended", l.SearchesAtOnce), time.Second)
	}
	return func() { l.searches.Give(c.owner, 1) }, nil
}

// stream counts an open stream until done is called, or refuses it.
func (l *limiter) stream(c *call) (done func(), err error) {
	if l == nil {
		return func() {}, nil
	}
	if l.streams.Take(c.owner, 1) != limit.None {
		return nil, l.refuse(c,
			"streams",
			fmt.Sprintf("you have %d streams open: close one, or try again when one has ended", l.StreamsAtOnce),
			5*time.Second)
	}
	return func() { l.streams.Give(c.owner, 1) }, nil
}

// body counts the bytes of a body until the call gives them back, or refuses it.
func (l *limiter) body(c *call, size int64) error {
	if l == nil || size <= 0 {
		return nil
	}
	switch l.bodies.Take(c.owner, size) {
	case limit.OfKey:
		return l.refuse(c,
			"bodies",
			fmt.Sprintf("your requests under way hold more than %d bytes: try again when one has ended", l.Bodies),
			2*time.Second)
	case limit.OfAll:
		return &Error{
			Status: http.StatusServiceUnavailable, Code: string(refusal.Overloaded),
			Message: "too many large requests are under way", Retry: 2 * time.Second,
		}
	}
	c.held.bytes += size
	return nil
}

// held is what a request holds of its caller's share.
type held struct{ bytes int64 }

// giveBody gives back the bytes of a body that has been dealt with.
func (l *limiter) giveBody(c *call) {
	if l != nil && c.held.bytes > 0 {
		l.bodies.Give(c.owner, c.held.bytes)
		c.held.bytes = 0
	}
}

func seconds(d time.Duration) int { return int(math.Ceil(d.Seconds())) }

// JSON forms of GET /v1/limits.
type (
	limitsJSON struct {
		Runs     runsLimitJSON            `json:"runs"`
		Quotas   []quotaJSON              `json:"quotas"`
		Requests map[class]rateJSON       `json:"requests"`
		Run      map[string]amountOrMoney `json:"run"`
	}
	runsLimitJSON struct {
		Used  int `json:"used"`
		Limit int `json:"limit,omitempty"`
	}
	quotaJSON struct {
		Scope    string        `json:"scope"`
		Unit     string        `json:"unit"`
		Used     amountOrMoney `json:"used"`
		Held     amountOrMoney `json:"held"`
		Left     amountOrMoney `json:"left"`
		Limit    amountOrMoney `json:"limit"`
		ResetsAt time.Time     `json:"resetsAt"`
	}
	rateJSON struct {
		PerMinute float64 `json:"perMinute"`
		Burst     int     `json:"burst"`
		Left      int     `json:"left"`
	}
	// amountOrMoney is in tokens or dollars
	amountOrMoney float64
)

// getLimits says what the caller may do, has used and has left.
func (s rest) getLimits(c *call) error {
	u, err := s.cfg.Runs.Usage(c.r.Context(), c.owner)
	if err != nil {
		return err
	}
	out := limitsJSON{
		Runs: runsLimitJSON{u.Runs, max(0, u.Limits.UserRuns)}, Quotas: []quotaJSON{},
		Requests: map[class]rateJSON{}, Run: map[string]amountOrMoney{},
	}
	out.quotas(run.ScopeUser, u.User, u.Limits.Day.User, u.Resets)
	out.quotas(run.ScopeTenant, u.Tenant, u.Limits.Day.Tenant, u.Resets)
	if n := u.Limits.Run.Tokens; n > 0 {
		out.Run[run.UnitTokens] = amountOrMoney(n)
	}
	if n := u.Limits.Run.MicroDollars; n > 0 {
		out.Run[run.UnitDollars] = amountOrMoney(n) / 1e6
	}
	if l := s.limits; l != nil {
		for _, class := range classes {
			if r := l.rate(class); r.Limited() {
				out.Requests[class] = rateJSON{
					r.PerSecond * 60, r.Burst, l.requests.Left(bucketKey{c.owner, class}, r, time.Now()),
				}
			}
		}
	}
	writeJSON(c.w, out)
	return nil
}

// quotas adds the quotas of a scope.
func (out *limitsJSON) quotas(scope string, sum run.UsageSum, quota limit.Amount, resets time.Time) {
	add := func(unit string, used, held, quota int64, scale float64) {
		if quota > 0 {
			in := func(n int64) amountOrMoney { return amountOrMoney(float64(n) / scale) }
			out.Quotas = append(out.Quotas, quotaJSON{
				scope, unit, in(used), in(held), in(max(0, quota-used-held)), in(quota), resets,
			})
		}
	}
	add(run.UnitTokens, sum.Used.Tokens, sum.Held.Tokens, quota.Tokens, 1)
	add(run.UnitDollars, sum.Used.MicroDollars, sum.Held.MicroDollars, quota.MicroDollars, 1e6)
}
