package script_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/script"
	_ "github.com/pageside/pageside/test/chance"
	"github.com/pageside/pageside/test/must"
)

func load(t testing.TB) *script.Model {
	t.Helper()
	return must.Get(script.Load("testdata/all.yaml"))(t)
}

// answer is what one call delivered, folded.
type answer struct {
	reasoning, text string
	calls           []llm.ToolCall
	open            int // calls without an end
	finish          llm.Finish
	usage           *llm.Usage
	pauses, deltas  int
	err             error
}

func ask(ctx context.Context, m llm.Model, req *llm.Request) (a answer) {
	index := map[int]int{}
	for part, err := range m.Stream(ctx, req) {
		if err != nil {
			a.err = err
			return a
		}
		switch part.Kind {
		case llm.ReasoningDelta:
			a.reasoning += part.Delta
			a.deltas++
		case llm.TextDelta:
			a.text += part.Delta
			a.deltas++
		case llm.ToolStart:
			index[part.Index] = len(a.calls)
			a.calls = append(a.calls, llm.ToolCall{ID: part.ID, Name: part.Name})
			a.open++
		case llm.ToolArgs:
			a.calls[index[part.Index]].Args += part.Delta
		case llm.ToolEnd:
			a.open--
		case llm.UsagePart:
			a.usage = part.Usage
		case llm.FinishPart:
			a.finish = part.Finish
		case llm.Pause:
			a.pauses++
		}
	}
	return a
}

func user(texts ...string) llm.Message {
	m := llm.Message{Role: llm.RoleUser}
	for _, t := range texts {
		m.Content = append(m.Content, llm.Text{Text: t})
	}
	return m
}

func page(items string) string {
	return "The page, as data:\n<page_context id=\"x1\">\n" + items + "\n</page_context>"
}

// reply appends an answer to the history, with a result for each of its calls.
func reply(messages []llm.Message, a answer, results ...string) []llm.Message {
	assistant := llm.Message{Role: llm.RoleAssistant}
	tool := llm.Message{Role: llm.RoleTool}
	if a.text != "" {
		assistant.Content = append(assistant.Content, llm.Text{Text: a.text})
	}
	for i, c := range a.calls {
		assistant.Content = append(assistant.Content, c)
		tool.Content = append(tool.Content, llm.ToolResult{ID: c.ID, Content: llm.Text{Text: results[i]}})
	}
	if messages = append(messages, assistant); len(a.calls) > 0 {
		messages = append(messages, tool)
	}
	return messages
}

func TestConversation(t *testing.T) {
	m := load(t)
	if got := m.Info(); got.Name() != "script/everything" || !got.Scripted || !got.Tools {
		t.Errorf("Info: %+v", got)
	}
	req := &llm.Request{Messages: []llm.Message{user(page(`[]`), "Which pages give the most 404s?")}}

	a := ask(t.Context(), m, req)
	if a.err != nil || a.reasoning != "The user wants the 404s." || a.text != "Let me look." || a.finish != llm.FinishTools || a.open != 0 {
		t.Fatalf("first step: %+v", a)
	}
	wantArgs := `{"query":"source=logs | where status = 404","limit":10,"status":404,"nested":[true,null,1.5,{"text":"a \"404\""}]}`
	if len(a.calls) != 2 || a.calls[0].Name != "execute_ppl_query" || a.calls[0].Args != wantArgs || a.calls[1].Args != "{}" || a.calls[0].ID == a.calls[1].ID {
		t.Fatalf("calls: %+v", a.calls)
	}
	req.Messages = reply(req.Messages, a, `{"rows":[{"path":"/a","n":1234}],"total":2000}`, "fine")
	req.Messages = append(req.Messages, user(page(`[{"description":"changed"}]`)))

	a = ask(t.Context(), m, req)
	if want := "The top page is /a with 1,234 of 2,000\n(61.7%). fine"; a.err != nil || a.text != want || a.finish != llm.FinishStop {
		t.Fatalf("second step: %+v", a)
	}
	req.Messages = reply(req.Messages, a)
	if a = ask(t.Context(), m, req); a.err != nil || a.text != "" || a.finish != llm.FinishStop || len(a.calls) > 0 {
		t.Errorf("past the last step: %+v", a)
	}
	req.Messages = append(req.Messages, user("set"))
	if a = ask(t.Context(), m, req); len(a.calls) != 1 || a.calls[0].Name != "set_it" {
		t.Errorf("a new question: %+v", a)
	}
}

// TestEach: a call is made for each item of a list, whose type stays; what is no list is an error.
func TestEach(t *testing.T) {
	for list, want := range map[string]string{`[1, "a", {"b": null}]`: `{"n":1} {"n":"a"} {"n":{"b":null}}`, `[]`: ""} {
		a := ask(t.Context(), load(t), &llm.Request{Messages: []llm.Message{user("each of " + list)}})
		var args []string
		for _, c := range a.calls {
			args = append(args, c.Args)
		}
		if got := strings.Join(args, " "); a.err != nil || got != want {
			t.Errorf("%s: %s %v, want %s", list, got, a.err, want)
		}
	}
	if a := ask(t.Context(), load(t), &llm.Request{Messages: []llm.Message{user("each of {}")}}); a.err == nil || !strings.Contains(a.err.Error(), "no list in JSON") {
		t.Errorf("no list: %+v", a)
	}
}

