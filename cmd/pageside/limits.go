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
	l := config.Section(f.Limits)
	user, tenant := config.Section(l.User), config.Section(l.Tenant)
	thread, run := config.Section(l.Thread), config.Section(l.Run)
	limits = pagerun.Limits{
		UserRuns: user.Runs, TenantRuns: tenant.Runs, ThreadLine: thread.Waiting,
		Inputs: int64(l.Inputs), UserInputs: int64(user.Inputs), Messages: l.Messages,
		Attachments: thread.Attachments, AttachmentBytes: int64(thread.AttachmentBytes),
		Run: amount(run.Tokens, run.Dollars),
		Day: store.Quotas{
			User:   amount(user.TokensPerDay, user.DollarsPerDay),
			Tenant: amount(tenant.TokensPerDay, tenant.DollarsPerDay),
		},
	}
	if f.Open() { // the only user may have all
		limits.UserRuns, limits.UserInputs = cmp.Or(limits.UserRuns, -1), cmp.Or(limits.UserInputs, -1)
	}
	return l.Runs, limits
}

func amount(tokens int, dollars float64) store.Amount {
	return store.Amount{Tokens: int64(tokens), MicroDollars: microDollars(dollars)}
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
			SearchesAtOnce: 4, StreamsAtOnce: 200, Bodies: 16 << 20, AllBodies: 64 << 20,
		}
	}
	l := config.Section(f.Limits)
	user, r := config.Section(l.User), config.Section(l.Requests)
	limits.AllBodies = cmp.Or(int64(l.Inputs), limits.AllBodies)
	limits.SearchesAtOnce = cmp.Or(user.Searches, limits.SearchesAtOnce)
	limits.StreamsAtOnce = cmp.Or(user.Streams, limits.StreamsAtOnce)
	limits.Bodies = cmp.Or(int64(user.Inputs), limits.Bodies)
	for to, from := range map[*limit.Rate]*config.Rate{
		&limits.Runs: r.Runs, &limits.Actions: r.Actions, &limits.Instructions: r.Instructions,
		&limits.Searches: r.Searches, &limits.Writes: r.Writes, &limits.Reads: r.Reads,
	} {
		if from != nil {
			*to = perMinute(from.PerMinute, cmp.Or(from.Burst, from.PerMinute))
		}
	}
	return int64(l.Body), limits
}

func perMinute(n, burst int) limit.Rate { return limit.Rate{PerSecond: float64(n) / 60, Burst: burst} }
