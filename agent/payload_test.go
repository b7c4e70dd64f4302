package agent

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/payload"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

// counting makes ids that are the same in every run.
func counting() func(string) string {
	counts := map[string]int{}
	return func(prefix string) string { counts[prefix]++; return fmt.Sprint(prefix, counts[prefix]) }
}

// spokenText is one text of a model, and the arguments of the calls in it.
type spokenText struct{ text, call, args string }

// cut makes the parts of a step, text and arguments cut at random.
func cutStep(t *rapid.T, said []spokenText, whole bool) []fakePart {
	pieces := func(s string) (list []string) {
		for s != "" {
			n := len(s)
			if !whole {
				n = rapid.IntRange(1, min(n, 9)).Draw(t, "piece")
			}
			for n < len(s) && !utf8.RuneStart(s[n]) {
				n++ // providers send whole characters
			}
			list, s = append(list, s[:n]), s[n:]
		}
		return list
	}
	var step []fakePart
	for i, s := range said {
		for _, p := range pieces(s.text) {
			step = append(step, fakePart{part: llm.Part{Kind: llm.TextDelta, Delta: p}})
		}
		if s.call == "" {
			continue
		}
		step = append(step, fakePart{part: llm.Part{Kind: llm.ToolStart, Index: i + 1, Name: s.call, ID: fmt.Sprint("c", i)}})
		for _, p := range pieces(s.args) {
			step = append(step, fakePart{part: llm.Part{Kind: llm.ToolArgs, Index: i + 1, Delta: p}})
		}
		step = append(step, fakePart{part: llm.Part{Kind: llm.ToolEnd, Index: i + 1}})
	}
	return append(step, fakePart{part: llm.Part{Kind: llm.FinishPart, Finish: llm.FinishTools}})
}

// However a provider cuts what the model says: the same text, the same cards, the same thread, the
// same prompt the next time.
func TestAnyChunking(t *testing.T) {
	quiet(t)
	pages := propertyPages()
	texts := []string{
		"", "Some text.\n", "PLAN: {\"n\": 1, \"title\": \"Grüße 👋 of some length, so that it grows while it comes\"}\n", "\n\n", "- PLAN: {'n': 2}\n",
		"```json\nPLAN: {\"n\": \"x\"}\n```\n", "SUGGESTED_VALUES: [{\"label\": \"a\", \"value\": \"b\"}]\n", "PLAN: {\"n\":", "A PLAN: {}\n", "```\ncode\nPLAN: {}\n```\n", "P", " ü",
	}
	rapid.Check(t, func(t *rapid.T) {
		var said []spokenText
		for range rapid.IntRange(1, 6).Draw(t, "texts") {
			s := spokenText{text: rapid.SampledFrom(texts).Draw(t, "text")}
			if rapid.IntRange(0, 4).Draw(t, "calls") == 0 {
				s.call = rapid.SampledFrom([]string{"back", "emit_plan"}).Draw(t, "tool")
				s.args = rapid.SampledFrom([]string{`{"n": 1}`, `{"n": "x"}`, ``}).Draw(t, "args")
			}
			said = append(said, s)
		}
		transport := rapid.SampledFrom([]llm.PayloadTransport{llm.PayloadAuto, llm.PayloadTool}).Draw(t, "transport")
		results := make([]string, 2)
		for i := range results {
			model := &fakeModel{info: fakeInfo, steps: [][]fakePart{cutStep(t, said, i == 0)}}
			model.info.Payloads = transport
			for range 6 { // repairs, and what follows calls
				model.steps = append(model.steps, []fakePart{
					{part: llm.Part{Kind: llm.TextDelta, Delta: `{"n": 3}`}}, {part: llm.Part{Kind: llm.FinishPart, Finish: llm.FinishStop}},
				})
			}
			a := &Agent{ID: "test", Approvals: Approvals{IgnoreTaint: true}, Model: model, Pages: pages, newID: counting()}
			out := newRecorder([]agui.Message{user("Go")})
			_, err := a.Run(t.Context(), Input{ThreadID: "t1", RunID: "r1", History: []agui.Message{user("Go")}}, out)
			thread := out.transcript.Messages()
			results[i] = fmt.Sprint(err, "\n", showThread(thread), showMessages(prompted(thread)))
			for _, m := range thread {
				if m.Role == agui.RoleActivity && strings.Contains(string(m.Metadata), "streaming") {
					t.Fatalf("a card is not finished: %s", m.Metadata)
				}
			}
		}
		if results[0] != results[1] {
			t.Fatalf("whole:\n%s\nin pieces:\n%s", results[0], results[1])
		}
	})
}

