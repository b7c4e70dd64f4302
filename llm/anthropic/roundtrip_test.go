package anthropic_test

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest"
	_ "github.com/pageside/pageside/test/chance"
	"github.com/pageside/pageside/test/must"
)

// What a recording's answer becomes in the next request is what the recording says, to the byte of
// each signature.
func TestRecordedThoughtsGoBackUnchanged(t *testing.T) {
	thoughts := 0
	for _, rec := range recordings(t) {
		t.Run(rec.Name, func(t *testing.T) {
			want := readPlain(t, rec.Body)
			a := llmtest.Ask(t, t.Context(), vendor.Model(llmtest.Streaming(strings.NewReader(rec.Body))), llmtest.Hello)
			got := sentBlocks(t, a)
			for _, b := range got {
				if b.Signature != "" || b.Data != "" {
					thoughts++
				}
			}
			var signatures []string
			for _, b := range got {
				switch b.Type {
				case "thinking":
					signatures = append(signatures, "anthropic:thinking:"+b.Signature)
				case "redacted_thinking":
					signatures = append(signatures, "anthropic:redacted:"+b.Data)
				}
			}
			if !slices.Equal(signatures, want.Opaques) {
				t.Errorf("signatures %q, want %q", signatures, want.Opaques)
			}
		})
	}
	if thoughts == 0 {
		t.Error("no thought in any recording")
	}
}

// sentBlocks are the assistant's blocks in the request that follows an answer.
func sentBlocks(t testing.TB, a llmtest.Answer) []plainBlock {
	t.Helper()
	messages := []llm.Message{llmtest.User("q"), a.Message()}
	for _, c := range a.Calls {
		messages = append(messages, llm.Message{Role: llm.RoleTool, Content: []llm.Content{llm.ToolResult{ID: c.ID, Content: llm.Text{Text: "r"}}}})
	}
	messages = append(messages, llmtest.User("next"))
	body := must.JSON[struct {
		Messages []struct {
			Role    string
			Content []plainBlock
		}
	}](t, sent(t, sonnet, &llm.Request{Messages: messages}))
	if len(body.Messages) < 2 || body.Messages[1].Role != llm.RoleAssistant {
		return nil
	}
	return body.Messages[1].Content
}

// Whatever thoughts, texts and calls an answer holds and however its signatures are cut in pieces,
// they go back as they came.
func TestAnyAnswerGoesBackUnchanged(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var events []string
		var want []plainBlock
		signature := rapid.Map(rapid.SliceOfN(rapid.Byte(), 1, 150), base64.StdEncoding.EncodeToString)
		words := rapid.StringMatching(`[a-zü五😀"\\\n]{1,20}`)
		texts := 0
		for i := range rapid.IntRange(1, 5).Draw(r, "blocks") {
			switch kind := rapid.SampledFrom([]string{"thinking", "redacted_thinking", "text", "tool_use"}).Draw(r, "kind"); kind {
			case "thinking":
				b := plainBlock{Type: kind, Thinking: words.Draw(r, "thought"), Signature: signature.Draw(r, "signature")}
				events = append(events, start(i, `"type":"thinking","thinking":"","signature":""`), delta(i, `"type":"thinking_delta","thinking":`+quote(b.Thinking)))
				cut := rapid.IntRange(0, len(b.Signature)).Draw(r, "cut")
				for _, piece := range []string{b.Signature[:cut], b.Signature[cut:]} {
					events = append(events, delta(i, `"type":"signature_delta","signature":`+quote(piece)))
				}
				want = append(want, b)
			case "redacted_thinking":
				b := plainBlock{Type: kind, Data: signature.Draw(r, "data")}
				events = append(events, start(i, `"type":"redacted_thinking","data":`+quote(b.Data)))
				want = append(want, b)
			case "text":
				if texts++; texts > 1 {
					continue // the agent joins texts
				}
				b := plainBlock{Type: kind, Text: "x" + words.Draw(r, "text")}
				events = append(events, start(i, textStart), delta(i, textDelta(b.Text)))
				want = append(want, b)
			case "tool_use":
				id := "toolu_" + string(rune('a'+i))
				events = append(events, start(i, toolStart(id, "f")), delta(i, argsDelta(`{"n":1.0}`)))
				want = append(want, plainBlock{Type: kind, ID: id, Name: "f", Input: json.RawMessage(`{"n":1.0}`)})
			}
			events = append(events, stop(i))
		}
		// A call goes behind what was said: the agent keeps them so.
		slices.SortStableFunc(want, func(a, b plainBlock) int {
			return b2i(a.Type == "tool_use") - b2i(b.Type == "tool_use")
		})
		body := llmtest.SSE(slices.Concat([]string{started}, events, []string{finish("end_turn"), stopped})...)
		n := rapid.IntRange(1, 50).Draw(r, "read")
		a := llmtest.Ask(t, t.Context(), vendor.Model(llmtest.Streaming(&llmtest.CutReader{Data: []byte(body), N: n})), llmtest.Hello)
		if a.Err != nil {
			r.Fatal(a.Err)
		}
		got, _ := json.Marshal(sentBlocks(t, a))
		expected, _ := json.Marshal(want)
		if string(got) != string(expected) {
			r.Fatalf("got\n%s\nwant\n%s", got, expected)
		}
	})
}

func quote(s string) string { return string(jsonx.AppendString(nil, s)) }

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
