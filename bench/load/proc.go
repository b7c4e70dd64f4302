package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// ---------- /proc ----------

type pstat struct {
	user, sys float64 // ms
	rss       int64   // KiB
	vcs, ics  int64   // context switches, live threads only
	threads   int
}

func procStat(pid int) (s pstat) {
	if pid <= 0 {
		return
	}
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return
	}
	f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+2:]))
	n := func(i int) float64 { v, _ := strconv.ParseFloat(f[i], 64); return v }
	s.user, s.sys = n(11)*10, n(12)*10
	s.threads = int(n(17))
	s.rss = int64(n(21)) * int64(os.Getpagesize()) / 1024
	ts, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	for _, t := range ts {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/status", pid, t.Name()))
		if err != nil {
			continue
		}
		for _, l := range strings.Split(string(b), "\n") {
			if v, ok := strings.CutPrefix(l, "voluntary_ctxt_switches:"); ok {
				x, _ := strconv.ParseInt(strings.TrimSpace(v), 10, 64)
				s.vcs += x
			} else if v, ok := strings.CutPrefix(l, "nonvoluntary_ctxt_switches:"); ok {
				x, _ := strconv.ParseInt(strings.TrimSpace(v), 10, 64)
				s.ics += x
			}
		}
	}
	return
}

// busyMS is the whole machine's CPU time so far, all CPUs together.
func busyMS() (ms float64) {
	b, _ := os.ReadFile("/proc/stat")
	l, _, _ := strings.Cut(string(b), "\n")
	for i, f := range strings.Fields(l)[1:] {
		if v, _ := strconv.ParseFloat(f, 64); i < 8 && i != 3 && i != 4 {
			ms += v * 10
		}
	}
	return
}

// runqMS is how long the live threads of pid have waited for a CPU.
func runqMS(pid int) (ms float64) {
	ts, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	for _, t := range ts {
		b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/schedstat", pid, t.Name()))
		if f := strings.Fields(string(b)); len(f) == 3 {
			v, _ := strconv.ParseFloat(f[1], 64)
			ms += v / 1e6
		}
	}
	return
}

func rssOf(pid int) int64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0
	}
	f := strings.Fields(string(b))
	v, _ := strconv.ParseInt(f[1], 10, 64)
	return v * int64(os.Getpagesize()) / 1024
}
