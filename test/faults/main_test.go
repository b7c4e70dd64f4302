package faults

import (
	"flag"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if role := os.Getenv(childEnv); role != "" {
		os.Exit(child(role))
	}
	flag.Parse()
	// what is done on purpose here is not worth a line each
	slog.SetDefault(slog.New(slog.DiscardHandler))
	_ = flag.Set("test.parallel", "8") // much of it is waiting
	before := countSelf()
	code := m.Run()
	if left := leftBehind(before); left != "" && code == 0 {
		fmt.Fprintln(os.Stderr, left)
		code = 1
	}
	table.print()
	removeBinary()
	os.Exit(code)
}

// share is how much of the long counts is asked for: 0 for the short ones.
var share = sync.OnceValue(func() float64 {
	switch wish := os.Getenv("FAULTS"); {
	case wish == "":
		return 0
	case wish == "long":
		return 1
	default:
		percent, err := strconv.ParseFloat(strings.TrimSuffix(wish, "%"), 64)
		if err != nil || percent <= 0 {
			fmt.Fprintf(os.Stderr, "FAULTS=%q: it is long, a share of it such as 20%%, or not set\n", wish)
			os.Exit(2)
		}
		return percent / 100
	}
})

// count is how often something is done.
func count(short, long int) int {
	if share() == 0 {
		return short
	}
	return max(int(float64(long)*share()), short)
}

// isLong reports whether this is the long version, which measures. A share of it does more than the
// short version, and measures nothing either.
func isLong() bool { return share() >= 1 }

// hang is how long something may take that is not measured: what takes longer never comes.
const hang = 2 * time.Minute

// limit is how long something may take, where that is measured: in the long version. The others run
// beside other tests, on busy machines.
func limit(d time.Duration) time.Duration {
	if isLong() {
		return d
	}
	return hang
}

// beside lets a program run beside others, but not in the long version: there each has the machine
// for itself, so that what it measures is its own.
func beside(t *testing.T) {
	if !isLong() {
		t.Parallel()
	}
}

// takesChances skips a program whose course depends on real processes and real time: `make test`
// leaves those to `make test-long`.
func takesChances(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("only in the long version")
	}
}

// counts is what a process holds.
type counts struct {
	Goroutines int   `json:"goroutines"`
	Files      int   `json:"files"`
	Conns      int   `json:"conns"` // that clients have to it; only a child tells
	RSS        int64 `json:"rss"`   // bytes
	Peak       int64 `json:"peak"`  // bytes, since the process began
}

func countSelf() counts {
	files, _ := os.ReadDir("/proc/self/fd") // none elsewhere than on Linux
	rss, peak := memoryOf("self")
	return counts{Goroutines: runtime.NumGoroutine(), Files: len(files), RSS: rss, Peak: peak}
}

// memoryOf returns what a process occupies, and the most it has, in bytes; 0 where /proc does not
// tell.
func memoryOf(pid string) (rss, peak int64) {
	status, _ := os.ReadFile("/proc/" + pid + "/status")
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		kib, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		switch name {
		case "VmRSS":
			rss = kib << 10
		case "VmHWM":
			peak = kib << 10
		}
	}
	return rss, peak
}

// leftBehind waits until goroutines and files are as many as before, and says what is left if they
// are not.
func leftBehind(before counts) string {
	var now counts
	for begun := time.Now(); time.Since(begun) < hang; {
		if now = countSelf(); now.Goroutines <= before.Goroutines+5 && now.Files <= before.Files+5 {
			table.add(result{name: "nothing is left", what: fmt.Sprintf("goroutines %d → %d, files %d → %d, after all programs", before.Goroutines, now.Goroutines, before.Files, now.Files)})
			return ""
		}
		time.Sleep(50 * time.Millisecond)
	}
	var stacks strings.Builder
	_ = pprof.Lookup("goroutine").WriteTo(&stacks, 1)
	return fmt.Sprintf("goroutines %d → %d, files %d → %d: something is left behind\n%s", before.Goroutines, now.Goroutines, before.Files, now.Files, stacks.String())
}

// table is what the programs have done and measured.
var table results

type results struct {
	mu   sync.Mutex
	rows []result
}

type result struct {
	name, what string
	test       *testing.T // nil where it is none
}

func (r *results) add(row result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rows = append(r.rows, row)
}

// report puts a line into the table.
func report(t *testing.T, name, format string, args ...any) {
	t.Helper()
	what := fmt.Sprintf(format, args...)
	t.Logf("%s: %s", name, what)
	table.add(result{name, what, t})
}

func (r *results) print() {
	if share() == 0 {
		return
	}
	fmt.Printf("\n%-34s %s\n", "program", "done, and measured")
	for _, row := range r.rows {
		if row.test != nil && row.test.Failed() {
			row.what = "FAILED " + row.what
		}
		fmt.Printf("%-34s %s\n", row.name, row.what)
	}
}

// spread is a set of durations.
type spread struct {
	mu  sync.Mutex
	all []time.Duration
}

func (s *spread) add(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, d)
}
