package faults

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/pageside/pageside/test/must"
)

// TestStalledReaders: readers that read nothing stand beside others that do. They are dropped, cost
// little, and the others do not notice.
func TestStalledReaders(t *testing.T) {
	takesChances(t)
	s := newSite(t)
	n := count(50, 500)
	patience, watch := 10*time.Second, 8*time.Second
	if !isLong() {
		patience, watch = time.Second, 2*time.Second
	}
	p := s.start(func(c *childConfig) { c.Patience = patience })
	// A stream that fits into nobody's buffers.
	if fat := p.run(within(t, hang), "fat", "fat", step{Words: 3500, Size: 1100}); fat.bad != nil {
		t.Fatal(fat.bad)
	}
	before := p.counts(t, "?reset=1")
	alone := watchLive(t, p, "alone", n, watch)
	p.http.CloseIdleConnections()
	time.Sleep(100 * time.Millisecond)
	quiet := p.counts(t, "?reset=1")
	var stalled []net.Conn
	for range n {
		stalled = append(stalled, stall(t, p.url))
	}
	begun := time.Now()
	beside := watchLive(t, p, "beside", n, watch)
	p.http.CloseIdleConnections()
	with := p.counts(t, "")
	// Not one may be left: whoever is read from before he is dropped does not stall any more.
	for with.Conns > 1 && time.Since(begun) < patience+hang { // one is that which asks
		time.Sleep(100 * time.Millisecond)
		with = p.counts(t, "")
	}
	gone := time.Since(begun).Round(100 * time.Millisecond)
	dropped := 0
	for _, conn := range stalled {
		_ = conn.SetReadDeadline(time.Now().Add(hang))
		rest, err := io.ReadAll(conn)
		conn.Close()
		if bytes.Contains(rest, []byte("RUN_FINISHED")) || err != nil && os.IsTimeout(err) {
			continue
		}
		dropped++
	}
	must.Be(t, dropped, n, "stalled readers that were dropped; %d connections are open\n%s", with.Conns-1, p.log)
	if gone > patience+5*time.Second && isLong() {
		t.Errorf("the last reader that stalled was dropped after %s", gone)
	}
	each := max(with.Peak-quiet.RSS, 0) / int64(n)
	// of few, what the collector lets lie about is more than what they cost
	if each > 1<<20 && n >= 200 && !underRace {
		t.Errorf("a reader that stalls costs %d kB", each>>10)
	}
	grown := float64(beside.at(.99))/float64(alone.at(.99)) - 1
	report(t, "stalled readers", "%d stalled beside %d live: all dropped within %s (each has %s), at most %d kB each; live readers: p50 %s → %s, p99 %s → %s (%+.0f%%), max %s → %s; server %d → %d MB",
		n, n, gone, patience, each>>10, alone.at(.5), beside.at(.5), alone.at(.99), beside.at(.99), 100*grown, alone.at(1), beside.at(1), before.RSS>>20, with.Peak>>20)
}

// stall follows a run over a connection that takes next to nothing, and reads nothing.
func stall(t *testing.T, url string) net.Conn {
	t.Helper()
	d := net.Dialer{Control: func(_, _ string, c syscall.RawConn) error {
		return c.Control(func(fd uintptr) { _ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4<<10) })
	}}
	conn := must.Get(d.DialContext(t.Context(), "tcp", strings.TrimPrefix(url, "http://")))(t)
	must.Get(io.WriteString(conn, "GET /v1/runs/fat/events?protocolVersion=1.0 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"))(t)
	return conn
}

