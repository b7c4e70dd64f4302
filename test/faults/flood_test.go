package faults

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	rates "github.com/pageside/pageside/limit"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/test/must"
)

// oneASecond is the default rate of runs where users sign in.
var oneASecond = rates.Rate{PerSecond: 1, Burst: 30}

// TestFloodOfRuns: one user posts from fifty connections. He gets his share and 429; each run of
// others is served. How much longer theirs take is reported and not checked: the flood is made on
// the same machine. What that alone costs shows when it goes to another process.
func TestFloodOfRuns(t *testing.T) {
	takesChances(t)
	start := func() *process {
		return newSite(t).start(func(c *childConfig) {
			c.Requests = &server.Limits{Runs: oneASecond, Bodies: 16 << 20, AllBodies: 64 << 20}
		})
	}
	posts := count(1000, 10_000)
	for name, pause := range map[string]time.Duration{"as fast as they can": 0, "at most 1,000 a second": 50 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			p, other := start(), start()
			var quiet, elsewhere, beside spread
			p.neighbours(t, "warm", 20, &spread{})
			p.neighbours(t, "quiet", 400, &quiet)
			p.besideFlood(t, "elsewhere", &elsewhere, other, posts, pause)
			before := p.counts(t, "?reset=1")
			served := p.besideFlood(t, "beside", &beside, p, posts, pause)
			report(t, "flood of runs", "%d posts of one user, %s: %d served, the others refused; %d runs of others beside them all served, p50 %s, beside a flood elsewhere %s, here %s; p99 %s, %s, %s; memory at most +%d MB",
				posts, name, served, len(beside.all), quiet.at(.5), elsewhere.at(.5), beside.at(.5), quiet.at(.99), elsewhere.at(.99), beside.at(.99), (p.counts(t, "").Peak-before.RSS)>>20)
		})
	}
}

// besideFlood makes others' runs while a user floods a process, and returns how many of the posts
// were served.
func (p *process) besideFlood(t *testing.T, name string, took *spread, flooded *process, posts int, pause time.Duration) int64 {
	t.Helper()
	var statuses [600]atomic.Int64
	var next atomic.Int64
	var flood sync.WaitGroup
	mallory := newClient(t, flooded.url)
	mallory.subject = "mallory"
	mallory.http.Transport.(*http.Transport).MaxIdleConnsPerHost = 50
	for range 50 {
		flood.Go(func() {
			for i := next.Add(1); i <= int64(posts); i = next.Add(1) {
				id := fmt.Sprintf("m%d", i)
				got := mallory.run(within(t, hang), "m", id, step{Words: 3})
				statuses[got.status].Add(1)
				time.Sleep(pause)
			}
		})
	}
	for n := 0; next.Load() < int64(posts) || n < 2; n++ {
		p.neighbours(t, fmt.Sprintf("%s%d", name, n), 10, took)
	}
	flood.Wait()
	served, refused := statuses[http.StatusOK].Load(), statuses[http.StatusTooManyRequests].Load()
	if served+refused != int64(posts) || refused < int64(posts)/2 || served == 0 {
		t.Errorf("%d posts: %d served, %d refused with 429", posts, served, refused)
	}
	return served
}

// neighbours makes runs one after the other, each of which must be served. A user makes ten of
// them, which is within everybody's share.
func (p *process) neighbours(t *testing.T, name string, n int, took *spread) {
	t.Helper()
	c := *p.client
	for i := range n {
		id := fmt.Sprintf("%s-%d", name, i)
		c.subject = fmt.Sprintf("%s-%d", name, i/10)
		begun := time.Now()
		got := c.run(within(t, hang), "t-"+id, id, step{Words: 3})
		if took.add(time.Since(begun)); got.bad != nil {
			t.Fatalf("a run of somebody else: %s", got)
		}
	}
}

// TestFloodOfLargeBodies: the large bodies of one user that wait for their last byte are as many as
// his share holds. The others are refused, and memory stays within bounds.
func TestFloodOfLargeBodies(t *testing.T) {
	takesChances(t)
	const posts, size, share = 600, 1 << 20, 16 << 20
	const held = share / size
	p := newSite(t).start(func(c *childConfig) { c.Requests = &server.Limits{Bodies: share, AllBodies: 4 * share} })
	p.neighbours(t, "warm", 20, &spread{})
	before := p.counts(t, "?reset=1")
	var refused, sent atomic.Int64
	var conns []net.Conn
	var all sync.WaitGroup
	full := make(chan struct{}) // all others are refused
	for range posts {
		conn := must.Get(net.Dial("tcp", strings.TrimPrefix(p.url, "http://")))(t)
		conns = append(conns, conn)
		answered := make(chan struct{})
		all.Go(func() {
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			close(answered)
			if err == nil && resp.StatusCode == http.StatusTooManyRequests && refused.Add(1) == posts-held {
				close(full)
			}
		})
		all.Go(func() {
			if sendAllButOneByte(conn, size, answered, full) {
				sent.Add(1)
			}
		})
	}
	for begun := time.Now(); refused.Load()+sent.Load() < posts && time.Since(begun) < hang; {
		time.Sleep(10 * time.Millisecond)
	}
	p.neighbours(t, "beside", 20, &spread{})
	grown := (p.counts(t, "").Peak - before.RSS) >> 20
	must.Be(t, sent.Load(), held, "bodies that are held, of %d", posts)
	must.Be(t, refused.Load(), posts-held, "bodies that are refused with 429, of %d", posts)
	if grown > 128 && !underRace { // all of them would be 600
		t.Errorf("memory grows by %d MB", grown)
	}
	for _, c := range conns {
		c.Close()
	}
	all.Wait()
	report(t, "flood of large bodies", "%d posts of 1 MiB of one user: %d held, %d refused; 20 runs of others beside them all served; memory at most +%d MB", posts, sent.Load(), refused.Load(), grown)
}

// sendAllButOneByte sends a post whose body misses its last byte, once the share is full. It
// reports whether the post was not answered before.
func sendAllButOneByte(conn net.Conn, size int, answered, full <-chan struct{}) bool {
	fmt.Fprintf(conn, "POST /v1/agents/default/run HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Subject: mallory\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n{", size)
	select {
	case <-answered:
		return false
	case <-full:
	case <-time.After(hang):
		return false
	}
	select {
	case <-answered:
		return false
	default:
	}
	_, err := io.WriteString(conn, strings.Repeat(" ", size-2))
	return err == nil
}
