package gemini_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/llm"
)

// message is the answer as it goes back: thoughts and the signatures of texts first, then the text,
// then the calls.
func (a *answer) message() llm.Message {
	m := llm.Message{Role: llm.RoleAssistant}
	thoughts := map[int]int{}
	for _, p := range a.parts {
		call := slices.ContainsFunc(a.calls, func(c call) bool { return c.index == p.Index })
		if p.Kind != llm.ReasoningDelta && (p.Kind != llm.Opaque || call) {
			continue
		}
		if _, ok := thoughts[p.Index]; !ok {
			thoughts[p.Index] = len(m.Content)
			m.Content = append(m.Content, llm.Reasoning{})
		}
		r := m.Content[thoughts[p.Index]].(llm.Reasoning)
		r.Text += p.Delta
		r.Opaque += p.Opaque
		m.Content[thoughts[p.Index]] = r
	}
	if a.text != "" {
		m.Content = append(m.Content, llm.Text{Text: a.text})
	}
	for _, c := range a.calls {
		m.Content = append(m.Content, llm.ToolCall{ID: c.id, Name: c.name, Args: c.args, Opaque: a.opaque[c.index]})
	}
	return m
}

type part struct {
	Text      string          `json:"text,omitempty"`
	Thought   bool            `json:"thought,omitempty"`
	Signature string          `json:"thoughtSignature,omitempty"`
	Call      json.RawMessage `json:"functionCall,omitempty"`
}

// back are the model's parts, and how many results there are, in the request that follows an
// answer.
func back(t *testing.T, a answer) (parts []part, results int) {
	t.Helper()
	messages := []llm.Message{say(llm.RoleUser, llm.Text{Text: "q"}), a.message()}
	for _, c := range slices.Backward(a.calls) { // in any order
		messages = append(messages, say(llm.RoleTool, llm.ToolResult{ID: c.id, Content: llm.Text{Text: "r"}}))
	}
	var body struct {
		Contents []struct {
			Role  string
			Parts []json.RawMessage
		}
	}
	if err := json.Unmarshal([]byte(sent(t, flash, &llm.Request{Messages: messages})), &body); err != nil {
		t.Fatal(err)
	}
	for _, c := range body.Contents[1:] {
		for _, raw := range c.Parts {
			if strings.Contains(string(raw), `"functionResponse"`) {
				results++
				continue
			}
			var p part
			if err := json.Unmarshal(raw, &p); err != nil {
				t.Fatal(err)
			}
			parts = append(parts, p)
		}
	}
	return parts, results
}

// What a recording's answer becomes in the next request is what the recording says, to the byte of
// each signature.
func TestRecordedSignaturesGoBackUnchanged(t *testing.T) {
	total := 0
	for _, rec := range recordings(t) {
		t.Run(rec.name, func(t *testing.T) {
			want := readPlain(t, rec.body)
			a := ask(t, t.Context(), model(respond(strings.NewReader(rec.body))), hello)
			parts, results := back(t, a)
			if results != len(want.calls) {
				t.Errorf("%d results for %d calls", results, len(want.calls))
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
			slices.Sort(want.signatures)
			if !slices.Equal(got, want.signatures) {
				t.Errorf("signatures %q, want %q", got, want.signatures)
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
		signature := rapid.StringMatching(`[A-Za-z0-9+/]{1,200}={0,2}`)
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
		body := sse(append(chunks, finish("STOP"))...)
		a := ask(t, t.Context(), model(respond(&cutReader{data: []byte(body), n: rapid.IntRange(1, 50).Draw(r, "read")})), hello)
		if a.err != nil {
			r.Fatal(a.err)
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
