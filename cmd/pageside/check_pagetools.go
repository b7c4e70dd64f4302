package main

import (
	"cmp"
	"slices"

	"github.com/pageside/pageside/config"
	"github.com/pageside/pageside/internal/lazy"
)

// pageToolReport is what the file says of a tool of the page.
type pageToolReport struct {
	Name     string `json:"name"`
	Effect   string `json:"effect,omitempty"` // "" is what the page declares
	Approval string `json:"approval,omitempty"`
}

// telling matches names of tools that delete, send or pay. The SDK has the same words.
var telling = lazy.Regexp(`(?i)delete|remove|drop|purge|wipe|send|mail|post|publish|share|pay|buy|order|submit|transfer|refund`)

// pageTools returns the entries of pageTools. Those without an effect come first, and of these the
// ones whose names say that they should have one.
func pageTools(entries []config.PageTool) (list []pageToolReport) {
	for _, t := range entries {
		list = append(list, pageToolReport{t.Name, t.Effect, t.Approval})
	}
	slices.SortStableFunc(list, func(a, b pageToolReport) int { return cmp.Compare(a.rank(), b.rank()) })
	return list
}

func (t pageToolReport) rank() int {
	switch {
	case t.Effect != "":
		return 2
	case telling().MatchString(t.Name):
		return 0
	}
	return 1
}
