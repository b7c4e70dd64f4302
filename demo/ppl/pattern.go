package ppl

import (
	"regexp"
	"sync"
)

const maxCached = 64

// patternCache is safe for concurrent use.
type patternCache struct {
	mu    sync.Mutex
	known map[string]*regexp.Regexp
}

// get returns the compiled pattern; one that cannot be compiled matches nothing.
func (c *patternCache) get(pattern string) *regexp.Regexp {
	c.mu.Lock()
	defer c.mu.Unlock()
	if re, ok := c.known[pattern]; ok {
		return re
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		re = regexp.MustCompile(`[^\x00-\x{10FFFF}]`)
	}
	if c.known == nil || len(c.known) >= maxCached {
		c.known = map[string]*regexp.Regexp{}
	}
	c.known[pattern] = re
	return re
}
