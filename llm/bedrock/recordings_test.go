package bedrock_test

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/pageside/pageside/llm"
)

// plain is what a recording says, read the simplest way.
type plain struct {
	text, reasoning, signature string
	calls                      []call
	stop                       string
	failed                     bool
	input, output, cached      int64
}

func readPlain(t *testing.T, events []string) (p plain) {
	t.Helper()
	p.input, p.output, p.cached = -1, -1, -1
	at := map[int]int{}
	for _, line := range events {
		var e struct {
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
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		switch {
		case e.Start != nil && e.Start.Start.ToolUse != nil:
			at[e.Start.Index] = len(p.calls)
			p.calls = append(p.calls, call{id: e.Start.Start.ToolUse.ToolUseID, name: e.Start.Start.ToolUse.Name})
		case e.Delta != nil:
			d := e.Delta.Delta
			p.text, p.reasoning, p.signature = p.text+d.Text, p.reasoning+d.R.Text, p.signature+d.R.Signature
			if d.ToolUse.Input != "" {
				p.calls[at[e.Delta.Index]].args += d.ToolUse.Input
			}
		case e.Stop != nil:
			p.stop = e.Stop.StopReason
		case e.Meta != nil:
			p.input, p.output = e.Meta.Usage.InputTokens, e.Meta.Usage.OutputTokens
			if cached := e.Meta.Usage.CacheReadInputTokens; cached != nil {
				p.input, p.cached = p.input+*cached, *cached
			}
		case e.Exception != nil:
			p.failed = true
		}
	}
	return p
}

func (p *plain) compare(t *testing.T, a answer) {
	t.Helper()
	if p.failed != (a.err != nil) {
		t.Fatalf("error %v, want %v", a.err, p.failed)
	}
	if a.text != p.text || a.reasoning != p.reasoning {
		t.Errorf("text %q, reasoning %q; want %q, %q", a.text, a.reasoning, p.text, p.reasoning)
	}
	if p.failed {
		return
	}
	if want := "bedrock:anthropic:signature:" + p.signature; p.signature != "" && (len(a.opaque) != 1 || a.opaque[0] != want) {
		t.Errorf("opaque %q, want %q", a.opaque, want)
	}
	if len(a.calls) != len(p.calls) {
		t.Fatalf("calls %+v, want %+v", a.calls, p.calls)
	}
	for i, c := range a.calls {
		if w := p.calls[i]; c.id != w.id || c.name != w.name || c.args != w.args || !c.ended {
			t.Errorf("call %d: %+v, want %+v", i, c, w)
		}
	}
	if want := map[string]llm.Finish{"end_turn": llm.FinishStop, "tool_use": llm.FinishTools, "max_tokens": llm.FinishLength, "content_filtered": llm.FinishFilter}[p.stop]; a.finish != want {
		t.Errorf("finish %q, want %q", a.finish, want)
	}
	if count(a.usage.Input) != p.input || count(a.usage.Output) != p.output || count(a.usage.CacheRead) != p.cached {
		t.Errorf("usage %d/%d/%d, want %d/%d/%d", count(a.usage.Input), count(a.usage.Output), count(a.usage.CacheRead), p.input, p.output, p.cached)
	}
}

func TestRecordings(t *testing.T) {
	player := newPlayer()
	for _, rec := range recordings(t) {
		t.Run(rec.name, func(t *testing.T) {
			want, body := readPlain(t, rec.events), frames(t, rec.events...)
			for _, n := range []int{1, 3, 64, 1000, len(body)} {
				want.compare(t, player.play(t, &cutReader{data: body, n: n}))
			}
		})
	}
}

// places is how many cuts are tried of a long recording; fewer under the race detector.
var places = 1500

// Cut anywhere, a stream gives what came before the cut and then an error, unless the provider had
// finished; and no call ends before that.
func TestRecordingsCutAnywhere(t *testing.T) {
	player := newPlayer()
	for _, rec := range recordings(t) {
		t.Run(rec.name, func(t *testing.T) {
			want := readPlain(t, rec.events)
			if want.failed {
				return // TestStreamFaults has it
			}
			body, finished := frames(t, rec.events...), 0
			for i, e := range rec.events {
				if strings.HasPrefix(e, `{"messageStop"`) {
					finished = len(frames(t, rec.events[:i+1]...))
				}
			}
			for at := 0; at <= len(body); at += 1 + len(body)/places {
				end := io.EOF
				if at%2 == 0 {
					end = io.ErrUnexpectedEOF
				}
				a := player.play(t, &cutReader{data: body[:at], n: 512, end: end})
				if !strings.HasPrefix(want.text, a.text) || !strings.HasPrefix(want.reasoning, a.reasoning) || len(a.calls) > len(want.calls) {
					t.Fatalf("cut at %d: %+v is no beginning of %+v", at, a, want)
				}
				for i, c := range a.calls {
					if w := want.calls[i]; c.name != w.name || !strings.HasPrefix(w.args, c.args) || c.ended != (a.err == nil) {
						t.Fatalf("cut at %d: call %+v, want %+v", at, c, w)
					}
				}
				if at < finished && a.kind() != llm.KindNetwork || at >= finished && a.err != nil {
					t.Fatalf("cut at %d, finished at %d: %v %v", at, finished, a.err, a.err.Err)
				}
			}
		})
	}
}
