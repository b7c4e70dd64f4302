package demo

import (
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/demo/accesslog"
	"github.com/pageside/pageside/test/must"
)

// eachLog plays a test on the generated log and on the real one, of which it gets the lines.
func eachLog(t *testing.T, test func(t *testing.T, d *Demo, lines []string)) {
	t.Run("generated", func(t *testing.T) { test(t, openSample(t), sampleLines(t)) })
	t.Run("real", func(t *testing.T) { test(t, openReal(t), realLines(t)) })
}

// realLines reads the real log the plain way: what the demo computes is compared with counts over
// these lines.
func realLines(t *testing.T) []string {
	t.Helper()
	f := must.Get(os.Open(realLog))(t)
	defer func() { _ = f.Close() }()
	z := must.Get(gzip.NewReader(f))(t)
	text := must.Get(io.ReadAll(z))(t)
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// sampleLines are those of the generated log.
func sampleLines(t *testing.T) []string {
	t.Helper()
	var text strings.Builder
	must.Do(t, accesslog.WriteSample(&text))
	return strings.Split(strings.TrimSpace(text.String()), "\n")
}

type pathCount struct {
	path  string
	count int
}

// countPaths counts the request targets, without query strings, that were answered with the status:
// most first, then by name.
func countPaths(lines []string, status string) []pathCount {
	counts := map[string]int{}
	for _, line := range lines {
		parts := strings.Split(line, `"`)
		if strings.Fields(parts[2])[0] == status {
			target, _, _ := strings.Cut(strings.Fields(parts[1])[1], "?")
			counts[target]++
		}
	}
	var list []pathCount
	for p, n := range counts {
		list = append(list, pathCount{p, n})
	}
	slices.SortFunc(list, func(a, b pathCount) int { return cmp.Or(b.count-a.count, cmp.Compare(a.path, b.path)) })
	return list
}

// TestLogAPI compares what the API counts with counts over the lines of the log.
func TestLogAPI(t *testing.T) {
	eachLog(t, func(t *testing.T, d *Demo, lines []string) {
		for _, status := range []string{"200", "404", "500"} {
			want := countPaths(lines, status)
			answer := query(t, d, `{"query":"source=access_log | where status = `+status+` | stats count() as hits by path | sort - hits","pageSize":200}`)
			if answer["total"] != float64(len(want)) || len(want) == 0 {
				t.Errorf("%s: %v paths, want %d", status, answer["total"], len(want))
			}
			for i, row := range answer["rows"].([]any) {
				if got := fmt.Sprint(row); got != fmt.Sprintf("[%d %s]", want[i].count, want[i].path) {
					t.Fatalf("%s: row %d is %s, want %v", status, i, got, want[i])
				}
			}
		}
	})
}

func TestNoSuchLog(t *testing.T) {
	if _, err := New(t.Context(), Config{LogFile: "none.log"}); err == nil || !strings.Contains(err.Error(), "none.log") {
		t.Error(err)
	}
	if _, err := New(t.Context(), Config{LogFile: "demo.go"}); err == nil || !strings.Contains(err.Error(), "common or combined log format") {
		t.Error(err)
	}
}
