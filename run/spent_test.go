package run

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/tool"
)

// uses is a step that reports what it used.
func uses(tokens int64, next step) step {
	return func(ctx context.Context, req *llm.Request, yield func(llm.Part, error) bool) {
		if yield(llm.Part{Kind: llm.UsagePart, Usage: &llm.Usage{Input: &tokens}}, nil) {
			next(ctx, req, yield)
		}
	}
}

// spentScene is a run of three model calls whose process dies, and the one that takes it over.
type spentScene struct {
	t      *testing.T
	st     store.Store
	limits Limits
	thread string
	title  llm.Model
	in     *agui.RunAgentInput
	ops    []string
}

func (s *spentScene) process(st store.Store, play ...step) *fixture {
	look := tool.New("look", "Looks.", func(context.Context, *tool.Call, struct{}) (tool.Result, error) {
		return tool.Result{Text: "seen"}, nil
	})
	look.Effect = tool.Read
	a := agentWith(s.t, &steps{play: play}, look)
	a.TitleModel = s.title
	return managerWith(s.t, st, a, func(c *Config) { c.Limits = s.limits })
}

// first runs until the process dies.
func (s *spentScene) first(op int, after bool) {
	st := &mortal{Store: s.st, left: op, after: after}
	f := s.process(st, uses(1000, call("c", "look", "{}")), uses(200, call("d", "look", "{}")), uses(30, say("it ", "is")))
	s.in = f.input(s.thread, "look")
	s.in.RunID += s.thread
	s.in.Messages[0].ID += s.thread
	if r, err := f.Start(s.t.Context(), Request{Principal: adaPrincipal, Agent: "default", Input: s.in, Fingerprint: "f"}); err == nil {
		readAll(s.t, r.Read(false))
	}
	st.die()
	handOver(f)
	st.mu.Lock()
	s.ops = st.ops
	st.mu.Unlock()
}

// tokens returns what the run's row says it used, and what counts against the quota of its user.
func (s *spentScene) tokens() (run, today int64) {
	s.t.Helper()
	row, err := s.st.Run(s.t.Context(), ada, s.in.RunID)
	if err != nil {
		return 0, 0 // it has not begun
	}
	used, err := Spent(row)
	if err != nil {
		s.t.Fatal(err)
	}
	user, _, err := s.st.UsageToday(s.t.Context(), ada)
	if err != nil {
		s.t.Fatal(err)
	}
	return used.Amount().Tokens, user.Used.Tokens
}

// TestSpentBeforeACrash: wherever the process dies, the calls whose results the log has are
// counted, once, into the run and against the quota, and what the next process uses is added.
func TestSpentBeforeACrash(t *testing.T) {
	st := temp.Store(t)
	quotas := Limits{Day: store.Quotas{User: store.Amount{Tokens: 1 << 40}}}
	full := &spentScene{t: t, st: st, limits: quotas, thread: "all"}
	full.first(-1, false)
	if run, today := full.tokens(); run != 1230 || today != 1230 {
		t.Fatalf("without a crash the run used %d and counts %d", run, today)
	}
	if !strings.Contains(strings.Join(full.ops, " "), "add usage") {
		t.Fatalf("operations are %v", full.ops)
	}
	for op := 1; op <= len(full.ops); op++ {
		for _, after := range []bool{false, true} {
			s := &spentScene{t: t, st: st, limits: quotas, thread: fmt.Sprintf("t%d%v", op, after)}
			t.Run(s.thread, func(t *testing.T) { s.t = t; s.crashAt(op, after) })
		}
	}
}

func (s *spentScene) crashAt(op int, after bool) {
	t := s.t
	user, _, err := s.st.UsageToday(t.Context(), ada)
	if err != nil {
		t.Fatal(err)
	}
	s.first(op, after)
	run, today := s.tokens()
	if run == 0 && today == 0 {
		return
	}
	today -= user.Used.Tokens
	log := ""
	if row, err := s.st.Run(t.Context(), ada, s.in.RunID); err == nil {
		log = logOf(t, s.st, s.in.RunID)
		if row.Status != store.RunLive {
			if run != 1230 || today != 1230 {
				t.Errorf("the run has ended with %d, and %d count today", run, today)
			}
			return
		}
	}
	ended := int64(0) // of the calls that the log shows to be over
	for mark, used := range map[string]int64{`"TOOL_CALL_END","toolCallId":"c1"`: 1000, `"TOOL_CALL_END","toolCallId":"d1"`: 200} {
		if strings.Contains(log, mark) {
			ended += used
		}
	}
	atMost := map[int64]int64{0: 1000, 1000: 1200, 1200: 1230}[ended]
	if run < ended || run > atMost || today < run || today > atMost {
		t.Errorf("after the crash the run has %d, and %d count today, want from %d to %d; log:\n%s", run, today, ended, atMost, log)
	}
	f := s.process(s.st, uses(7, say("the rest")))
	f.admission.work.Wait()
	endRun, endToday := s.tokens()
	more := int64(7)
	if endRun == run { // it was complete but for its end
		more = 0
	}
	if endRun != run+more || endToday-user.Used.Tokens != today+more {
		t.Errorf("after the crash %d and %d, at the end %d and %d", run, today, endRun, endToday-user.Used.Tokens)
	}
	all := decode(t, logOf(t, s.st, s.in.RunID))
	end, ok := all[len(all)-1].(*agui.RunFinished)
	if told := (agent.Spending{Usage: end.Usage}).Amount().Tokens; !ok || told != endRun {
		t.Errorf("the client is told %d, the row says %d", told, endRun)
	}
}

// TestLimitOfARunOutlivesACrash: what one run may use includes what it used before a crash.
func TestLimitOfARunOutlivesACrash(t *testing.T) {
	s := &spentScene{t: t, st: temp.Store(t), thread: "t1"}
	st := &mortal{Store: s.st, left: -1}
	f := s.process(st, uses(1000, call("c", "look", "{}")), func(context.Context, *llm.Request, func(llm.Part, error) bool) {
		for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
			if run, _ := s.tokens(); run == 1000 {
				break
			}
		}
		st.die()
	})
	s.in = f.input(s.thread, "look")
	readAll(t, f.start(s.in).Read(false))
	handOver(f)
	if run, _ := s.tokens(); run != 1000 {
		t.Fatalf("the run used %d before the crash", run)
	}
	s.limits.Run.Tokens = 1500 // a call is thought to use a thousand at first
	f = s.process(s.st, uses(7, say("the rest")))
	f.admission.work.Wait()
	all := decode(t, logOf(t, s.st, s.in.RunID))
	end, ok := all[len(all)-1].(*agui.RunError)
	if !ok || end.Code != string(codeBudget) || (agent.Spending{Usage: end.Usage}).Amount().Tokens != 1000 {
		t.Errorf("the run ends with %+v", all[len(all)-1])
	}
}

// TestTitleBeforeACrash: a title is counted once, when it is there.
func TestTitleBeforeACrash(t *testing.T) {
	quotas := Limits{Day: store.Quotas{User: store.Amount{Tokens: 1 << 40}}}
	s := &spentScene{t: t, st: temp.Store(t), limits: quotas, thread: "t1", title: &steps{play: []step{uses(5, say("A title"))}}}
	s.first(-1, false)
	if run, today := s.tokens(); run != 1235 || today != 1235 {
		t.Errorf("the run used %d and counts %d", run, today)
	}
}
