package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/demo"
)

// leastSaving is by how much Pageside's prompts must be cheaper than those that have the page's
// context in the system prompt. A sentence more in the description of a tool moves it by half a
// percent: all layouts pay for it alike, in steps of 128 tokens.
const leastSaving = 0.44

// TestPromptCost replays the recorded conversations. It measures no time: the same code always
// gives the same figures. Apart from the random ids, the same conversation makes the same requests,
// byte for byte.
func TestPromptCost(t *testing.T) {
	conversations, err := load(nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(conversations) != 2 || conversations[0].questions != 12 || conversations[1].questions != 40 {
		t.Fatalf("the recordings are not those of 12 and 40 questions: %d", len(conversations))
	}
	d, err := demo.New(t.Context(), demo.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	for _, c := range conversations {
		t.Run(c.name, func(t *testing.T) {
			calls := replayed(t, c, d)
			checkLayouts(t, calls)
			theirs, own := costs(t, calls)
			checkSaving(t, theirs, own)
			checkDialects(t, calls, c.questions == 12 || !testing.Short())
			checkSame(t, calls, replayed(t, c, d))
		})
	}
}

func replayed(t *testing.T, c *conversation, d *demo.Demo) []call {
	t.Helper()
	calls, err := replay(t.Context(), c, d)
	if err != nil {
		t.Fatal(err)
	}
	return calls
}

// costs are those of the context in the system prompt, and of Pageside's layout.
func costs(t *testing.T, calls []call) (theirs, own float64) {
	t.Helper()
	counter, err := newCounter()
	if err != nil {
		t.Fatal(err)
	}
	cost := func(l layout) float64 {
		b, err := counter.price(l, calls)
		if err != nil {
			t.Fatal(err)
		}
		return b.cost()
	}
	return cost(layouts[0]), cost(layouts[len(layouts)-1])
}

func checkSaving(t *testing.T, theirs, own float64) {
	t.Helper()
	saving := 1 - own/theirs
	t.Logf("%.0f instead of %.0f, %.1f %% less", own, theirs, 100*saving)
	if saving < leastSaving {
		t.Errorf("the prompts are %.1f %% cheaper than with the context in the system prompt; at least %.0f %% is wanted. `go run ./bench/prompts` shows all layouts", 100*saving, 100*leastSaving)
	}
}

func checkSame(t *testing.T, first, second []call) {
	t.Helper()
	if len(first) != len(second) {
		t.Fatalf("it takes %d calls, then %d", len(first), len(second))
	}
	for i := range first {
		a, b := first[i].request, second[i].request
		if a == b {
			continue
		}
		n := 0
		for n < min(len(a), len(b)) && a[n] == b[n] {
			n++
		}
		t.Fatalf("call %d differs:\n…%.300s\n…%.300s", i, a[max(0, n-80):], b[max(0, n-80):])
	}
}

// checkLayouts: every layout holds everything that was said, in order, and what the page shows: the
// comparison is of where it stands.
func checkLayouts(t *testing.T, calls []call) {
	t.Helper()
	for i, c := range calls {
		for _, l := range layouts {
			p := l.prompt(calls[:i+1])
			at := 0
			for _, m := range c.messages {
				n := slices.IndexFunc(p[at:], func(other message) bool { return other.role == m.role && strings.HasSuffix(other.text, m.text) })
				if n < 0 {
					t.Fatalf("call %d: layout %q lacks the %s message %.80q", i, l.name, m.role, m.text)
				}
				at += n + 1
			}
			all := ""
			for _, m := range p {
				all += m.text
			}
			for _, item := range c.context {
				if !strings.Contains(all, item.Description) {
					t.Fatalf("call %d: layout %q lacks the item %q", i, l.name, item.Description)
				}
			}
		}
	}
}

func TestCached(t *testing.T) {
	count := func(n int) []uint {
		tokens := make([]uint, n)
		for i := range tokens {
			tokens[i] = uint(i)
		}
		return tokens
	}
	other := append(count(1500), 7)
	for _, test := range []struct {
		tokens  []uint
		earlier [][]uint
		want    int
	}{
		{count(3000), nil, 0},
		{count(3000), [][]uint{count(1023)}, 0},
		{count(3000), [][]uint{count(1024)}, 1024},
		{count(3000), [][]uint{count(2000), count(1151), other}, 1920},
		{append(count(1500), 8, 9, 10), [][]uint{other, count(1100)}, 1408},
		{count(1300), [][]uint{count(3000)}, 1280},
	} {
		if got := cached(test.tokens, test.earlier); got != test.want {
			t.Errorf("%d of %d tokens are cached, not %d", got, len(test.tokens), test.want)
		}
	}
}
