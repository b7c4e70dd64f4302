package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/llm"
)

// leastCached is how much of a conversation's bytes each provider must have from earlier calls:
// what the shorter recording has, and half a percent less.
var leastCached = map[string]float64{
	"OpenAI, Chat Completions": 0.905, "OpenAI, Responses": 0.905, "Anthropic": 0.896, "Claude by OpenRouter": 0.882, "Claude by Bedrock": 0.893, "Gemini": 0.905,
}

// brokenOrders are mistakes that a cache punishes. Each of them must show with every provider.
var brokenOrders = map[string]func(call int, req *llm.Request){
	"the page's context early": contextEarly,
	"tools in another order": func(call int, req *llm.Request) {
		n := call % len(req.Tools)
		req.Tools = slices.Concat(req.Tools[n:], req.Tools[:n])
	},
	"the time in the system prompt": func(call int, req *llm.Request) {
		req.System = append([]llm.Block{{Text: fmt.Sprint("It is ", call, " o'clock.")}}, req.System...)
	},
}

// contextEarly moves the blocks of the page's context to the system prompt.
func contextEarly(_ int, req *llm.Request) {
	for i, m := range req.Messages {
		content := slices.Clone(m.Content)
		req.Messages[i].Content = slices.DeleteFunc(content, func(c llm.Content) bool {
			text, ok := c.(llm.Text)
			if !ok || !ownBlock(m.Role, text.String()) {
				return false
			}
			req.System = append([]llm.Block{{Text: text.String()}}, req.System...)
			return true
		})
	}
}

// checkDialects: every provider can have most of the conversation from its cache, and would not in
// another order; broken tries those.
func checkDialects(t *testing.T, calls []call, broken bool) {
	t.Helper()
	for _, d := range dialects {
		if got := shareOf(t, d, requestsOf(calls)); got < leastCached[d.name] {
			t.Errorf("%s has %.1f %% of the bytes from its cache; at least %.1f %% is wanted: what changes must come late, and a breakpoint before it", d.name, 100*got, 100*leastCached[d.name])
		}
		for name, change := range brokenOrders {
			if !broken {
				break
			}
			if got := shareOf(t, d, changed(calls, change)); got >= leastCached[d.name] {
				t.Errorf("%s has %.1f %% of the bytes from its cache with %s: the test would not notice", d.name, 100*got, name)
			}
		}
	}
}

func shareOf(t *testing.T, d dialect, requests []*llm.Request) float64 {
	t.Helper()
	share, err := d.share(t.Context(), requests)
	if err != nil {
		t.Fatal(err)
	}
	return share
}

// changed returns the requests of the calls, each changed.
func changed(calls []call, change func(int, *llm.Request)) (all []*llm.Request) {
	for i, req := range requestsOf(calls) {
		req = kept(req)
		change(i, req)
		all = append(all, req)
	}
	return all
}

// TestCacheOfBreakpoints: Claude serves what ended at a breakpoint before, if it is at most 20
// blocks before one; the others serve whatever is the same.
func TestCacheOfBreakpoints(t *testing.T) {
	units := func(text string) (all []unit) { // a letter is a unit, a star behind it a breakpoint
		for _, c := range text {
			if c == '*' {
				all[len(all)-1].mark = true
				continue
			}
			all = append(all, unit{text: string(c)})
		}
		return all
	}
	long := strings.Repeat("x", lookback-1)
	for _, tc := range []struct {
		breakpoints   bool
		first, second string
		cached        int
	}{
		{true, "abc", "abcd*", 0},
		{true, "ab*c", "abcd*", 2},
		{true, "ab*c*", "abcd*", 3},
		{true, "ab*c", "abcd", 0},
		{true, "ab*c", "axcd*", 0},
		{true, "a*" + long, "a" + long + "*", 1},
		{true, "a*" + long, "a" + long + "x*", 0},
		{true, "a*" + long, "a*" + long + "x*", 1},
		{false, "abc", "abcd", 3},
		{false, "abc", "axc", 1},
		{false, "abc", "xbc", 0},
	} {
		c := cache{breakpoints: tc.breakpoints, kept: map[prefix]bool{}}
		c.take(units(tc.first))
		if c.take(units(tc.second)); c.cached != tc.cached {
			t.Errorf("%s, then %s: %d from the cache, want %d", tc.first, tc.second, c.cached, tc.cached)
		}
	}
}