// watchLive has n readers follow ten runs and returns how old their words were when they came.
func watchLive(t *testing.T, p *process, name string, n int, d time.Duration) *spread {
	t.Helper()
	const pace = 50
	age := &spread{}
	var clients sync.WaitGroup
	for i := range 10 {
		id := fmt.Sprintf("%s%d", name, i)
		clients.Go(func() {
			got := p.run(within(t, hang), "t-"+id, id, step{Words: int(d.Milliseconds() / pace), Pace: pace, Stamp: true})
			if got.bad != nil {
				t.Errorf("%v %v", got.bad, got.err)
			}
		})
	}
	time.Sleep(300 * time.Millisecond) // they have begun
	for i := range n {
		id := fmt.Sprintf("%s%d", name, i%10)
		clients.Go(func() {
			first := true
			p.events(within(t, hang), "/v1/runs/"+id+"/events?protocolVersion=1.0", "", -1, func(frame []byte) bool {
				_, stamp, ok := bytes.Cut(frame, []byte(`"delta":"~`))
				if !ok {
					return false
				}
				digits, _, _ := bytes.Cut(stamp, []byte(" "))
				at, err := strconv.ParseInt(string(digits), 10, 64)
				old := time.Since(time.Unix(0, at))
				// it has caught up
				if first = first && old > pace*time.Millisecond; err == nil && !first {
					age.add(old)
				}
				return false
			})
		})
	}
	clients.Wait()
	return age
}

// TestIdleStreams: ten thousand tabs that look at a hundred threads and see nothing happen.
func TestIdleStreams(t *testing.T) {
	takesChances(t)
	if !isLong() {
		t.Skip("it opens 10,000 connections: only in the long version")
	}
	s := newSite(t)
	p := s.start(nil)
	const threads = 100
	for i := range threads {
		id := fmt.Sprintf("idle%d", i)
		p.run(within(t, hang), "t-"+id, id, step{Words: 20})
	}
	n := count(1000, 10_000)
	before := p.counts(t, "?reset=1")
	startChild(t, childConfig{Streams: p.url + "/v1/threads/t-idle%d/events?protocolVersion=1.0&stay=1", Count: n})
	time.Sleep(2 * time.Second)
	with := p.counts(t, "")
	cpu, begun := cpuOf(t, p.cmd.Process.Pid), time.Now()
	time.Sleep(20 * time.Second) // more than a keep-alive's time
	busy := float64(cpuOf(t, p.cmd.Process.Pid)-cpu) / float64(time.Since(begun))
	var took spread
	for i := range 20 { // somebody says something, which a hundred tabs are shown
		id := fmt.Sprintf("busy%d", i)
		begun := time.Now()
		got := p.run(within(t, hang), fmt.Sprintf("t-idle%d", i), id, step{Words: 5})
		if took.add(time.Since(begun)); got.bad != nil {
			t.Error(got.bad)
		}
	}
	full := p.counts(t, "")
	// collects garbage, as Go does by itself at least every two minutes
	after := p.counts(t, "?reset=1")
	if with.Files < n {
		t.Errorf("%d files are open, and there should be %d streams", with.Files, n)
	}
	if after.RSS > 400<<20 {
		t.Errorf("%d idle streams take %d MB", n, after.RSS>>20)
	}
	report(t, "idle streams", "%d streams over %d threads: server %d → %d MB (%d kB each; %d MB at the most), %.1f%% of one core with keep-alives each 15 s; a run beside them p50 %s max %s",
		n, threads, before.RSS>>20, after.RSS>>20, (after.RSS-before.RSS)/int64(n)>>10, full.Peak>>20, 100*busy, took.at(.5), took.at(1))
}

// cpuOf is the processor time a process has used.
func cpuOf(t *testing.T, pid int) time.Duration {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Skip(err)
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	// clock ticks, of which Linux shows a hundred a second
	return time.Duration(user+system) * 10 * time.Millisecond
}

// holdStreams is a child that opens streams and reads what comes.
func holdStreams(cfg childConfig) error {
	var opened atomic.Int64
	failed := make(chan error, cfg.Count)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, ReadBufferSize: 512}}
	gate := make(chan struct{}, 64) // so many connect at once
	for i := range cfg.Count {
		go func() {
			gate <- struct{}{}
			req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, fmt.Sprintf(cfg.Streams, i%100), nil)
			if err != nil {
				failed <- err
				return
			}
			resp, err := client.Do(req)
			<-gate
			if err != nil {
				failed <- err
				return
			}
			defer resp.Body.Close()
			if opened.Add(1) == int64(cfg.Count) {
				fmt.Println("http://all.are.open")
			}
			_, err = io.Copy(io.Discard, resp.Body)
			failed <- fmt.Errorf("a stream ended: %v", err)
		}()
	}
	return <-failed
}
