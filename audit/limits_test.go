package audit_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/test/must"
)

// recorder keeps entries.
type recorder struct {
	entries []audit.Entry
	err     error
}

func (r *recorder) Record(_ context.Context, e audit.Entry) error {
	r.entries = append(r.entries, e)
	return r.err
}

// However often limits are reached, the audit log gets one entry a minute for each.
func TestLimitReporterAddsUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var kept recorder
		r := audit.NewLimitReporter(&kept, slog.Default())
		ada := auth.Principal{Tenant: "acme", Subject: "ada"}
		for range 1000 {
			r.Reached(t.Context(), ada, "requests.runs")
		}
		r.Reached(t.Context(), ada, "runs")
		time.Sleep(time.Minute)
		r.Reached(t.Context(), ada, "requests.runs")
		r.Reached(t.Context(), ada, "requests.runs")
		r.Flush(t.Context())
		var got []string
		for _, e := range kept.entries {
			got = append(got, fmt.Sprint(e.Kind, " ", e.Principal.Subject, " ", e.Detail))
		}
		want := "limit ada reached the limit requests.runs|limit ada reached the limit runs|" +
			"limit ada reached the limit requests.runs 1000 times|limit ada reached the limit requests.runs"
		must.Be(t, strings.Join(got, "|"), want, "recorded")
	})
}

func TestLimitReporterIsBounded(t *testing.T) {
	kept := recorder{err: errors.New("full")}
	r := audit.NewLimitReporter(&kept, slog.New(slog.DiscardHandler))
	for i := range 30_000 {
		r.Reached(t.Context(), auth.Principal{Subject: fmt.Sprint(i)}, "runs")
	}
	must.Be(t, len(kept.entries), 10_001, "entries")
	var none *audit.LimitReporter
	none.Reached(t.Context(), auth.Local, "runs")
	none.Flush(t.Context())
}