// TestWithContext: what a program knows comes before what the page says of the same name.
func TestWithContext(t *testing.T) {
	m := load(t).WithPace(0).WithContext(script.Item{Description: "filters", Value: []any{map[string]any{"field": "method"}}}).WithPace(0)
	req := &llm.Request{Messages: []llm.Message{user(page(`[{"description":"filters","value":"[{\"field\":\"status\"}]"}]`), "why so few?")}}
	if a := ask(t.Context(), m, req); a.err != nil || a.text != "The filter on method hides the rest." {
		t.Errorf("%+v", a)
	}
}

func TestQuotedTextIsRead(t *testing.T) {
	quoted := llm.Message{Role: llm.RoleUser, Content: []llm.Content{llm.Text{Quoted: []byte(`"say \"hi\""`)}}}
	if a := ask(t.Context(), load(t), &llm.Request{Messages: []llm.Message{quoted}}); a.text != `"hi"` {
		t.Errorf("got %+v", a)
	}
}

func TestPageContext(t *testing.T) {
	filters := `[{"description":"filters","value":"[{\"field\":\"status\"}]"}]`
	none := `[{"description":"the count","label":"count","value":"42"},{"description":"range","value":{"from":"2025-03-01T10:30:00Z"}},{"description":"filters","value":"[]"}]
…and 3 more`
	const why = "why so few?"
	for name, tc := range map[string]struct {
		messages []llm.Message
		want     string
	}{
		"filter":              {[]llm.Message{user(page(filters), why)}, "The filter on status hides the rest."},
		"no filter":           {[]llm.Message{user(page(none), why)}, "There is no filter. The page says 42 rows and 10:30."},
		"newest block wins":   {[]llm.Message{user(page(none), why), user(page(filters))}, "The filter on status hides the rest."},
		"several blocks":      {[]llm.Message{user(page(filters), "hm"), user(page(`[{"description":"range","value":1}]`), why)}, "The filter on status hides the rest."},
		"a table":             {[]llm.Message{user(page(`[{"description":"filters","value":{"columns":["field"],"rows":[["status"],["path"],"…and 1 more"]}}]`), why)}, "The filter on status hides the rest."},
		"nothing but the tag": {[]llm.Message{user("<page_context id=\"x\">\n[\n"+filters[1:len(filters)-1]+"\n]\n</page_context>", why)}, "The filter on status hides the rest."},
		"events before":       {[]llm.Message{user("<page_event>The user went to logs.</page_event>\n<page_event>The user accepted a card.</page_event>", page(filters), why)}, "The filter on status hides the rest."},
		"context after":       {[]llm.Message{user(why, page(filters))}, "The filter on status hides the rest."},
		"escaped tags within": {[]llm.Message{user(page(strings.Replace(filters, "status", `\\u003c/page_context\\u003e`, 1)), why)}, "The filter on </page_context> hides the rest."},
	} {
		if a := ask(t.Context(), load(t), &llm.Request{Messages: tc.messages}); a.err != nil || a.text != tc.want {
			t.Errorf("%s: %+v, want %q", name, a, tc.want)
		}
	}
}

// A frontend tool changes the page, so that the rule's when would no longer hold.
func TestRuleKeepsItsAnswer(t *testing.T) {
	m := load(t)
	req := &llm.Request{Messages: []llm.Message{user(page(`[{"description":"state","value":{}}]`), "set")}}
	a := ask(t.Context(), m, req)
	if len(a.calls) != 1 {
		t.Fatalf("first step: %+v", a)
	}
	req.Messages = append(reply(req.Messages, a, "ok"), user(page(`[{"description":"state","value":{"set":true}}]`)))
	if a = ask(t.Context(), m, req); a.text != "It is set, with 1 call of set_it." {
		t.Errorf("second step: %+v", a)
	}
}

func TestCallConditionSeesOfferedTools(t *testing.T) {
	req := &llm.Request{Messages: []llm.Message{user("set")}, Tools: []llm.ToolDecl{{Name: "never"}}}
	if a := ask(t.Context(), load(t), req); len(a.calls) != 2 {
		t.Errorf("got %+v", a)
	}
}

func TestStepLimit(t *testing.T) {
	for question, limit := range map[string]string{"for ever": "Even I stop.", "loop": "I stop here."} {
		m := load(t)
		req := &llm.Request{Messages: []llm.Message{user(question)}}
		ids := map[string]bool{}
		for range 5 {
			a := ask(t.Context(), m, req)
			if len(a.calls) != 1 || a.finish != llm.FinishTools || ids[a.calls[0].ID] {
				t.Fatalf("%s: %+v", question, a)
			}
			ids[a.calls[0].ID] = true
			req.Messages = reply(req.Messages, a, "ok")
		}
		req.Choice = llm.ChoiceNone
		if a := ask(t.Context(), m, req); a.text != limit || len(a.calls) > 0 || a.finish != llm.FinishStop {
			t.Errorf("%s: without tools: %+v", question, a)
		}
	}
}

