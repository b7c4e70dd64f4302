package sqlstore

import (
	"fmt"
	"testing"

	"github.com/pageside/pageside/test/must"
)

// TestKeptThreads: what is kept of a thread is never older than a change of it, nor newer than the
// reader, and has its limit.
func TestKeptThreads(t *testing.T) {
	a, b := threadKey{id: "a"}, threadKey{id: "b"}
	at := func(last int64) *threadRows { return &threadRows{last: last, size: 1} }
	for _, c := range []struct {
		name string
		do   func(k *keptThreads)
		want int64 // the seq as of which a is known to a reader at 5; 0 if it is not
	}{
		{"kept", func(k *keptThreads) { k.keep(a, at(3), k.moment()) }, 3},
		{"grown since", func(k *keptThreads) { k.keep(a, at(3), k.moment()); k.keep(a, at(5), k.moment()) }, 5},
		{"read late by an old reader", func(k *keptThreads) { k.keep(a, at(4), k.moment()); k.keep(a, at(3), k.moment()) }, 4},
		{"newer than the reader", func(k *keptThreads) { k.keep(a, at(6), k.moment()) }, 0},
		{"changed", func(k *keptThreads) { k.keep(a, at(3), k.moment()); k.drop(a); k.settle() }, 0},
		{"read while it is changed", func(k *keptThreads) { k.drop(a); k.keep(a, at(3), k.moment()) }, 0},
		{"read before it was changed", func(k *keptThreads) { m := k.moment(); k.drop(a); k.settle(); k.keep(a, at(3), m) }, 0},
		{"read after it was changed", func(k *keptThreads) { k.drop(a); k.settle(); k.keep(a, at(3), k.moment()) }, 3},
		{"another one is changed", func(k *keptThreads) { k.keep(a, at(3), k.moment()); k.drop(b); k.settle() }, 3},
		{"too long", func(k *keptThreads) { k.keep(a, &threadRows{last: 3, size: maxKeptThread + 1}, k.moment()) }, 0},
		{"others are read", func(k *keptThreads) {
			k.keep(a, at(3), k.moment())
			for i := range 3 {
				k.keep(threadKey{id: fmt.Sprint(i)}, &threadRows{size: maxKeptThread}, k.moment())
			}
		}, 0},
		{"it grows often", func(k *keptThreads) {
			for i := range int64(5) {
				k.keep(a, &threadRows{last: i + 1, size: maxKeptThread}, k.moment())
			}
		}, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := newKeptThreads()
			c.do(k)
			got := int64(0)
			if known := k.get(a, 5); known != nil {
				got = known.last
			}
			must.Be(t, got, c.want, "known as of")
		})
	}
}
