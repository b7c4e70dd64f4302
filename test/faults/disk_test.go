//go:build linux

package faults

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/test/must"
)

// TestDiskFull: the disk of a server with a live run fills up. The run ends and says why, new ones
// are refused for now, what there is can be read; with space again the server goes on as it is, and
// what its readers were told is what is stored.
func TestDiskFull(t *testing.T) {
	takesChances(t)
	beside(t)
	s := newSite(t)
	small := t.TempDir()
	if err := syscall.Mount("tmpfs", small, "tmpfs", 0, "size=96m"); err != nil {
		t.Skipf("needs a file system of its own: mount tmpfs: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(small, syscall.MNT_DETACH) })
	d := &disk{t: t, site: s, ballast: filepath.Join(small, "ballast"), told: map[string][]byte{}}
	db := filepath.Join(small, "faults.db")
	d.p = s.start(func(c *childConfig) { c.DB = db })
	rounds := count(2, 10)
	for n := range rounds {
		d.round(n)
		if t.Failed() {
			t.Fatalf("round %d; the server says:\n%s", n, d.p.log)
		}
	}
	d.p.kill()
	st := must.Get(sqlstore.Open(t.Context(), "sqlite:"+db))(t)
	defer st.Close()
	for id, seen := range d.told {
		if log := logOf(t, st, ada, id); !bytes.Equal(log, seen) {
			t.Errorf("run %s: the reader got\n%.2000s\nand the log holds\n%.2000s", id, seen, log)
		}
	}
	if d.fitted > rounds/2 {
		t.Errorf("%d of %d live runs had room on a full disk: the program shows nothing", d.fitted, rounds)
	}
	report(t, "disk full", "%d times: %d live runs ended with store_unavailable after at most %s, %d found room, %d new ones were answered 503, reads went on, the next run was taken %s after there was space, without a restart; 0 events differ",
		rounds, rounds-d.fitted, d.ended.at(1), d.fitted, d.refused, d.back.at(1))
}

type disk struct {
	*site
	t           *testing.T
	p           *process
	ballast     string
	told        map[string][]byte // what readers got
	refused     int
	fitted      int // live runs for which there was room all the same
	ended, back spread
}

func (d *disk) round(n int) {
	t := d.t
	before, live := fmt.Sprintf("before%d", n), fmt.Sprintf("live%d", n)
	d.keep(before, d.p.run(within(t, soon), "t-"+before, before, step{Words: 5}))
	read, speaks := make(chan *stream, 1), make(chan struct{})
	go func() {
		once := sync.OnceFunc(func() { close(speaks) })
		defer once()
		resp, err := d.p.request(within(t, hang), http.MethodPost, "/v1/agents/default/run", ask("t-"+live, live, step{Words: 2000, Size: 8 << 10, Pace: 5}))
		read <- readStream(resp, err, -1, func(frame []byte) bool {
			if bytes.Contains(frame, []byte("TEXT_MESSAGE_CONTENT")) {
				once()
			}
			return false
		})
	}()
	<-speaks
	d.fill()
	filled := time.Now()
	got := judge(live, <-read)
	switch e := got.failed(); {
	case e != nil && e.Code == "store_unavailable":
		d.ended.add(time.Since(filled))
	// the database's own files had room for it, or the disk was full too late
	case got.finished() != nil && strings.Contains(lastText(got.all), "end."), e != nil && e.Code == "llm_output_limit":
		d.fitted++
	default:
		t.Errorf("the live run: %s", got)
	}
	d.keep(live, got)
	d.refuses(n)
	d.reads(before)
	must.Do(t, os.Remove(d.ballast))
	d.recovers(n)
}

func (d *disk) keep(id string, r *told) { d.told[id] = r.seen }

// fill leaves no byte free.
func (d *disk) fill() {
	f, err := os.OpenFile(d.ballast, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	must.Do(d.t, err)
	defer f.Close()
	for size := 1 << 20; size >= 512; {
		if _, err = f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
	if !errors.Is(err, syscall.ENOSPC) {
		d.t.Fatalf("the disk is not full: %v", err)
	}
}

// refuses starts runs until one is refused: what little space the database has may do for a few.
func (d *disk) refuses(n int) {
	for i := range 200 {
		id := fmt.Sprintf("full%d-%d", n, i)
		got := d.p.run(within(d.t, soon), "t-"+id, id, step{Words: 2, Size: 32 << 10})
		if got.status == http.StatusServiceUnavailable && strings.Contains(got.refuse, "store_unavailable") {
			d.refused++
			return
		}
		if got.status != http.StatusOK {
			d.t.Errorf("on a full disk a run is answered %s", got)
			return
		}
		if got.bad != nil {
			d.t.Error(got.bad)
		}
		d.keep(id, got)
	}
	d.t.Error("no run is refused on a full disk")
}

// reads checks that what is stored can be read.
func (d *disk) reads(before string) {
	for _, path := range []string{"/v1/threads", "/v1/threads/t-" + before + "/messages", "/healthz"} {
		if status, answer, err := d.p.do(http.MethodGet, path, nil); err != nil || status != http.StatusOK {
			d.t.Errorf("on a full disk %s is answered %d %s %v", path, status, answer, err)
		}
	}
	if again := d.p.follow(within(d.t, soon), before, ""); !bytes.Equal(again.seen, d.told[before]) {
		d.t.Errorf("on a full disk a run reads as %d %s %v\n%s", again.status, again.refuse, again.err, again.seen)
	}
}

// recovers checks that the server takes runs again, on a new thread and on those that had failed.
func (d *disk) recovers(n int) {
	begun := time.Now()
	for _, thread := range []string{fmt.Sprintf("t-again%d", n), fmt.Sprintf("t-live%d", n)} {
		for try := 0; ; try++ {
			id := fmt.Sprintf("again%d-%s-%d", n, thread, try) // one that has failed stays so
			got := d.p.run(within(d.t, soon), thread, id, step{Words: 2})
			if got.finished() != nil {
				d.keep(id, got)
				break
			}
			if time.Since(begun) > soon {
				d.t.Errorf("with space again thread %s is answered, %d times, %s", thread, try+1, got)
				return
			}
			time.Sleep(time.Duration(try+1) * 10 * time.Millisecond)
		}
	}
	d.back.add(time.Since(begun))
}
