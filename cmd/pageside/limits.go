package main

import (
	"cmp"
	"math"

	"github.com/pageside/pageside/config"
	"github.com/pageside/pageside/limit"
	pagerun "github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store"
)

// runLimits converts what the configuration says about runs of everybody and of single users.
func runLimits(f config.File) (all int, limits pagerun.Limits) {
	if f.Open() {
		limits.UserRuns, limits.UserInputs = -1, -1 // the only user may have all
	}
	l := f.Limits
	if l == nil {
		return 0, limits
	}
	limits.Inputs, limits.Messages = int64(l.Inputs), l.Messages
	if u := l.User; u != nil {
		limits.UserRuns, limits.UserInputs = cmp.Or(u.Runs, limits.UserRuns), cmp.Or(int64(u.Inputs), limits.UserInputs)
		limits.Day.User = store.Amount{Tokens: int64(u.TokensPerDay), MicroDollars: microDollars(u.DollarsPerDay)}
	}
	if t := l.Tenant; t != nil {
		limits.TenantRuns = t.Runs
		limits.Day.Tenant = store.Amount{Tokens: int64(t.TokensPerDay), MicroDollars: microDollars(t.DollarsPerDay)}
	}
	if t := l.Thread; t != nil {
		limits.ThreadLine, limits.Attachments, limits.AttachmentBytes = t.Waiting, t.Attachments, int64(t.AttachmentBytes)
	}
	if r := l.Run; r != nil {
		limits.Run = store.Amount{Tokens: int64(r.Tokens), MicroDollars: microDollars(r.Dollars)}
	}
	return l.Runs, limits
}

// microDollars converts a limit. One too large for its type is the largest value.
func microDollars(dollars float64) int64 {
	if dollars >= math.MaxInt64/1e6 {
		return math.MaxInt64
	}
	return int64(math.Round(dollars * 1e6))
}

// requestLimits converts what the configuration says about requests. Without authentication only
// what the file names is limited: all requests are of one user.
func requestLimits(f config.File) (body int64, limits *server.Limits) {
	limits = &server.Limits{AllBodies: 64 << 20}
	if !f.Open() {
		*limits = server.Limits{
			Runs: perMinute(60, 30), Actions: perMinute(60, 30), Instructions: perMinute(30, 20),
			Searches: perMinute(120, 30), Writes: perMinute(300, 100), Reads: perMinute(1200, 300),
			SearchesAtOnce: 4, Bodies: 16 << 20, AllBodies: 64 << 20,
		}
	}
	l := f.Limits
	if l == nil {
		return 0, limits
	}
	limits.AllBodies = cmp.Or(int64(l.Inputs), limits.AllBodies)
	if u := l.User; u != nil {
		limits.SearchesAtOnce = cmp.Or(u.Searches, limits.SearchesAtOnce)
		limits.Bodies = cmp.Or(int64(u.Inputs), limits.Bodies)
	}
	if r := l.Requests; r != nil {
		for _, c := range []struct {
			to   *limit.Rate
			from *config.Rate
		}{
			{&limits.Runs, r.Runs}, {&limits.Actions, r.Actions}, {&limits.Instructions, r.Instructions},
			{&limits.Searches, r.Searches}, {&limits.Writes, r.Writes}, {&limits.Reads, r.Reads},
		} {
			if c.from != nil {
				*c.to = perMinute(c.from.PerMinute, cmp.Or(c.from.Burst, c.from.PerMinute))
			}
		}
	}
	return int64(l.Body), limits
}

func perMinute(n, burst int) limit.Rate { return limit.Rate{PerSecond: float64(n) / 60, Burst: burst} }
