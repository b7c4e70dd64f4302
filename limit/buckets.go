package limit

import (
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Rate is how often something may be done: PerSecond on average, and Burst times at once. The zero
// value is no limit.
type Rate struct {
	PerSecond float64
	Burst     int
}

// PerMinute returns a rate of n a minute, all of which may come at once.
func PerMinute(n int) Rate { return Rate{float64(n) / 60, n} }

// Limited reports whether the rate is a limit.
func (r Rate) Limited() bool { return r.PerSecond > 0 && r.Burst > 0 }

// Buckets is a bounded set of token buckets by key. Full buckets are dropped: they say no more than
// none. If all are in use, further keys share one bucket for each rate, so that neither memory nor
// what a key may do exceeds its bound. Safe for concurrent use.
type Buckets[K comparable] struct {
	most int

	mu      sync.Mutex
	buckets map[K]*rate.Limiter
	shared  map[Rate]*rate.Limiter
	sweepAt int       // number of buckets from which on full ones are looked for
	swept   time.Time // when that was done with no room left
}

// NewBuckets returns a set of at most this many buckets.
func NewBuckets[K comparable](most int) *Buckets[K] {
	return &Buckets[K]{
		most: most, buckets: map[K]*rate.Limiter{}, shared: map[Rate]*rate.Limiter{},
		sweepAt: min(most, firstSweep),
	}
}

const firstSweep = 1024

// Take takes a token from the bucket of a key. It returns 0, or how long to wait for the next
// token; then nothing was taken. A key's bucket keeps the rate that it began with.
func (b *Buckets[K]) Take(key K, r Rate, now time.Time) (wait time.Duration) {
	if !r.Limited() {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	bucket := b.bucket(key, r, now)
	if bucket.AllowN(now, 1) {
		return 0
	}
	return untilNext(bucket, now)
}

// Wait returns what Take would, and takes nothing.
func (b *Buckets[K]) Wait(key K, r Rate, now time.Time) time.Duration {
	if !r.Limited() {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	bucket := b.bucket(key, r, now)
	if bucket.TokensAt(now) >= 1 {
		return 0
	}
	return untilNext(bucket, now)
}

// untilNext returns how long an empty bucket needs for its next token.
func untilNext(bucket *rate.Limiter, now time.Time) time.Duration {
	missing := 1 - bucket.TokensAt(now)
	return max(time.Millisecond, time.Duration(math.Ceil(missing/float64(bucket.Limit())*float64(time.Second))))
}

// Left returns how many tokens a key has at a rate.
func (b *Buckets[K]) Left(key K, r Rate, now time.Time) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if bucket := b.buckets[key]; bucket != nil {
		return max(0, int(bucket.TokensAt(now)))
	}
	return r.Burst
}

// bucket returns the bucket of a key. Requires b.mu.
func (b *Buckets[K]) bucket(key K, r Rate, now time.Time) *rate.Limiter {
	if bucket := b.buckets[key]; bucket != nil {
		return bucket
	}
	if len(b.buckets) >= b.sweepAt {
		b.sweep(now)
	}
	shared := b.shared[r]
	if shared != nil && isFull(shared, now) {
		delete(b.shared, r)
		shared = nil
	}
	// A key that has used the shared bucket must not get another burst from its own.
	if shared != nil {
		return shared
	}
	bucket := rate.NewLimiter(rate.Limit(r.PerSecond), r.Burst)
	if len(b.buckets) < b.most {
		b.buckets[key] = bucket
	} else {
		b.shared[r] = bucket
	}
	return bucket
}

func isFull(b *rate.Limiter, now time.Time) bool { return b.TokensAt(now) >= float64(b.Burst()) }

// sweepEvery bounds what looking for full buckets costs when there are none.
const sweepEvery = time.Second

// sweep drops full buckets. Requires b.mu.
func (b *Buckets[K]) sweep(now time.Time) {
	if len(b.buckets) >= b.most && now.Sub(b.swept) < sweepEvery {
		return
	}
	for key, bucket := range b.buckets {
		if isFull(bucket, now) {
			delete(b.buckets, key)
		}
	}
	b.swept = now
	b.sweepAt = min(b.most, max(firstSweep, 2*len(b.buckets)))
}
