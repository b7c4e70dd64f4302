package gate

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pageside/pageside/test/must"
)

// figures is the file of what each scenario may cost. UPDATE=1 writes it; the commit says why.
var figures = filepath.Join("testdata", "figures.json")

// slack is how much more than its figure a run may cost, and how much less before the figure is
// too old to hold anything.
const slack = 0.10

// cost is what a run, or the start, allocates.
type cost struct {
	Allocs float64 `json:"allocs"`
	KB     float64 `json:"kB"`
}

// scenarios are those of bench/README.md: what is sent in the nth run, and what the provider says.
// S4 is there twice more: with the whole conversation in each request, as stock clients send it,
// and with the last question edited.
var scenarios = map[string]scenario{
	"S0":        {answer: answer{tokens: 1}, ask: onNewThread},
	"S1":        {answer: answer{tokens: 200}, ask: onNewThread},
	"S3":        {answer: answer{tokens: 50, tool: true}, ask: onNewThread},
	"S4":        {answer: answer{tokens: 20}, input: longInput, ask: onNewThread},
	"S4 again":  {answer: answer{tokens: 20}, input: longInput, ask: (*site).askAgain},
	"S4 branch": {answer: answer{tokens: 20}, input: longInput, ask: (*site).askOtherwise},
}

type scenario struct {
	answer answer
	input  input
	ask    func(s *site, n int) // sends what is measured, by s.post
}

// TestRunsCostWhatTheyDid counts what whole runs allocate, from the request's bytes to those of the
// last event, with SQLite and a provider in memory; and what packages do when a program starts.
func TestRunsCostWhatTheyDid(t *testing.T) {
	known, update := map[string]cost{}, os.Getenv("UPDATE") != ""
	if raw, err := os.ReadFile(figures); err == nil {
		if err := json.Unmarshal(raw, &known); err != nil {
			t.Fatal(err)
		}
	}
	measured := map[string]func(t *testing.T) cost{"start": start}
	for name, sc := range scenarios {
		measured[name] = func(t *testing.T) cost { return measure(t, sc) }
	}
	for _, name := range slices.Sorted(maps.Keys(measured)) {
		t.Run(name, func(t *testing.T) {
			got := measured[name](t)
			t.Logf("%.0f allocations, %.1f kB", got.Allocs, got.KB)
			if !update {
				compare(t, "allocations", got.Allocs, known[name].Allocs)
				compare(t, "kB", got.KB, known[name].KB)
			}
			known[name] = got
		})
	}
	if update {
		write(t, known)
	}
}

// start counts what is allocated before a program with the server in it does anything: this test,
// once more, with the runtime telling about each package.
func start(t *testing.T) (c cost) {
	again := exec.CommandContext(t.Context(), must.Get(os.Executable())(t), "-test.run=^$")
	again.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	told := must.Get(again.CombinedOutput())(t)
	// init net/http @9.1 ms, 0.21 ms clock, 13152 bytes, 98 allocs
	for _, found := range initialised.FindAllSubmatch(told, -1) {
		c.KB += must.Get(strconv.ParseFloat(string(found[1]), 64))(t) / 1000
		c.Allocs += must.Get(strconv.ParseFloat(string(found[2]), 64))(t)
	}
	return c
}

var initialised = regexp.MustCompile(`(?m)^init .* (\d+) bytes, (\d+) allocs$`)

func compare(t *testing.T, what string, got, known float64) {
	t.Helper()
	switch {
	case got > known*(1+slack):
		t.Errorf("it costs %.1f %s, %.1f before: find out why, or UPDATE=1 and say in the commit why it must", got, what, known)
	case got < known*(1-slack):
		t.Errorf("it costs only %.1f %s, %.1f before: UPDATE=1, so that it stays", got, what, known)
	}
}

func write(t *testing.T, all map[string]cost) {
	raw, err := json.MarshalIndent(all, "", "  ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(figures), 0o755)
	}
	if err == nil {
		err = os.WriteFile(figures, append(raw, '\n'), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestCostGrowsWithTheInput: four times the input costs less than five times as much.
func TestCostGrowsWithTheInput(t *testing.T) {
	for what, grow := range map[string]func(sc *scenario, times int){
		"messages": func(sc *scenario, times int) { sc.input.messages *= times },
		"tools":    func(sc *scenario, times int) { sc.input.tools *= times },
		"context":  func(sc *scenario, times int) { sc.input.contexts *= times },
		"tokens":   func(sc *scenario, times int) { sc.answer.tokens *= times },
	} {
		t.Run(what, func(t *testing.T) {
			grown := func(times int) cost {
				sc := scenario{answer: answer{tokens: 200}, input: usualInput, ask: onNewThread}
				grow(&sc, times)
				return measure(t, sc)
			}
			one, four := grown(1), grown(4)
			t.Logf("%v, four times as much: %v", one, four)
			if four.Allocs > 5*one.Allocs || four.KB > 5*one.KB {
				t.Errorf("a run costs %v, and %v with four times the %s", one, four, what)
			}
		})
	}
}

// raceDetector is set where tests run under it.
var raceDetector bool

// warm runs come before those that are measured.
const warm, measured = 6, 16

// measure returns what a run costs. The collector is off, so that pools keep what is in them; the
// clock is a bubble's, so that each run finds done what is done in quiet moments.
func measure(t *testing.T, sc scenario) (c cost) {
	if raceDetector {
		t.Skip("the race detector allocates")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	synctest.Test(t, func(t *testing.T) {
		s := open(t, sc)
		for n := range warm {
			sc.ask(s, n)
		}
		s.cost = cost{}
		for n := range measured {
			sc.ask(s, warm+n)
		}
		c = s.cost
	})
	return cost{round(c.Allocs / measured), round(c.KB / measured / 1024)}
}

func round(x float64) float64 { return float64(int(x*10+0.5)) / 10 }

// counted adds to the site's cost what do allocates.
func (s *site) counted(do func()) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	s.cost.Allocs += float64(after.Mallocs - before.Mallocs)
	s.cost.KB += float64(after.TotalAlloc - before.TotalAlloc)
}

func onNewThread(s *site, n int) {
	s.post(request{thread: fmt.Sprint("thread-", n), messages: s.history})
}

// askAgain sends a thread's whole conversation with a new question.
func (s *site) askAgain(n int) {
	if n > 0 {
		s.history = append(s.history, message("assistant", s.answerID, s.answerText), message("user", fmt.Sprint("question-", n), "And then?"))
	}
	s.post(request{thread: "thread", messages: s.history})
}

// askOtherwise sends a thread's conversation with its last question edited.
func (s *site) askOtherwise(n int) {
	last := len(s.history) - 1
	s.history[last] = message("user", fmt.Sprint("question-", n), "What else?")
	s.post(request{thread: "thread", messages: s.history})
}

// settle lets a minute pass in the bubble, in which what waits for quiet is done.
func settle() { time.Sleep(time.Minute); synctest.Wait() }
