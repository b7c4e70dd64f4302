package gemini_test

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

type part struct {
	Text      string          `json:"text,omitempty"`
	Thought   bool            `json:"thought,omitempty"`
	Signature string          `json:"thoughtSignature,omitempty"`
	Call      json.RawMessage `json:"functionCall,omitempty"`
}

// back are the model's parts, and how many results there are, in the request that follows an
// answer.
func back(t *testing.T, a llmtest.Answer) (parts []part, results int) {
	t.Helper()
	messages := []llm.Message{llmtest.Say(llm.RoleUser, llm.Text{Text: "q"}), a.Message()}
	for _, c := range slices.Backward(a.Calls) { // in any order
		messages = append(messages, llmtest.Say(llm.RoleTool, llm.ToolResult{ID: c.ID, Content: llm.Text{Text: "r"}}))
	}
	body := must.JSON[struct {
		Contents []struct {
			Role  string
			Parts []json.RawMessage
		}
	}](t, sent(t, flash, &llm.Request{Messages: messages}))
	for _, c := range body.Contents[1:] {
		if c.Role == llm.RoleUser && len(a.Calls) == 0 {
			break // it is asked to go on
		}
		for _, raw := range c.Parts {
			if strings.Contains(string(raw), `"functionResponse"`) {
				results++
				continue
			}
			p := must.JSON[part](t, raw)
			parts = append(parts, p)
		}
	}
	return parts, results
}

// What a recording's answer becomes in the next request is what the recording says, to the byte of
// each signature.
func TestRecordedSignaturesGoBackUnchanged(t *testing.T) {
	total := 0
	all, _ := recordings(t)
	for _, rec := range all {
		t.Run(rec.Name, func(t *testing.T) {
			want := readPlain(t, rec.Body)
			a := llmtest.Ask(t, t.Context(), vendor.Model(llmtest.Streaming(strings.NewReader(rec.Body))), llmtest.Hello)
			parts, results := back(t, a)
			if results != len(want.Calls) {
				t.Errorf("%d results for %d calls", results, len(want.Calls))
			}
			var got []string
			for _, p := range parts {
				switch {
				case p.Signature == "":
				case p.Call != nil:
					got = append(got, "gemini:"+p.Signature)
				case p.Thought:
					got = append(got, "gemini:thought:"+p.Signature)
				default:
					got = append(got, "gemini:text:"+p.Signature)
				}
			}
			total += len(got)
			slices.Sort(got)
			slices.Sort(want.Opaques)
			if !slices.Equal(got, want.Opaques) {
				t.Errorf("signatures %q, want %q", got, want.Opaques)
			}
		})
	}
	if total < 2 {
		t.Errorf("%d signatures in all recordings: too few to prove anything", total)
	}
}

// Whatever thoughts and calls an answer holds, however it is cut, they go back as they came.
func TestAnyAnswerGoesBackUnchanged(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		signature := rapid.Map(rapid.SliceOfN(rapid.Byte(), 1, 150), base64.StdEncoding.EncodeToString)
		words := rapid.StringMatching(`[a-zü五😀"\\\n]{1,20}`)
		var chunks []string
		var want []part
		for range rapid.IntRange(0, 3).Draw(r, "thoughts") {
			p := part{Text: words.Draw(r, "thought"), Thought: true, Signature: signature.Draw(r, "signature")}
			chunks = append(chunks, chunk(`{"thought":true,"text":`+quote(p.Text)+`}`), chunk(`{"thought":true,"thoughtSignature":`+quote(p.Signature)+`}`))
			want = append(want, p)
		}
		if rapid.Bool().Draw(r, "speaks") {
			p := part{Text: "x" + words.Draw(r, "text")}
			s := part{Signature: signature.Draw(r, "signature")}
			chunks = append(chunks, chunk(text(p.Text)), chunk(`{"text":"","thoughtSignature":`+quote(s.Signature)+`}`))
			want = append(want, p, s)
		}
		calls := rapid.IntRange(0, 3).Draw(r, "calls")
		for i := range calls {
			id := string(rune('a' + i))
			p := part{Call: json.RawMessage(`{"name":"f","args":{"n": 1.0},"id":"` + id + `"}`)}
			if rapid.Bool().Draw(r, "signed") {
				p.Signature = signature.Draw(r, "signature")
			}
			chunks = append(chunks, chunk(`{"functionCall":`+string(p.Call)+`,"thoughtSignature":`+quote(p.Signature)+`}`))
			want = append(want, p)
		}
		if len(chunks) == 0 {
			return
		}
		body := llmtest.SSE(append(chunks, finish("STOP"))...)
		a := llmtest.Ask(t, t.Context(), vendor.Model(llmtest.Streaming(&llmtest.CutReader{Data: []byte(body), N: rapid.IntRange(1, 50).Draw(r, "read")})), llmtest.Hello)
		if a.Err != nil {
			r.Fatal(a.Err)
		}
		parts, results := back(t, a)
		got, _ := json.Marshal(parts)
		expected, _ := json.Marshal(want)
		if string(got) != string(expected) || results != calls {
			r.Fatalf("got\n%s\nwant\n%s\n%d results for %d calls", got, expected, results, calls)
		}
	})
}

func quote(s string) string { return string(jsonx.AppendString(nil, s)) }
