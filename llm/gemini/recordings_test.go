package gemini_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest"
)

// recordings returns generateContent streams: our own, and recorded ones where there are some.
// Those with arguments in pieces, which a request must ask for and ours do not, are apart.
func recordings(t *testing.T) (whole, inPieces []llmtest.Recording) {
	t.Helper()
	all := llmtest.Recordings(t, "streams", func(root string) []llmtest.Recording {
		all := llmtest.Cassettes(t, root, "cassettes", "TestGoogleCommon", "*gemini*", "*.yaml")
		for name, lines := range llmtest.Chunks(t, root, "chunks", "google", "*.txt") {
			if strings.HasPrefix(lines[0], `{"candidates"`) { // not of another of Google's APIs
				all = append(all, llmtest.Recording{Name: name, Body: llmtest.SSE(lines...)})
			}
		}
		return all
	})
	for _, rec := range all {
		if strings.Contains(rec.Body, `"willContinue":true`) {
			inPieces = append(inPieces, rec)
		} else {
			whole = append(whole, rec)
		}
	}
	return whole, inPieces
}

type plainUsage struct {
	Prompt   int64  `json:"promptTokenCount"`
	Thoughts *int64 `json:"thoughtsTokenCount"`
	Cached   *int64 `json:"cachedContentTokenCount"`
	Total    int64  `json:"totalTokenCount"`
}

type plainChunk struct {
	Candidates []struct {
		Content struct {
			Parts []struct {
				Text      string
				Thought   bool
				Signature string `json:"thoughtSignature"`
				Call      *struct {
					ID, Name string
					Args     json.RawMessage
				} `json:"functionCall"`
			}
		}
		Finish string `json:"finishReason"`
	}
	Usage *plainUsage `json:"usageMetadata"`
	Error json.RawMessage
}

func readPlain(t *testing.T, body string) llmtest.Plain {
	t.Helper()
	p := llmtest.Unread()
	p.Opaques, p.MadeUp, p.ByValue, p.Finished = []string{}, "gemini_", true, strings.Index(body, `"finishReason"`)
	finish := ""
	for c := range llmtest.Documents[plainChunk](t, body) {
		if c.Error != nil {
			p.Failed = true
			break
		}
		if c.Usage != nil && c.Usage.Total > 0 {
			p.Input, p.Output = c.Usage.Prompt, c.Usage.Total-c.Usage.Prompt
			p.Thought, p.CacheRead = llmtest.Count(c.Usage.Thoughts), llmtest.Count(c.Usage.Cached)
		}
		for _, part := range c.Candidates[0].Content.Parts {
			of := "text:"
			switch {
			case part.Call != nil:
				of = ""
				if part.Call.Name != "" {
					p.Calls = append(p.Calls, llmtest.Call{ID: part.Call.ID, Name: part.Call.Name, Args: string(part.Call.Args), Ended: true})
				}
			case part.Thought:
				of = "thought:"
				p.Reasoning += part.Text
			default:
				p.Text += part.Text
			}
			if part.Signature != "" {
				p.Opaques = append(p.Opaques, "gemini:"+of+part.Signature)
			}
		}
		finish += c.Candidates[0].Finish
	}
	for i := range p.Calls {
		if p.Calls[i].Args == "" {
			p.Calls[i].Args = "{}"
		}
	}
	p.Finish = map[string]llm.Finish{"STOP": llm.FinishStop, "MAX_TOKENS": llm.FinishLength, "SAFETY": llm.FinishFilter}[finish]
	if len(p.Calls) > 0 && p.Finish == llm.FinishStop {
		p.Finish = llm.FinishTools
	}
	return p
}

// wholeCalls are the recordings whose calls come whole.
func wholeCalls(t *testing.T) []llmtest.Recording {
	whole, _ := recordings(t)
	return whole
}

func TestRecordings(t *testing.T) {
	vendor.Recordings(t, 2, 5)
	_, inPieces := recordings(t)
	for _, rec := range inPieces {
		a := play(t, rec.Body)
		ended := slices.ContainsFunc(a.Calls, func(c llmtest.Call) bool { return c.Ended })
		if a.Kind() != llm.KindProtocol || ended {
			t.Errorf("%s: a call without its arguments: %+v", rec.Name, a)
		}
	}
}

func TestRecordingsCutAnywhere(t *testing.T) { vendor.CutAnywhere(t) }