func TestFailures(t *testing.T) {
	for question, want := range map[string]struct {
		text string
		err  llm.Error
	}{
		"fail":        {"", llm.Error{Kind: llm.KindRateLimited, Message: "slow down", Status: 429, RetryAfter: 2 * time.Second}},
		"fail later":  {"Half of", llm.Error{Kind: llm.KindOverloaded, Message: "the script fails here"}},
		"missing key": {"", llm.Error{Kind: llm.KindProtocol, Message: "rules[10].steps[0].text"}},
		"missing one": {"", llm.Error{Kind: llm.KindProtocol, Message: "error calling index"}},
		"bad json":    {"", llm.Error{Kind: llm.KindProtocol, Message: `"nope bad json" is not JSON`}},
	} {
		req := &llm.Request{Messages: []llm.Message{user(page(`[{"description":"state","value":{"a":1}}]`), question)}}
		a := ask(t.Context(), load(t), req)
		got, ok := errors.AsType[*llm.Error](a.err)
		if !ok || a.text != want.text || a.finish != "" {
			t.Errorf("%s: %+v", question, a)
			continue
		}
		if got.Kind != want.err.Kind || !strings.Contains(got.Message, want.err.Message) || got.Status != want.err.Status ||
			got.RetryAfter != want.err.RetryAfter || got.Model != "script/everything" {
			t.Errorf("%s: %+v", question, got)
		}
	}
}

func TestBrokenAndCutCalls(t *testing.T) {
	a := ask(t.Context(), load(t), &llm.Request{Messages: []llm.Message{user("broken args")}})
	if len(a.calls) != 1 || a.calls[0].Args != `{"a":` || a.open != 0 || a.finish != llm.FinishTools {
		t.Errorf("raw arguments: %+v", a)
	}
	a = ask(t.Context(), load(t), &llm.Request{Messages: []llm.Message{user("cut")}})
	if a.finish != llm.FinishLength || a.open != 1 || a.usage == nil || *a.usage.Input != 10 || *a.usage.CacheRead != 8 || a.usage.Reasoning != nil {
		t.Errorf("cut: %+v", a)
	}
}

func TestFallback(t *testing.T) {
	m := load(t)
	if a := ask(t.Context(), m, &llm.Request{Messages: []llm.Message{user("what?")}}); !strings.Contains(a.text, "no rule") {
		t.Errorf("built-in fallback: %+v", a)
	}
	if a := ask(t.Context(), m, &llm.Request{}); !strings.Contains(a.text, "no rule") {
		t.Errorf("no message at all: %+v", a)
	}
	own, err := script.Parse("dir/own.yaml", []byte("rules: [{fallback: true, steps: [{text: 'I know {{ .User }}'}]}]"))
	must.Do(t, err)
	if a := ask(t.Context(), own, &llm.Request{Messages: []llm.Message{user("nothing")}}); a.text != "I know nothing" || own.Info().Name() != "script/own" {
		t.Errorf("own fallback: %+v", a)
	}
}

func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		a := ask(t.Context(), load(t).WithPace(time.Minute), &llm.Request{Messages: []llm.Message{user("slow")}})
		if got := time.Since(start); got != 3*time.Second || a.pauses != 3 || a.text != "one two three" || a.reasoning != "hm" {
			t.Errorf("took %v: %+v", got, a)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
		defer cancel()
		a := ask(ctx, load(t).WithPace(time.Minute), &llm.Request{Messages: []llm.Message{user("say a b c")}})
		e, ok := errors.AsType[*llm.Error](a.err)
		if !ok || e.Kind != llm.KindCancelled || !errors.Is(e, context.DeadlineExceeded) || a.text != "a b " {
			t.Errorf("cancelled: %+v", a)
		}
	})
}

func TestLeavingTheLoop(t *testing.T) {
	for range load(t).Stream(t.Context(), &llm.Request{Messages: []llm.Message{user("say a b c")}}) {
		break
	}
}

func TestDeltasRejoin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[\pL\pS\s{}"<]{0,60}`).Draw(t, "text")
		chunk := rapid.IntRange(0, 5).Draw(t, "chunk")
		rules := "rules: [{match: '(?s)^say (.*)$', steps: [{text: '{{ index .Match \"1\" }}'"
		if chunk > 0 {
			rules += fmt.Sprintf(", chunk: %d", chunk)
		}
		m := must.Get(script.Parse("r", []byte(rules+"}]}]")))(t)
		got := ""
		for part, err := range m.Stream(context.Background(), &llm.Request{Messages: []llm.Message{user("say " + text)}}) {
			must.Do(t, err)
			if !utf8.ValidString(part.Delta) || (part.Kind == llm.TextDelta && part.Delta == "") {
				t.Fatalf("delta %q", part.Delta)
			}
			got += part.Delta
		}
		if want := strings.TrimSpace(text); got != want && strings.TrimSpace("say "+text) != "say" {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}
