package main

import (
	"fmt"

	"github.com/tiktoken-go/tokenizer"
)

// counter turns prompts into tokens. It remembers texts: most of a prompt was in the one before.
type counter struct {
	codec tokenizer.Codec
	known map[string][]uint
}

func newCounter() (*counter, error) {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		return nil, fmt.Errorf("open the tokenizer: %w", err)
	}
	return &counter{codec, map[string][]uint{}}, nil
}

// The marks around role and text of a message, which are one token each. No text has tokens of
// these numbers.
const (
	messageStart = 1<<32 + iota
	messageText
	messageEnd
)

func (c *counter) tokens(p prompt) ([]uint, error) {
	var all []uint
	for _, m := range p {
		role, err := c.text(m.role)
		if err != nil {
			return nil, err
		}
		text, err := c.text(m.text)
		if err != nil {
			return nil, err
		}
		all = append(append(all, messageStart), role...)
		all = append(append(all, messageText), text...)
		all = append(all, messageEnd)
	}
	return all, nil
}

func (c *counter) text(s string) ([]uint, error) {
	if ids, ok := c.known[s]; ok {
		return ids, nil
	}
	ids, _, err := c.codec.Encode(s)
	if err != nil {
		return nil, fmt.Errorf("cut %.40q into tokens: %w", s, err)
	}
	c.known[s] = ids
	return ids, nil
}

// What OpenAI documents about its prompt cache, and the price of a cached token as a share of the
// full one.
const (
	cacheLeast  = 1024
	cacheStep   = 128
	cachedPrice = 0.1
)

// bill is what the prompts of a conversation cost.
type bill struct{ calls, tokens, cached int }

func (b bill) uncached() int { return b.tokens - b.cached }

// cost is in tokens at the full price.
func (b bill) cost() float64 { return float64(b.uncached()) + cachedPrice*float64(b.cached) }

// price lays the calls out and counts. The cache holds every earlier prompt of the conversation.
func (c *counter) price(l layout, calls []call) (bill, error) {
	b := bill{calls: len(calls)}
	var earlier [][]uint
	for i := range calls {
		tokens, err := c.tokens(l.prompt(calls[:i+1]))
		if err != nil {
			return b, err
		}
		b.tokens += len(tokens)
		b.cached += cached(tokens, earlier)
		earlier = append(earlier, tokens)
	}
	return b, nil
}

// cached returns how many tokens of a prompt the cache serves.
func cached(tokens []uint, earlier [][]uint) int {
	longest := 0
	for _, e := range earlier {
		longest = max(longest, commonPrefix(tokens, e))
	}
	if longest < cacheLeast {
		return 0
	}
	return longest / cacheStep * cacheStep
}

func commonPrefix(a, b []uint) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
