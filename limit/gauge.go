package limit

import "sync"

// Gauge counts what is held at a time, such as bytes, by key and in all. Zero limits are none. Safe
// for concurrent use.
type Gauge[K comparable] struct {
	Each, All int64 // limits of a key, and of all keys together

	mu   sync.Mutex
	held map[K]int64 // without zeros
	sum  int64
}

// Exceeded says which limit of a Gauge would be exceeded.
type Exceeded string

// Limits of a Gauge.
const (
	None  Exceeded = ""
	OfKey Exceeded = "key"
	OfAll Exceeded = "all"
)

// Take counts n for a key, unless that would exceed a limit. The caller ends it with Give. A key
// that holds nothing may exceed its own limit with one piece, or nothing of that size could ever
// pass.
func (g *Gauge[K]) Take(key K, n int64) Exceeded {
	g.mu.Lock()
	defer g.mu.Unlock()
	held := g.held[key]
	switch {
	case g.Each > 0 && held > 0 && held+n > g.Each:
		return OfKey
	case g.All > 0 && g.sum > 0 && g.sum+n > g.All:
		return OfAll
	}
	g.add(key, n)
	return None
}

// Give ends what Take counted.
func (g *Gauge[K]) Give(key K, n int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.add(key, -n)
}

// Held returns what is counted for a key.
func (g *Gauge[K]) Held(key K) int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.held[key]
}

// add requires g.mu.
func (g *Gauge[K]) add(key K, n int64) {
	if g.held == nil {
		g.held = map[K]int64{}
	}
	g.sum += n
	if g.held[key] += n; g.held[key] == 0 {
		delete(g.held, key)
	}
}
