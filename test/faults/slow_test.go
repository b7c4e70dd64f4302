package faults

import (
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pageside/pageside/test/must"
)

// TestSlowRequests: clients whose headers or bodies never come to an end are closed after ten
// seconds, and others do not notice.
func TestSlowRequests(t *testing.T) {
	takesChances(t)
	beside(t)
	s := newSite(t)
	p := s.serve("1s")
	address := strings.TrimPrefix(p.url, "http://")
	head := "POST /v1/agents/default/run HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
	attacks := []struct {
		name, start, drip string
	}{
		{"headers that stop", head, ""},
		{"headers that drip", head + "X: ", "x"},
		{"a body that stops", head + "Content-Length: 4000000\r\n\r\n{", ""},
		{"a body that drips", head + "Content-Length: 4000000\r\n\r\n{", " "},
		{"chunks that drip", head + "Transfer-Encoding: chunked\r\n\r\n", "1\r\n \r\n"},
		{"nothing at all", "", ""},
	}
	each := count(10, 500)
	took := make([]spread, len(attacks))
	var all sync.WaitGroup
	for i, a := range attacks {
		for range each {
			all.Go(func() {
				d, err := attack(address, a.start, a.drip)
				must.Be(t, err, nil, "%s", a.name)
				took[i].add(d)
			})
		}
	}
	done := make(chan struct{})
	go func() { all.Wait(); close(done) }()
	var normal spread
	for n := 0; ; n++ {
		id := fmt.Sprintf("normal%d", n)
		begun := time.Now()
		got := p.run(within(t, soon), "t-"+id, id, step{Words: 2})
		if normal.add(time.Since(begun)); got.bad != nil {
			t.Errorf("a normal run beside them: %s", got)
		}
		select {
		case <-done:
			var longest time.Duration
			for i := range attacks {
				longest = max(longest, took[i].at(1))
			}
			if longest > limit(12*time.Second) {
				t.Errorf("a slow client was closed after %s", longest)
			}
			report(t, "slow requests", "%d clients of %d kinds: closed after at most %s; %d normal runs beside them p50 %s p99 %s", each*len(attacks), len(attacks), longest, n+1, normal.at(.5), normal.at(.99))
			return
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// attack sends a beginning, and then a little each half second, until it is closed. It returns how
// long that took.
func attack(address, start, drip string) (time.Duration, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	begun := time.Now()
	if _, err := io.WriteString(conn, start); err != nil {
		return 0, err
	}
	go func() {
		for drip != "" {
			time.Sleep(500 * time.Millisecond)
			if _, err := io.WriteString(conn, drip); err != nil {
				return
			}
		}
	}()
	_ = conn.SetReadDeadline(begun.Add(hang))
	_, err = io.Copy(io.Discard, conn) // until the server closes
	took := time.Since(begun)
	if took >= hang { // else it was closed, in one way or another
		return took, err
	}
	return took, nil
}
