package accesslog

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/demo/demotest"
	"github.com/pageside/pageside/test/must"
)

// show writes the parsed fields in one line.
func show(e Event) string {
	n := func(v *int64) string {
		if v == nil {
			return "null"
		}
		return fmt.Sprint(*v)
	}
	return strings.Join([]string{e.Time.UTC().Format(time.RFC3339), e.ClientIP, e.User, e.Method, e.Path, e.Query, e.Protocol,
		n(e.Status), n(e.Bytes), e.Referrer, e.UserAgent, e.Browser}, "|")
}

func TestParseLine(t *testing.T) {
	for _, row := range demotest.Rows(t, "testdata/lines.txt") {
		line, want := row[0], row[1]
		e, err := ParseLine(line)
		if reason, bad := strings.CutPrefix(want, "bad: "); bad {
			must.Fail(t, err, reason, "%s", line)
			continue
		}
		must.Be(t, err, nil, "%s", line)
		must.Be(t, show(e), want, "%s", line)
		must.Be(t, e.Raw, line, "the line itself")
	}
}

func FuzzParseLine(f *testing.F) {
	f.Add(`83.149.9.216 - - [17/May/2015:10:05:03 +0000] "GET /a?b HTTP/1.1" 200 203023 "http://example.com/" "Mozilla/5.0 \"x\""`)
	f.Add(`h:80 ::1 - u [10/Oct/2000:13:55:36 -0700] "-" - - "" ""`)
	f.Fuzz(func(t *testing.T, line string) {
		e, err := ParseLine(line)
		if err == nil && (e.ClientIP == "" || e.Time.IsZero() && !strings.Contains(line, "0001") || e.Status != nil && *e.Status < 0) {
			t.Errorf("%q: %+v", line, e)
		}
	})
}
