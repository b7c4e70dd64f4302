//go:build unix

package run

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/llm/script"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

// BenchmarkAudit compares runs with one tool call and 50 tokens, on SQLite and 64 at a time, with
// and without an audit log. Blocks of runs of both take turns, so that a busy machine slows both;
// the ratio is the median of those of each pair.
func BenchmarkAudit(b *testing.B) {
	for _, effect := range []tool.Effect{tool.Read, tool.Write} {
		b.Run(string(effect), func(b *testing.B) {
			plain, with := newAuditBench(b, effect, false), newAuditBench(b, effect, true)
			var plainTimes, auditedTimes, ratios []float64
			for range 3 { // warm up
				plain.block(b)
				with.block(b)
			}
			for b.Loop() {
				without, audited := plain.block(b), with.block(b)
				plainTimes, auditedTimes = append(plainTimes, without), append(auditedTimes, audited)
				ratios = append(ratios, audited/without)
			}
			b.ReportMetric(median(plainTimes), "µs/plain")
			b.ReportMetric(median(auditedTimes), "µs/audited")
			b.ReportMetric(median(ratios), "ratio")
		})
	}
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}

type auditBench struct {
	m *Manager
	n int
}

func newAuditBench(b *testing.B, effect tool.Effect, audited bool) *auditBench {
	b.Helper()
	st := must.Get(sqlstore.Open(b.Context(), filepath.Join(b.TempDir(), "bench.db")))(b)
	model, err := script.Parse("bench", []byte("name: bench\nrules: [{match: '.*', steps: [{calls: [{tool: touch, args: {item: tea}}]}, {text: '"+words50+"'}]}]"))
	must.Do(b, err)
	touch := tool.New("touch", "Touches.", func(context.Context, *tool.Call, struct {
		Item string `json:"item"`
	}) (tool.Result, error) {
		return tool.Result{Text: "touched"}, nil
	})
	touch.Effect, touch.Global = effect, true
	tools := must.Get(tool.NewRegistry(touch))(b)
	pages := must.Get(page.NewRegistry(tools, nil))(b)
	cfg := Config{Store: st, Agents: Loops(&agent.Agent{Authorizer: policy.Everything, ID: "default", Model: model, Pages: pages}), Limits: Limits{UserRuns: -1, UserInputs: -1}}
	if audited {
		log := audit.NewLog(audit.Config{Key: []byte("a key of enough bytes"), Keep: -1})
		must.Do(b, log.Open(b.Context(), st))
		b.Cleanup(log.Close)
		cfg.Audit, deskOf(cfg.Agents[0]).Audit = log, log
	}
	m := must.Get(NewManager(b.Context(), cfg))(b)
	b.Cleanup(func() { m.Drain(context.Background()); st.Close() })
	return &auditBench{m: m}
}

const words50 = "one two three four five six seven eight nine ten one two three four five six seven eight nine ten one two three four five six seven eight nine ten " +
	"one two three four five six seven eight nine ten one two three four five six seven eight nine ten"

// block executes runs, 64 at a time, and returns the processor time of one in microseconds.
func (a *auditBench) block(b *testing.B) float64 {
	const runs, at = 256, 64
	before := cpuTime()
	var wg sync.WaitGroup
	slots := make(chan struct{}, at)
	for range runs {
		a.n++
		id := fmt.Sprint(a.n)
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			in := &agui.RunAgentInput{ThreadID: "t" + id, RunID: "r" + id, ProtocolVersion: "1.0", Messages: []agui.Message{{ID: "u" + id, Role: agui.RoleUser, Content: agui.TextContent("go")}}}
			r, err := a.m.Start(context.Background(), Request{Principal: adaPrincipal, Agent: "default", Input: in, Fingerprint: id})
			if err != nil {
				b.Error(err)
				return
			}
			<-r.over
		})
	}
	wg.Wait()
	return float64((cpuTime() - before).Microseconds()) / runs
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // cannot fail for this process
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
