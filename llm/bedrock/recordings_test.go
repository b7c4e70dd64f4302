package bedrock_test

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/test/must"
)

func readPlain(t *testing.T, events []string) llmtest.Plain {
	t.Helper()
	p, signature, stop := llmtest.Unread(), "", ""
	at := map[int]int{}
	for _, line := range events {
		e := must.JSON[struct {
			Start *struct {
				Index int `json:"contentBlockIndex"`
				Start struct {
					ToolUse *struct{ ToolUseID, Name string }
				}
			} `json:"contentBlockStart"`
			Delta *struct {
				Index int `json:"contentBlockIndex"`
				Delta struct {
					Text    string
					ToolUse struct{ Input string }
					R       struct{ Text, Signature string } `json:"reasoningContent"`
				}
			} `json:"contentBlockDelta"`
			Stop *struct{ StopReason string } `json:"messageStop"`
			Meta *struct {
				Usage struct {
					InputTokens, OutputTokens int64
					CacheReadInputTokens      *int64
				}
			} `json:"metadata"`
			Exception json.RawMessage `json:"modelStreamErrorException"`
		}](t, line)
		switch {
		case e.Start != nil && e.Start.Start.ToolUse != nil:
			at[e.Start.Index] = len(p.Calls)
			p.Calls = append(p.Calls, llmtest.Call{ID: e.Start.Start.ToolUse.ToolUseID, Name: e.Start.Start.ToolUse.Name, Ended: true})
		case e.Delta != nil:
			d := e.Delta.Delta
			p.Text, p.Reasoning, signature = p.Text+d.Text, p.Reasoning+d.R.Text, signature+d.R.Signature
			if d.ToolUse.Input != "" {
				p.Calls[at[e.Delta.Index]].Args += d.ToolUse.Input
			}
		case e.Stop != nil:
			stop = e.Stop.StopReason
		case e.Meta != nil:
			p.Input, p.Output = e.Meta.Usage.InputTokens, e.Meta.Usage.OutputTokens
			if cached := e.Meta.Usage.CacheReadInputTokens; cached != nil {
				p.Input, p.CacheRead = p.Input+*cached, *cached
			}
		case e.Exception != nil:
			p.Failed = true
		}
	}
	if signature != "" {
		p.Opaques = []string{"bedrock:anthropic:signature:" + signature}
	}
	p.Finish = map[string]llm.Finish{"end_turn": llm.FinishStop, "tool_use": llm.FinishTools, "max_tokens": llm.FinishLength, "content_filtered": llm.FinishFilter}[stop]
	return p
}

func TestRecordings(t *testing.T) {
	player := newPlayer()
	for _, rec := range recordings(t) {
		t.Run(rec.name, func(t *testing.T) {
			want, body := readPlain(t, rec.events), frames(t, rec.events...)
			for _, n := range []int{1, 3, 64, 1000, len(body)} {
				want.Compare(t, player.play(t, &llmtest.CutReader{Data: body, N: n}))
			}
		})
	}
}

// TestLeaveAnywhere: a reader that leaves a stream leaves nothing behind, wherever that is.
func TestLeaveAnywhere(t *testing.T) {
	for _, rec := range recordings(t) {
		t.Run(rec.name, func(t *testing.T) {
			if len(rec.events) < 50 {
				llmtest.LeaveAnywhere(t, string(frames(t, rec.events...)), func(all llmtest.Transport) llm.Model { return model(all) })
			}
		})
	}
}

// offsets is how many cuts are tried of a long recording; fewer under the race detector.
var offsets = 1500

// Cut anywhere, a stream gives what came before the cut and then an error, unless the provider had
// finished; and no call ends before that.
func TestRecordingsCutAnywhere(t *testing.T) {
	player := newPlayer()
	for _, rec := range recordings(t) {
		t.Run(rec.name, func(t *testing.T) {
			want := readPlain(t, rec.events)
			if want.Failed {
				return // TestStreamFaults has it
			}
			body, finished := frames(t, rec.events...), 0
			for i, e := range rec.events {
				if strings.HasPrefix(e, `{"messageStop"`) {
					finished = len(frames(t, rec.events[:i+1]...))
				}
			}
			for at := 0; at <= len(body); at += 1 + len(body)/offsets {
				end := io.EOF
				if at%2 == 0 {
					end = io.ErrUnexpectedEOF
				}
				a := player.play(t, &llmtest.CutReader{Data: body[:at], N: 512, End: end})
				if !strings.HasPrefix(want.Text, a.Text) || !strings.HasPrefix(want.Reasoning, a.Reasoning) || len(a.Calls) > len(want.Calls) {
					t.Fatalf("cut at %d: %+v is no beginning of %+v", at, a, want)
				}
				for i, c := range a.Calls {
					if w := want.Calls[i]; c.Name != w.Name || !strings.HasPrefix(w.Args, c.Args) || c.Ended != (a.Err == nil) {
						t.Fatalf("cut at %d: call %+v, want %+v", at, c, w)
					}
				}
				if at < finished && a.Kind() != llm.KindNetwork || at >= finished && a.Err != nil {
					t.Fatalf("cut at %d, finished at %d: %v %v", at, finished, a.Err, a.Err.Err)
				}
			}
		})
	}
}
