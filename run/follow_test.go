package run

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/run/eventlog"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/chance"
	"github.com/pageside/pageside/test/must"
)

// long is a step whose deltas are many, some of them large.
func long(n int) step {
	words := make([]string, n)
	for i := range words {
		words[i] = fmt.Sprintf("word%d ", i)
		if i%17 == 0 {
			words[i] = strings.Repeat("x", 3000) + " "
		}
	}
	return say(words...)
}

func (f *fixture) follow(t testing.TB, req FollowRequest) *Reader {
	t.Helper()
	req.Owner = ada
	reader, err := f.Follow(t.Context(), req)
	if req.ThreadID != "" {
		reader, err = f.FollowThread(t.Context(), req)
	}
	must.Do(t, err)
	return reader
}

// cutAndComeBack reads a run with a connection that is cut at random places, each time with the
// last whole frame it has seen.
func cutAndComeBack(t testing.TB, f *fixture, runID string, cut func(n int) int) string {
	var got strings.Builder
	for after := ""; ; {
		reader := f.follow(t, FollowRequest{RunID: runID, After: after})
		for {
			frames, done := reader.Next()
			if len(frames) == 0 && done {
				reader.Close()
				return got.String()
			}
			if len(frames) == 0 {
				awaken(t, reader, &got)
				continue
			}
			if n := cut(len(frames)); n < len(frames) { // the client keeps the whole frames it has
				whole := strings.LastIndex(string(frames[:n]), frameEnd) + len(frameEnd)
				if whole < len(frameEnd) {
					whole = 0
				}
				got.Write(frames[:whole])
				break
			}
			got.Write(frames)
		}
		reader.Close()
		after = lastID(got.String())
	}
}

// difference says where what was read is not the log.
func difference(read, log string) string {
	same := 0
	for same < min(len(read), len(log)) && read[same] == log[same] {
		same++
	}
	return fmt.Sprintf("read %d bytes that are not the %d of the log: behind byte %d come %.300q, in the log %.300q",
		len(read), len(log), same, read[same:], log[same:])
}

// TestCutsAndReconnects: a client that is cut off anywhere, any number of times, during the run and
// after it, from memory and from the store, reads exactly the bytes of the log.
func TestCutsAndReconnects(t *testing.T) {
	st := temp.Store(t)
	model := &steps{}
	for range 3 {
		model.play = append(model.play, long(200))
	}
	f := managerWith(t, st, agentWith(t, model), func(c *Config) { c.Ring, c.Keep = 8<<10, 24<<10 })
	for range 3 {
		r := f.start(f.input("t1", "tell me"))
		var clients sync.WaitGroup
		got := make([]string, 24)
		for i := range got {
			clients.Go(func() {
				random := rand.New(rand.NewPCG(uint64(i), 7))
				got[i] = cutAndComeBack(t, f, r.ID, func(n int) int {
					if random.IntN(3) > 0 {
						return n
					}
					return random.IntN(n + 1)
				})
			})
		}
		clients.Wait()
		<-r.over
		log := logOf(t, st, r.ID)
		for i := range got {
			wantRead(t, fmt.Sprint("client ", i), got[i], log)
		}
	}
	random := chance.Rand()
	for id := range 3 { // long after, the first of them only from the store
		runID := fmt.Sprintf("run%d", id+1)
		got := cutAndComeBack(t, f, runID, func(n int) int { return random.IntN(n + 1) })
		wantRead(t, runID, got, logOf(t, st, runID))
	}
}

// TestFromEveryPosition: behind each event stands the rest of the log, from memory and from the
// store, as frames, in the binary framing and decoded, and for 0.x clients.
func TestFromEveryPosition(t *testing.T) {
	st := temp.Store(t)
	longCall := func(ctx context.Context, req *llm.Request, yield func(llm.Part, error) bool) {
		long(60)(ctx, req, func(p llm.Part, err error) bool { return p.Kind == llm.FinishPart || yield(p, err) })
		call("c", "paint", "{}")(ctx, req, yield)
	}
	f := managerWith(t, st, agentWith(t, &steps{play: []step{longCall}}), func(c *Config) { c.Ring = 4 << 10 })
	r := f.start(f.input("t1", "paint it"))
	wantRead(t, "live, in binary", readBinary(t, r.Read(false)), inBinary(t, readAll(t, r.Read(false))))
	rest := logOf(t, st, r.ID)
	g := managerWith(t, st, agentWith(t, &steps{}), nil) // which has nothing of it in memory
	for after, more := "", true; more; more = after != "" {
		for _, f := range []*fixture{f, g} {
			from := FollowRequest{RunID: r.ID, After: after}
			wantRead(t, "frames behind "+after, readAll(t, f.follow(t, from)), rest)
			wantRead(t, "binary behind "+after, readBinary(t, f.follow(t, from)), inBinary(t, rest))
			wantRead(t, "decoded behind "+after, readEvents(t, f.follow(t, from)), rest)
			from.Legacy = true
			old := readAll(t, f.follow(t, from))
			if strings.Contains(old, "pendingToolCallIds") || strings.Count(old, frameEnd) != strings.Count(rest, frameEnd) {
				t.Fatalf("behind %q a 0.x client reads %q", after, old)
			}
			wantRead(t, "decoded for 0.x behind "+after, readEvents(t, f.follow(t, from)), old)
		}
		frame, next := nextFrame([]byte(rest))
		after, rest = frameID(frame), string(next)
	}
	thread := readBinary(t, f.follow(t, FollowRequest{ThreadID: "t1"}))
	must.Be(t, agui.ProtoEnds([]byte(thread)), true, "%q: whether the thread's stream ends a run", thread)
	if f.follow(t, FollowRequest{RunID: r.ID, Legacy: true}).Binary(false) {
		t.Error("a 0.x client is given what it does not know")
	}
}