// Over the runs of a thread every prompt begins with the one before, byte for byte, with cards,
// suggestions and notes in it, while place and definitions do not change.
func TestThePrefixStaysOverTheTurnsOfAThread(t *testing.T) {
	for _, transport := range []llm.PayloadTransport{llm.PayloadMarker, llm.PayloadTool} {
		t.Run(string(transport), func(t *testing.T) { playThread(t, transport) })
	}
}

func playThread(t *testing.T, transport llm.PayloadTransport) {
	plan := &payload.Type{Name: "plan", Source: payload.FromLLM, Description: "A plan."}
	hits := &payload.Type{Name: "hits"}
	payloads := must.Get(payload.NewRegistry(plan, hits))(t)
	search := toolSetup{Name: "search", Result: "7 hits", PayloadType: "hits", Payload: `{"n":7}`}
	tools := must.Get(tool.NewRegistry((&conversation{journal: &fakeJournal{}}).tool(search)))(t)
	pages, err := page.NewRegistry(tools, payloads, page.Page{
		Name: "p", Instructions: "P", Tools: []string{"search"}, Payloads: []string{"plan"}, Suggestions: []page.Suggestion{{Label: "More"}},
		Context: func(page.Place, map[string]any) (page.Built, error) { return page.Built{Data: "described"}, nil },
	})
	must.Do(t, err)
	said := func(parts ...spokenText) []fakePart { return cutStep(nil, parts, true) }
	model := &fakeModel{info: fakeInfo, steps: [][]fakePart{
		said(spokenText{text: "First.\nPLAN: {\"title\": \"x\", \"n\": 1.0}\nGood?\nSUGGESTED_VALUES: [\"Yes\"]"}),
		said(spokenText{text: "Looking.\nPLAN: {\"a\":1}\n", call: "search", args: `{"q": 1}`}),
		said(spokenText{text: "Seven.", call: "emit_plan", args: `{"title": "y"}`}),
		said(spokenText{text: "PLAN: {\"b\":2}"}),
		said(spokenText{text: "Bye."}),
	}}
	model.info.Payloads = transport
	if transport != llm.PayloadTool {
		model.steps[2] = said(spokenText{text: "Seven.\nPLAN: {\"title\": \"y\"}"})
	}
	a := &Agent{ID: "test", Approvals: Approvals{IgnoreTaint: true}, Instructions: "I", Model: model, Pages: pages, newID: counting()}
	var thread []agui.Message
	for i := range 4 {
		if i > 0 {
			thread = append(thread, agui.Message{
				ID: fmt.Sprint("note", i), Role: agui.RoleActivity, ActivityType: agui.NoteType, Activity: []byte(`{"kind":"payload","text":"The user accepted the plan."}`),
			})
		}
		thread = append(thread, agui.Message{ID: fmt.Sprint("q", i), Role: agui.RoleUser, Content: agui.TextContent(fmt.Sprint("question ", i))})
		out := newRecorder(thread)
		if _, err := a.Run(t.Context(), Input{
			ThreadID: "t1", RunID: fmt.Sprint("r", i), History: thread, Place: page.ParsePlace("p"), Instructions: []string{"S"}, ClientInstructions: []string{"C"},
			Context: []agui.ContextItem{{Description: "screen", Value: fmt.Sprint("SCREEN ", i)}},
		}, out); err != nil {
			t.Fatal(err)
		}
		thread = roundTrip(t, out.transcript.Messages())
	}
	checkPrefixAcrossRuns(t, model.requests)
}

