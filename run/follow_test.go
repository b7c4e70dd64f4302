package run

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run/eventlog"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/chance"
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
	if err != nil {
		t.Fatal(err)
	}
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
	return fmt.Sprintf("read %d bytes that are not the %d of the log: behind byte %d come %.300q, in the log %.300q", len(read), len(log), same, read[same:], log[same:])
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
			if got[i] != log {
				t.Fatalf("client %d: %s", i, difference(got[i], log))
			}
		}
	}
	random := chance.Rand()
	for id := range 3 { // long after, the first of them only from the store
		runID := fmt.Sprintf("run%d", id+1)
		log := logOf(t, st, runID)
		if got := cutAndComeBack(t, f, runID, func(n int) int { return random.IntN(n + 1) }); got != log {
			t.Errorf("run %s: %s", runID, difference(got, log))
		}
	}
}

// TestFollowFromEveryPosition: behind each event stands the rest of the log, for new clients and
// for old ones.
func TestFollowFromEveryPosition(t *testing.T) {
	st := temp.Store(t)
	f := managerWith(t, st, agentWith(t, &steps{play: []step{call("c", "paint", "{}")}}), nil)
	r := f.start(f.input("t1", "paint it"))
	events(t, r, false)
	log := logOf(t, st, r.ID)
	g := managerWith(t, st, agentWith(t, &steps{}), nil) // which has nothing of it in memory
	for _, f := range []*fixture{f, g} {
		rest := log
		for after := ""; ; {
			if got := readAll(t, f.follow(t, FollowRequest{RunID: r.ID, After: after})); got != rest {
				t.Fatalf("after %q: %q, want %q", after, got, rest)
			}
			old := readAll(t, f.follow(t, FollowRequest{RunID: r.ID, After: after, Legacy: true}))
			if strings.Contains(old, "pendingToolCallIds") || strings.Count(old, frameEnd) != strings.Count(rest, frameEnd) {
				t.Fatalf("after %q a 0.x client reads %q", after, old)
			}
			if rest == "" {
				break
			}
			frame, next := nextFrame([]byte(rest))
			after, rest = frameID(frame), string(next)
		}
	}
}

func TestFollowRefuses(t *testing.T) {
	f := newFixture(t, temp.Store(t), nil)
	r := f.start(f.input("t1", "hello"))
	events(t, r, false)
	for _, tt := range []struct {
		name  string
		req   FollowRequest
		code  Code
		field string
	}{
		{"an unknown run", FollowRequest{Owner: ada, RunID: "nope"}, CodeNotFound, ""},
		{"somebody else's run", FollowRequest{Owner: store.Owner{Subject: "eve"}, RunID: r.ID}, CodeNotFound, ""},
		{"an id that is none", FollowRequest{Owner: ada, RunID: r.ID, After: "7"}, CodeInvalid, "Last-Event-ID"},
		{"an id without an epoch", FollowRequest{Owner: ada, RunID: r.ID, After: r.ID + ":7"}, CodeInvalid, "Last-Event-ID"},
		{"a negative id", FollowRequest{Owner: ada, RunID: r.ID, After: r.ID + ":1.-7"}, CodeInvalid, "Last-Event-ID"},
		{"the id of another run", FollowRequest{Owner: ada, RunID: r.ID, After: "other:1.1"}, CodeInvalid, "Last-Event-ID"},
		{"an unknown thread", FollowRequest{Owner: ada, ThreadID: "nope"}, CodeNotFound, "threadId"},
		{"somebody else's thread", FollowRequest{Owner: store.Owner{Subject: "eve"}, ThreadID: "t1"}, CodeNotFound, "threadId"},
		{"an id that is none, on a thread", FollowRequest{Owner: ada, ThreadID: "t1", After: "x:y.z"}, CodeInvalid, "Last-Event-ID"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := f.Follow(t.Context(), tt.req)
			if tt.req.ThreadID != "" {
				_, err = f.FollowThread(t.Context(), tt.req)
			}
			if e, ok := errors.AsType[*Error](err); !ok || e.Code != tt.code || e.Field != tt.field {
				t.Errorf("error is %v, want %s at %q", err, tt.code, tt.field)
			}
		})
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

// TestUnknownPositionIsNoGap: an id the log does not hold brings the thread as it was before the
// run, and the run from its beginning.
func TestUnknownPositionIsNoGap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, temp.Store(t), nil)
		events(t, f.start(f.input("t1", "hello")), false)
		r := f.start(f.input("t1", "slow"))
		time.Sleep(3500 * time.Millisecond)
		for _, id := range []string{r.ID + ":1.4000", r.ID + ":7.2"} {
			all := decode(t, readAll(t, f.follow(t, FollowRequest{RunID: r.ID, After: id})))
			if got := typesOf(all); got != "RUN_STARTED MESSAGES_SNAPSHOT RUN_FINISHED RUN_STARTED TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END RUN_FINISHED" {
				t.Errorf("after %s: %s", id, got)
			}
			if before := all[1].(*agui.MessagesSnapshot).Messages; len(before) != 3 || before[2].Content.Text() != "slow" {
				t.Errorf("before the run stood %s", lines(before))
			}
		}
		f.Drain(t.Context())
		g := newFixture(t, f.store, nil)
		if got := typesOf(decode(t, readAll(t, g.follow(t, FollowRequest{RunID: r.ID, After: r.ID + ":1.4000"})))); got != "RUN_STARTED MESSAGES_SNAPSHOT RUN_FINISHED" {
			t.Errorf("after the run has ended: %s", got)
		}
	})
}

