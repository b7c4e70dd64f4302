package main

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"sync"
)

// userPagePolicy is the Content-Security-Policy of the pages of --pages. They are somebody's own
// and may hold anything: inline scripts, fonts and scripts from elsewhere, forms that are sent. It
// keeps only what the tray relies on: that its addresses stay the page's, that no plug-in runs
// beside it, and that no other site frames the page to have its buttons clicked. What it blocks is
// reported.
const userPagePolicy = "base-uri 'self'; object-src 'none'; frame-ancestors 'self'; report-uri " + policyReports

// policyReports is where browsers send what userPagePolicy blocked.
const policyReports = "/csp-report"

// Bounds of what browsers report.
const (
	maxPolicyReport  = 16 << 10
	maxPolicyReports = 100
)

// blockedByPolicy logs what browsers report, each thing once.
func blockedByPolicy(log *slog.Logger) http.Handler {
	var mu sync.Mutex
	seen := map[policyReport]bool{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusNoContent)
		var sent struct {
			Report policyReport `json:"csp-report"`
		}
		raw, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maxPolicyReport))
		if err != nil || json.Unmarshal(raw, &sent) != nil || sent.Report.Directive == "" {
			return // not a browser's
		}
		mu.Lock()
		defer mu.Unlock()
		if seen[sent.Report] || len(seen) >= maxPolicyReports {
			return
		}
		seen[sent.Report] = true
		log.Warn("the browser blocked a part of a page, as its Content-Security-Policy says",
			"page", sent.Report.Page, "blocked", sent.Report.Blocked, "directive", sent.Report.Directive)
	})
}

type policyReport struct {
	Page      string `json:"document-uri"`
	Blocked   string `json:"blocked-uri"`
	Directive string `json:"effective-directive"`
}
