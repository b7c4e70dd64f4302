package gemini_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest"
)

// recordings returns generateContent streams: our own, and recorded ones where there are some.
func recordings(t *testing.T) []llmtest.Recording {
	t.Helper()
	return llmtest.Recordings(t, "streams", func(root string) []llmtest.Recording {
		all := llmtest.Cassettes(t, root, "cassettes", "TestGoogleCommon", "*gemini*", "*.yaml")
		for name, lines := range llmtest.Chunks(t, root, "chunks", "google", "*.txt") {
			if strings.HasPrefix(lines[0], `{"candidates"`) { // not of another of Google's APIs
				all = append(all, llmtest.Recording{Name: name, Body: llmtest.SSE(lines...)})
			}
		}
		return all
	})
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
					Partial  []struct {
						Path   string          `json:"jsonPath"`
						String *string         `json:"stringValue"`
						Number json.RawMessage `json:"numberValue"`
					} `json:"partialArgs"`
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
	pieces := map[int][]string{} // of each call: its paths and values
	for line := range strings.Lines(body) {
		data, ok := strings.CutPrefix(strings.TrimSpace(line), "data:")
		if !ok {
			continue
		}
		var c plainChunk
		if err := json.Unmarshal([]byte(data), &c); err != nil {
			t.Fatal(err)
		}
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
				n := len(p.Calls) - 1
				for _, piece := range part.Call.Partial {
					value := string(piece.Number)
					if piece.String != nil {
						value = *piece.String
					}
					pieces[n] = append(pieces[n], piece.Path, value)
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
			p.Calls[i].Args = assemble(t, pieces[i])
		}
	}
	p.Finish = map[string]llm.Finish{"STOP": llm.FinishStop, "MAX_TOKENS": llm.FinishLength, "SAFETY": llm.FinishFilter}[finish]
	if len(p.Calls) > 0 && p.Finish == llm.FinishStop {
		p.Finish = llm.FinishTools
	}
	return p
}

// assemble puts pieces together by another way than the adapter's: through any and encoding/json.
func assemble(t *testing.T, pieces []string) string {
	t.Helper()
	var root any = map[string]any{}
	for i := 0; i < len(pieces); i += 2 {
		path := strings.Split(strings.NewReplacer("[", ".", "]", "").Replace(strings.TrimPrefix(pieces[i], "$.")), ".")
		root = put(root, path, pieces[i+1])
	}
	out, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func put(into any, path []string, value string) any {
	if len(path) == 0 {
		if n, err := strconv.ParseFloat(value, 64); err == nil && strings.Contains(value, ".") {
			return n
		}
		old, _ := into.(string)
		return old + value
	}
	if i, err := strconv.Atoi(path[0]); err == nil {
		list, _ := into.([]any)
		for len(list) <= i {
			list = append(list, nil)
		}
		list[i] = put(list[i], path[1:], value)
		return list
	}
	object, ok := into.(map[string]any)
	if !ok {
		object = map[string]any{}
	}
	object[path[0]] = put(object[path[0]], path[1:], value)
	return object
}

func TestRecordings(t *testing.T) {
	all, thoughts, tools := recordings(t), 0, 0
	for _, rec := range all {
		want := readPlain(t, rec.Body)
		thoughts += len(want.Opaques)
		tools += len(want.Calls)
	}
	if thoughts < 2 || tools < 5 {
		t.Errorf("%d signatures and %d calls in all recordings: too few to prove anything", thoughts, tools)
	}
	vendor.Recordings(t, all, readPlain)
}

func TestRecordingsCutAnywhere(t *testing.T) { vendor.CutAnywhere(t, recordings(t), readPlain) }
