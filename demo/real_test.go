package demo

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// readLines reads a log the plain way: what the demo computes is compared with counts over these lines.
func readLines(t *testing.T, path string) []string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for scan := bufio.NewScanner(z); scan.Scan(); {
		lines = append(lines, scan.Text())
	}
	return lines
}

type pathCount struct {
	path  string
	count int
}

// countPaths counts the request targets, without query strings, that were answered with the status: most first, then by name.
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

// countHours counts the lines of the hours, which are written as the log writes them.
func countHours(lines []string, hours ...string) (n int) {
	for _, line := range lines {
		if slices.ContainsFunc(hours, func(h string) bool { return strings.Contains(line, "["+h+":") }) {
			n++
		}
	}
	return n
}

func TestRealLogAPI(t *testing.T) {
	d := openReal(t)
	lines := readLines(t, realLog)
	code, info := call(t, d, "GET", "/demo/discover/info", "")
	if code != 200 || info["total"] != 9999.0 || info["badLines"] != 1.0 || compact(info["time"]) != `{"max":"2015-05-20T21:05:59Z","min":"2015-05-17T10:05:00Z"}` {
		t.Errorf("info %v", compact(info))
	}
	if got := compact(info["source"]); got != `{"file":"apache_access.log.gz","generated":false,"label":"apache_access.log.gz","name":"access_log"}` {
		t.Error(got)
	}
	for _, status := range []string{"200", "404", "500"} {
		want := countPaths(lines, status)
		answer := query(t, d, `{"query":"source=access_log | where status = `+status+` | stats count() as hits by path | sort - hits","pageSize":200}`)
		if answer["total"] != float64(len(want)) {
			t.Errorf("%s: %v paths, want %d", status, answer["total"], len(want))
		}
		for i, row := range answer["rows"].([]any) {
			if got := fmt.Sprint(row); got != fmt.Sprintf("[%d %s]", want[i].count, want[i].path) {
				t.Fatalf("%s: row %d is %s, want %v", status, i, got, want[i])
			}
		}
	}
	answer := query(t, d, `{"query":"","time":{"from":"2015-05-18T10:00:00Z","to":"2015-05-18T11:59:59Z"}}`)
	if want := countHours(lines, "18/May/2015:10", "18/May/2015:11"); answer["matched"] != float64(want) {
		t.Errorf("two hours hold %v events, want %d", answer["matched"], want)
	}
}

func TestNoSuchLog(t *testing.T) {
	if _, err := New(t.Context(), Config{LogFile: "none.log"}); err == nil || !strings.Contains(err.Error(), "none.log") {
		t.Error(err)
	}
	if _, err := New(t.Context(), Config{LogFile: "demo.go"}); err == nil || !strings.Contains(err.Error(), "common or combined log format") {
		t.Error(err)
	}
}
