// Package limit keeps one caller from using what belongs to all: it counts requests, calls and
// bytes by key, and names what model calls use and their budgets.
//
//	buckets := limit.NewBuckets[string](10_000)
//	if wait := buckets.Take(key, limit.Rate{PerSecond: 5, Burst: 50}, time.Now()); wait > 0 {
//		// refuse; the caller may try again after wait
//	}
//
// It counts in one process. What is used in a day is counted by the store (store.Usage), how many
// runs may be live by package run, and who reaches a limit is recorded by audit.LimitReporter.
package limit