// TestPurgedRunsAreShown: when the events are gone, whoever comes back sees the thread and how the
// run ended, and coming back behind that there is nothing more.
func TestPurgedRunsAreShown(t *testing.T) {
	st := temp.Store(t)
	f := newFixture(t, st, nil)
	ran := map[string]*Run{}
	want := map[string]string{"hello": "RUN_FINISHED", "fail": "RUN_ERROR", "paint": "RUN_FINISHED"}
	for text := range want {
		ran[text] = f.start(f.input("t"+text, text))
		events(t, ran[text], false)
	}
	f.Drain(t.Context())
	if n, err := st.PurgeEvents(t.Context(), time.Now().Add(time.Hour)); err != nil || n != 3 {
		t.Fatalf("%d purged, %v", n, err)
	}
	g := newFixture(t, st, nil)
	for text, end := range want {
		r := ran[text]
		for _, after := range []string{"", r.ID + ":1.0", r.ID + ":1.2"} {
			stream := readAll(t, g.follow(t, FollowRequest{RunID: r.ID, After: after}))
			all := decode(t, stream)
			if got := typesOf(all); got != "RUN_STARTED MESSAGES_SNAPSHOT "+end {
				t.Fatalf("%s after %q: %s", text, after, got)
			}
			if text == "paint" && len(all[2].(*agui.RunFinished).Outcome.PendingToolCallIDs) != 1 {
				t.Errorf("what the run waits for is forgotten: %+v", all[2])
			}
			if again := readAll(t, g.follow(t, FollowRequest{RunID: r.ID, After: lastID(stream)})); again != "" {
				t.Errorf("behind the snapshot there is %q", again)
			}
		}
		in := &agui.RunAgentInput{ThreadID: "t" + text, RunID: r.ID, Messages: messages("u1"), ProtocolVersion: "1.0"}
		again := value(g.Start(t.Context(), Request{Principal: adaPrincipal, Agent: "default", Input: in, Fingerprint: "f" + r.ID}))(t)
		if got := typesOf(decode(t, readAll(t, again.Read(true)))); got != "RUN_STARTED MESSAGES_SNAPSHOT "+end {
			t.Errorf("asked for again it is %s", got)
		}
	}
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
		must(t, transcript.Apply(e))
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
		if got := threadState(t, decode(t, stream)); got != f.thread("t1") {
			t.Errorf("at rest it reads as %q", got)
		}
		if got := readAll(t, f.follow(t, FollowRequest{ThreadID: "t1", After: lastID(stream)})); got != "" {
			t.Errorf("and behind it comes %q", got)
		}
		f.start(f.input("t1", "slow"))
		time.Sleep(4500 * time.Millisecond)
		live := readAll(t, f.follow(t, FollowRequest{ThreadID: "t1"}))
		if got := threadState(t, decode(t, live)); got != f.thread("t1") {
			t.Errorf("while a run is live it reads as %q", got)
		}
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
			if got := threadState(t, all); got != f.thread("t1") {
				t.Errorf("cut behind %s it reads as %q", frameID(frame), got)
			}
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

// TestThreadStreamSaysWhatItWaitsFor: frontend calls and where they stand are known to a tab that
// has just been opened.
func TestThreadStreamSaysWhatItWaitsFor(t *testing.T) {
	f := newFixture(t, temp.Store(t), nil)
	all := events(t, f.start(f.input("t1", "paint it")), false)
	pending := all[len(all)-1].(*agui.RunFinished).Outcome.PendingToolCallIDs
	shown := decode(t, readAll(t, f.follow(t, FollowRequest{ThreadID: "t1"})))
	end := shown[len(shown)-1].(*agui.RunFinished)
	if end.Outcome == nil || len(end.Outcome.PendingToolCallIDs) != 1 || end.Outcome.PendingToolCallIDs[0] != pending[0] {
		t.Errorf("outcome is %+v, want %v", end.Outcome, pending)
	}
	old := readAll(t, f.follow(t, FollowRequest{ThreadID: "t1", Legacy: true}))
	if strings.Contains(old, "pendingToolCallIds") {
		t.Errorf("a 0.x client reads %s", old)
	}
}

// TestSecondTabStays: a tab that stays sees the runs another one starts, with what the user said
// there, until it leaves.
func TestSecondTabStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, temp.Store(t), nil)
		events(t, f.start(f.input("t1", "hello")), false)
		synctest.Wait() // until the run is over, else the tab begins with it
		ctx, leave := context.WithCancel(t.Context())
		reader := value(f.FollowThread(ctx, FollowRequest{Owner: ada, ThreadID: "t1", Stay: true}))(t)
		var seen strings.Builder
		var tab sync.WaitGroup
		tab.Go(func() {
			defer reader.Close()
			for {
				frames, done := reader.Next()
				seen.Write(frames)
				switch {
				case len(frames) > 0:
				case done:
					return
				default:
					select {
					case <-reader.Wake():
					case <-ctx.Done():
						return
					}
				}
			}
		})
		synctest.Wait()
		for i := range 3 {
			f.start(f.input("t1", "slow "+fmt.Sprint(i)))
		}
		in := f.input("t1", "")
		in.Messages = messages("u9")
		// and one that leaves the branch
		in.ForwardedProps = rawJSON(`{"pageside":{"replaces":"u3"}}`)
		f.start(in)
		time.Sleep(time.Minute)
		leave()
		tab.Wait()
		all := decode(t, seen.String())
		legal(t, all)
		if got := threadState(t, all); got != f.thread("t1") || !strings.Contains(got, "text of u9") {
			t.Errorf("the tab shows %q, the thread is %q", got, f.thread("t1"))
		}
		if n := strings.Count(seen.String(), "RUN_STARTED"); n != 1+4*2 {
			t.Errorf("%d runs were seen", n)
		}
		if len(f.followers.audiences) != 0 {
			t.Error("the reader is still registered")
		}
	})
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
				if err := v.Check(e); err != nil {
					t.Errorf("the stream of %q: %v", thread, err)
				}
			}
		}
	})
}

