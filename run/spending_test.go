package run

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/store/storetest/temp"
)

// counting is a model that reports what it used, when it has said it after a while.
type counting struct {
	*steps
	info llm.Info
}

func (c counting) Info() llm.Info { return c.info }

func newCounting(name string, input, output int64, prices llm.Prices, after time.Duration, fails bool) counting {
	return counting{info: llm.Info{Provider: "fake", Model: name, Tools: true, Prices: prices}, steps: &steps{play: []step{
		func(ctx context.Context, req *llm.Request, yield func(llm.Part, error) bool) {
			select {
			case <-time.After(after):
			case <-ctx.Done():
				yield(llm.Part{}, ctx.Err())
				return
			}
			if !yield(llm.Part{Kind: llm.UsagePart, Usage: &llm.Usage{Input: &input, Output: &output}}, nil) {
				return
			}
			if fails {
				yield(llm.Part{}, &llm.Error{Kind: llm.KindAuth, Message: "no"})
				return
			}
			say("A fine title")(ctx, req, yield)
		},
	}}}
}

// What naming the thread used is part of what its first run used, also where it failed. A title
// that takes too long is given up, and what it used is nobody's.
func TestTitleIsPartOfWhatARunUsed(t *testing.T) {
	prices := llm.Prices{Input: 1, Output: 2}
	for name, test := range map[string]struct {
		title counting
		usage string // of the run, as the row has it
	}{
		"in time":        {newCounting("small", 1000, 100, prices, time.Second, false), `{"usage":[{"provider":"fake","model":"large","inputTokens":10000,"outputTokens":1000},{"provider":"fake","model":"small","inputTokens":1000,"outputTokens":100}],"cost":0.0132}`},
		"of a like name": {newCounting("large", 1000, 100, prices, time.Second, false), `{"usage":[{"provider":"fake","model":"large","inputTokens":11000,"outputTokens":1100}],"cost":0.0132}`},
		"no price":       {newCounting("small", 1000, 100, llm.Prices{}, time.Second, false), `{"usage":[{"provider":"fake","model":"large","inputTokens":10000,"outputTokens":1000},{"provider":"fake","model":"small","inputTokens":1000,"outputTokens":100}]}`},
		"it fails":       {newCounting("small", 1000, 0, prices, time.Second, true), `{"usage":[{"provider":"fake","model":"large","inputTokens":10000,"outputTokens":1000},{"provider":"fake","model":"small","inputTokens":1000,"outputTokens":0}],"cost":0.013}`},
		"too late":       {newCounting("small", 1000, 100, prices, time.Minute, false), `{"usage":[{"provider":"fake","model":"large","inputTokens":10000,"outputTokens":1000}],"cost":0.012}`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := agentWith(t, newCounting("large", 10_000, 1000, prices, 0, false))
				a.TitleModel = test.title
				f := managerWith(t, temp.Store(t), a, nil)
				r := f.start(f.input("t1", "who am I?"))
				all := events(t, r, false)
				row, err := f.store.Run(t.Context(), ada, r.ID)
				if err != nil || string(row.Usage) != test.usage {
					t.Errorf("the row has %s, %v\nwant        %s", row.Usage, err, test.usage)
				}
				var kept struct {
					Usage json.RawMessage
					Cost  *float64
				}
				must(t, json.Unmarshal(row.Usage, &kept))
				end := all[len(all)-1].(*agui.RunFinished)
				told, err := agui.MarshalUsage(end.Usage)
				if err != nil || string(told) != string(kept.Usage) {
					t.Errorf("the client is told %s", told)
				}
				metadata := ""
				if kept.Cost != nil {
					metadata = fmt.Sprintf(`{"pageside":{"cost":%v}}`, *kept.Cost)
				}
				if string(end.Metadata) != metadata {
					t.Errorf("the client is told %s, want %s", end.Metadata, metadata)
				}
			})
		})
	}
}
