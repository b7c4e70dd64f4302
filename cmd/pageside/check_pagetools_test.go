package main

import (
	"strings"
	"testing"
)

// TestCheckListsToolsOfPages: first those without an effect whose names say that they should have
// one.
func TestCheckListsToolsOfPages(t *testing.T) {
	entries := "pageTools:\n  - {name: scroll, effect: read}\n  - {name: zoom, approval: always}\n  - {name: bulkDeleteRows}\n"
	file := fileOf(t, "pageside.yaml", "agents: [{id: far, url: 'https://agents.example.com/far'}]\n"+entries)
	out, err := check(t, "--config", file)
	want := "Tools of pages bulkDeleteRows no effect here: the page's, or approvals.pageTools, approval policy zoom no effect here: the page's, or approvals.pageTools, approval always scroll read, approval policy"
	if got := strings.Join(strings.Fields(out), " "); err != nil || !strings.Contains(got, want) {
		t.Errorf("%v: %s", err, out)
	}
}