// roundTrip is the thread as a store gives it back.
func roundTrip(t *testing.T, thread []agui.Message) []agui.Message {
	t.Helper()
	var again []agui.Message
	for _, line := range strings.Split(strings.TrimSpace(showThread(thread)), "\n") {
		m, err := agui.UnmarshalMessage([]byte(line))
		if err != nil {
			t.Fatal(line, err)
		}
		again = append(again, m)
	}
	return again
}

// checkPrefixAcrossRuns holds that each prompt begins like the one before it, but for the page
// context, which is dropped when its step is over.
func checkPrefixAcrossRuns(t *testing.T, requests []*llm.Request) {
	t.Helper()
	if len(requests) != 5 {
		t.Fatalf("%d requests", len(requests))
	}
	prompts := make([]string, len(requests))
	for i, r := range requests {
		if i > 0 && (showBlocks(r.System) != showBlocks(requests[0].System) || fmt.Sprint(r.Tools) != fmt.Sprint(requests[0].Tools)) {
			t.Errorf("the system blocks or tools of request %d are others", i)
		}
		prompts[i] = withoutContext(t, showMessages(r.Messages), "described")
	}
	for i := 1; i < len(prompts); i++ {
		if !strings.HasPrefix(prompts[i], prompts[i-1]) {
			t.Errorf("request %d does not begin like the one before:\n%s\n---\n%s", i, prompts[i-1], prompts[i])
		}
	}
	for _, want := range []string{"question 3", "<page_event>The user accepted the plan.</page_event>", "x", "7 hits"} {
		if !strings.Contains(prompts[4], want) {
			t.Errorf("the last prompt lacks %q:\n%s", want, prompts[4])
		}
	}
}

// A card that is too large is given up where it is, and what follows its JSON is text.
func TestACardThatIsTooLarge(t *testing.T) {
	for _, transport := range []llm.PayloadTransport{llm.PayloadMarker, llm.PayloadTool} {
		big := `{"title":"` + strings.Repeat("x", payload.MaxBytes) + `"}`
		said := spokenText{text: "PLAN: " + big + "\nand on"}
		if transport == llm.PayloadTool {
			said = spokenText{text: "and on", call: "emit_plan", args: big}
		}
		model := &fakeModel{info: fakeInfo, steps: [][]fakePart{cutStep(nil, []spokenText{said}, true)}}
		model.info.Payloads = transport
		a := &Agent{ID: "test", Approvals: Approvals{IgnoreTaint: true}, Model: model, Pages: propertyPages(), newID: counting()}
		out := newRecorder([]agui.Message{user("Go")})
		must.Get(a.Run(t.Context(), Input{ThreadID: "t1", RunID: "r1", History: []agui.Message{user("Go")}}, out))(t)
		thread := showThread(out.transcript.Messages())
		if !strings.Contains(thread, `"content":{"error":{"code":"too_large","message":"it is too large: at most 256 KiB"}}`) ||
			!strings.Contains(thread, `"content":"and on"`) || strings.Contains(thread, "xxx") || len(model.requests) != 1 {
			t.Errorf("%s: %.500s", transport, thread)
		}
	}
}

// A generated tool's name is not the client's to use: the card is shown, and the browser is asked
// nothing.
func TestAFrontendToolWithTheNameOfACardsTool(t *testing.T) {
	model := &fakeModel{info: fakeInfo, steps: [][]fakePart{cutStep(nil, []spokenText{{call: "emit_plan", args: `{"title":"x"}`}}, true)}}
	model.info.Payloads = llm.PayloadTool
	a := &Agent{ID: "test", Approvals: Approvals{IgnoreTaint: true}, Model: model, Pages: propertyPages(), newID: counting()}
	history := []agui.Message{user("Go")}
	out := newRecorder(history)
	outcome, err := a.Run(t.Context(), Input{History: history, Frontend: []agui.Tool{{Name: "emit_plan"}}}, out)
	if err != nil || len(outcome.Pending) > 0 || !strings.Contains(showThread(out.transcript.Messages()), `"content":{"title":"x"}`) {
		t.Error(err, outcome, showThread(out.transcript.Messages()))
	}
}
