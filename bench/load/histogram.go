package main

import (
	"math"
	"math/bits"
)

// ---------- histogram (log buckets, < 1.6 % error) ----------

type hist struct {
	n    [50 * 64]uint32
	cnt  int64
	sum  float64
	max_ int64
}

func (h *hist) add(v int64) {
	if v < 0 {
		v = 0
	}
	i := int(v)
	if v >= 64 {
		e := bits.Len64(uint64(v)) - 7
		i = e*64 + int(v>>uint(e))
	}
	h.n[i]++
	h.cnt++
	h.sum += float64(v)
	h.max_ = max(h.max_, v)
}
func (h *hist) merge(o *hist) {
	for i, c := range o.n {
		h.n[i] += c
	}
	h.cnt += o.cnt
	h.sum += o.sum
	h.max_ = max(h.max_, o.max_)
}
func (h *hist) q(p float64) int64 {
	if h.cnt == 0 {
		return 0
	}
	want := int64(math.Ceil(p * float64(h.cnt)))
	var s int64
	for i, c := range h.n {
		if s += int64(c); s >= want {
			if i < 64 {
				return int64(i)
			}
			e := i/64 - 1
			return int64(i-e*64) << uint(e)
		}
	}
	return h.max_
}
func r2(f float64) float64 { return math.Round(f*1000) / 1000 }
func (h *hist) ms() obj { // values in ns -> ms
	if h.cnt == 0 {
		return obj{"n": 0}
	}
	f := func(v int64) float64 { return r2(float64(v) / 1e6) }
	return obj{"n": h.cnt, "mean": r2(h.sum / float64(h.cnt) / 1e6), "p50": f(h.q(.5)), "p95": f(h.q(.95)), "p99": f(h.q(.99)), "max": f(h.max_)}
}