// wantRead ends the test where what was read is not what should be, and says where.
func wantRead(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Fatalf("%s: %s", what, difference(got, want))
	}
}

// TestPositionsAreReadBack: whatever the run is called.
func TestPositionsAreReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := eventlog.ID{
			Run:   rapid.StringMatching(`[a-z:.0-9]{1,12}`).Draw(t, "run"),
			Epoch: rapid.IntRange(0, 99).Draw(t, "epoch"), Seq: rapid.Int64Range(0, 1e12).Draw(t, "seq"),
		}
		if got, err := eventlog.ParseID(p.String()); err != nil || got != p {
			t.Fatalf("%v is read as %v, %v", p, got, err)
		}
		_, _ = eventlog.ParseID(rapid.String().Draw(t, "nonsense"))
	})
}

// threadState folds a thread's stream as a client does.
func threadState(t testing.TB, stream []agui.Event) string {
	t.Helper()
	transcript := agui.NewTranscript(nil)
	running := false
	for _, e := range stream {
		switch e.Type() {
		case agui.TypeRunStarted:
			if running {
				t.Fatal("a run starts inside another")
			}
			running = true
		case agui.TypeRunFinished, agui.TypeRunError:
			running = false
		}
		must.Do(t, transcript.Apply(e))
	}
	var out []string
	for _, m := range transcript.Messages() {
		out = append(out, m.Role+"="+m.Content.Text())
	}
	return strings.Join(out, " | ")
}

// TestThreadStream: the thread as it is, the live run from its beginning, and no more unless the
// client stays.
func TestThreadStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, temp.Store(t), nil)
		events(t, f.start(f.input("t1", "hello")), false)
		synctest.Wait()
		stream := readAll(t, f.follow(t, FollowRequest{ThreadID: "t1"}))
		must.Be(t, threadState(t, decode(t, stream)), f.thread("t1"), "at rest it reads as")
		if got := readAll(t, f.follow(t, FollowRequest{ThreadID: "t1", After: lastID(stream)})); got != "" {
			t.Errorf("and behind it comes %q", got)
		}
		f.start(f.input("t1", "slow"))
		time.Sleep(4500 * time.Millisecond)
		live := readAll(t, f.follow(t, FollowRequest{ThreadID: "t1"}))
		must.Be(t, threadState(t, decode(t, live)), f.thread("t1"), "while a run is live it reads as")
		// Wherever that stream is cut, what comes after completes it.
		for rest := []byte(live); len(rest) > 0; {
			var frame []byte
			frame, rest = nextFrame(rest)
			cut := live[:len(live)-len(rest)]
			again := readAll(t, f.follow(t, FollowRequest{ThreadID: "t1", After: frameID(frame)}))
			all := append(decode(t, cut), decode(t, again)...)
			if !strings.Contains(frameID(frame), "snapshot") {
				legal(t, withoutOutcomes(all))
			} else {
				all = decode(t, again) // it begins again
			}
			must.Be(t, threadState(t, all), f.thread("t1"), "cut behind %s it reads as", frameID(frame))
		}
	})
}

// withoutOutcomes takes out what only a snapshot may say: that calls of earlier runs wait.
func withoutOutcomes(all []agui.Event) []agui.Event {
	out := make([]agui.Event, len(all))
	for i, e := range all {
		out[i] = e
		if end, ok := e.(*agui.RunFinished); ok {
			plain := *end
			plain.Outcome = nil
			out[i] = &plain
		}
	}
	return out
}

// TestTabsLeaveWhenTheServerStops: readers that stay on a thread are done when the manager is
// drained, at once where nothing is live, else when the run has ended or is handed over. Nothing
// comes in between that a client could not read.
func TestTabsLeaveWhenTheServerStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, temp.Store(t), nil)
		events(t, f.start(f.input("rest", "hello")), false)
		f.start(f.input("live", "slow"))
		f.start(f.input("handed over", "slow"))
		seen := map[string]*strings.Builder{"rest": {}, "live": {}, "handed over": {}}
		left := map[string]time.Duration{}
		var mu sync.Mutex
		var tabs sync.WaitGroup
		begun := time.Now()
		for thread, out := range seen {
			reader := f.follow(t, FollowRequest{ThreadID: thread, Stay: true})
			tabs.Go(func() {
				out.WriteString(readAll(t, reader))
				mu.Lock()
				left[thread] = time.Since(begun)
				mu.Unlock()
			})
		}
		time.Sleep(2500 * time.Millisecond)
		synctest.Wait()
		if len(left) > 0 {
			t.Fatalf("tabs left before the end: %v", left)
		}
		f.Cancel(t.Context(), ada, "run2") // it ends soon, and the other one does not
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		f.Drain(ctx)
		tabs.Wait()
		if left["rest"] != 2500*time.Millisecond || left["handed over"] != 3500*time.Millisecond {
			t.Errorf("they left after %v", left)
		}
		for thread, out := range seen {
			all := decode(t, out.String())
			if last := all[len(all)-1].Type(); (last == agui.TypeRunFinished) != (thread != "handed over") {
				t.Errorf("the stream of %q ends with %s", thread, last)
			}
			v := agui.NewVerifier()
			for _, e := range all {
				must.Be(t, v.Check(e), nil, "the stream of %q", thread)
			}
		}
	})
}