// TestSecondTabIsNotLeftBehind: a run that went out of memory before the tab came to it is shown as
// what it left.
func TestSecondTabIsNotLeftBehind(t *testing.T) {
	f := newFixture(t, temp.Store(t), func(c *Config) { c.Keep = 1 })
	events(t, f.start(f.input("t1", "hello")), false)
	reader := f.follow(t, FollowRequest{ThreadID: "t1", Stay: true})
	defer reader.Close()
	var seen strings.Builder
	read := func() {
		for {
			frames, _ := reader.Next()
			if seen.Write(frames); len(frames) == 0 {
				return
			}
		}
	}
	read()
	for range 3 {
		r := f.start(f.input("t1", "hello again"))
		events(t, r, false)
		<-r.over
	}
	read()
	if got := threadState(t, decode(t, seen.String())); got != f.thread("t1") {
		t.Errorf("the tab shows %q, the thread is %q", got, f.thread("t1"))
	}
}

// TestThreadStreamGoesOnWithTheRest: an id of an earlier run brings the rest of that run, and then
// what came later.
func TestThreadStreamGoesOnWithTheRest(t *testing.T) {
	st := temp.Store(t)
	f := newFixture(t, st, nil)
	in := f.input("t1", "hello")
	said, first := in.Messages, f.start(in)
	events(t, first, false)
	events(t, f.start(f.input("t1", "hello two")), false)
	f.Drain(t.Context())
	g := newFixture(t, st, nil)
	for name, f := range map[string]*fixture{"in memory": f, "after a restart": g} {
		all := decode(t, readAll(t, f.follow(t, FollowRequest{ThreadID: "t1", After: first.ID + ":1.3"})))
		whole := append([]agui.Event{
			&agui.RunStarted{ThreadID: "t1", RunID: first.ID, Input: &agui.RunAgentInput{Messages: said}},
			&agui.TextMessageStart{MessageID: all[0].(*agui.TextMessageContent).MessageID},
		}, all...)
		legal(t, withoutOutcomes(whole))
		if got := threadState(t, whole); got != f.thread("t1") {
			t.Errorf("%s: %q", name, got)
		}
	}
	if _, err := st.PurgeEvents(t.Context(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	h := newFixture(t, st, nil)
	if got := threadState(t, decode(t, readAll(t, h.follow(t, FollowRequest{ThreadID: "t1", After: first.ID + ":1.3"})))); got != h.thread("t1") {
		t.Errorf("purged: %q", got)
	}
}
