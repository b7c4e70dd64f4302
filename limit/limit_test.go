package limit_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/limit"
	_ "github.com/pageside/pageside/test/chance"
	"github.com/pageside/pageside/test/must"
)

// No key ever gets more than rate×time+burst, however its requests and those of others come, and
// whatever is dropped meanwhile. One that waits as long as it is told gets a token, if its bucket
// is its own.
func TestBucketsGiveNoMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := limit.Rate{PerSecond: rapid.Float64Range(0.01, 100).Draw(t, "per second"), Burst: rapid.IntRange(1, 20).Draw(t, "burst")}
		most := rapid.IntRange(1, 4).Draw(t, "most")
		b := limit.NewBuckets[int](most)
		start := time.Unix(1_800_000_000, 0)
		now := start
		taken := map[int]int{}
		first := map[int]time.Time{}
		for range rapid.IntRange(1, 200).Draw(t, "requests") {
			now = now.Add(time.Duration(rapid.Int64Range(0, int64(2*time.Second)).Draw(t, "pause")))
			key := rapid.IntRange(0, 6).Draw(t, "key")
			if _, known := first[key]; !known {
				first[key] = now
			}
			wait := b.Take(key, r, now)
			if wait == 0 {
				taken[key]++
			} else if wait > time.Duration(float64(time.Second)/r.PerSecond)+time.Millisecond {
				t.Fatalf("the wait is %v at %v a second", wait, r.PerSecond)
			}
			if may := r.PerSecond*now.Sub(first[key]).Seconds() + float64(r.Burst) + 1e-6; float64(taken[key]) > may {
				t.Fatalf("key %d got %d, and may have %.3f", key, taken[key], may)
			}
		}
	})
}

func TestWaitIsEnough(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := limit.Rate{PerSecond: rapid.Float64Range(0.01, 100).Draw(t, "per second"), Burst: rapid.IntRange(1, 20).Draw(t, "burst")}
		b := limit.NewBuckets[string](10)
		now := time.Unix(1_800_000_000, 0)
		for range r.Burst {
			if wait := b.Take("ada", r, now); wait != 0 {
				t.Fatalf("within the burst the wait is %v", wait)
			}
		}
		wait := b.Take("ada", r, now)
		if wait <= 0 {
			t.Fatal("more than the burst is given")
		}
		if again := b.Take("ada", r, now.Add(wait)); again != 0 {
			t.Fatalf("after waiting for %v the wait is %v", wait, again)
		}
	})
}

func TestBucketsAreBounded(t *testing.T) {
	b := limit.NewBuckets[int](100)
	r := limit.Rate{PerSecond: 1, Burst: 2}
	now := time.Unix(1_800_000_000, 0)
	for key := range 100 {
		b.Take(key, r, now)
	}
	got := 0
	for key := range 1000 { // further keys have one bucket between them
		if b.Take(100+key, r, now) == 0 {
			got++
		}
	}
	if got != r.Burst {
		t.Errorf("keys without a bucket got %d tokens, want %d", got, r.Burst)
	}
	later := now.Add(10 * time.Second) // the first 100 are full again, and dropped
	if b.Take(100, r, later) != 0 || b.Take(101, r, later) != 0 || b.Take(102, r, later) != 0 {
		t.Error("full buckets are in the way of others")
	}
}

func TestNoRateIsNoLimit(t *testing.T) {
	b := limit.NewBuckets[int](1)
	for range 100 {
		if b.Take(1, limit.Rate{}, time.Time{}) != 0 {
			t.Fatal("limited")
		}
	}
}

func TestGauge(t *testing.T) {
	g := limit.Gauge[string]{Each: 10, All: 15}
	for _, step := range []struct {
		key  string
		n    int64
		want limit.Exceeded
	}{
		{"ada", 12, limit.None}, // alone, it may be larger than the limit
		{"ada", 1, limit.OfKey},
		{"bob", 4, limit.OfAll},
		{"bob", 3, limit.None},
		{"eve", 1, limit.OfAll},
	} {
		must.Be(t, g.Take(step.key, step.n), step.want, "%s takes %d: exceeded", step.key, step.n)
	}
	g.Give("ada", 12)
	if g.Held("ada") != 0 || g.Take("eve", 10) != limit.None {
		t.Error("what was given back is not free")
	}
}

func BenchmarkTake(b *testing.B) {
	buckets := limit.NewBuckets[string](10_000)
	r := limit.Rate{PerSecond: 1e9, Burst: 1 << 30}
	now := time.Now()
	for b.Loop() {
		now = now.Add(time.Microsecond)
		buckets.Take("ada", r, now)
	}
}
