package bedrock_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/bedrock"
	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/test/must"
)

// sent returns the body a request becomes.
func sent(t testing.TB, cfg bedrock.Config, req *llm.Request) string {
	t.Helper()
	cfg.Region, cfg.Credentials = "us-east-1", keys
	create := func(client *http.Client) llm.Model { cfg.HTTPClient = client; return bedrock.New(cfg) }
	return llmtest.Sent(t, create, vendor.Finished, req)
}

var weather = []llm.ToolDecl{
	{Name: "f", Description: "does f", Parameters: json.RawMessage(`{"type":"object","properties":{"z":{"const":1.0},"a":{}}}`), Strict: true},
	{Name: "g"},
}

// mixedTurn is a history with a turn that called two tools, and the question after it.
func mixedTurn() []llm.Message {
	return []llm.Message{
		{Role: llm.RoleUser, Content: []llm.Content{llm.Text{Text: "context"}, llm.Text{Quoted: json.RawMessage(`"que\u0073tion"`)}}},
		{Role: llm.RoleAssistant, Content: []llm.Content{
			llm.Reasoning{Text: "hm", Opaque: "bedrock:anthropic:signature:SIG=="}, llm.Reasoning{Opaque: "bedrock:anthropic:redacted:AAEC"},
			llm.Reasoning{Text: "not ours", Opaque: "anthropic:x"}, llm.Reasoning{Text: "another maker's", Opaque: "bedrock:amazon:signature:x"},
			llm.Text{Text: "Let me."}, llm.Text{Text: " "},
			llm.ToolCall{ID: "a", Name: "f", Args: `{"z": 1.0, "a": 12345678901234567890}`}, llm.ToolCall{ID: "functions.g:1", Name: "g", Args: "nope"},
		}},
		{Role: llm.RoleTool, Content: []llm.Content{llm.ToolResult{ID: "a", Content: llm.Text{Text: "one"}}}},
		{Role: llm.RoleTool, Content: []llm.Content{llm.ToolResult{ID: "functions.g:1", Content: llm.Text{Quoted: json.RawMessage(`""`)}, IsError: true}}},
		{Role: llm.RoleUser, Content: []llm.Content{llm.Text{Text: "and?"}}},
		{Role: llm.RoleAssistant, Content: []llm.Content{llm.Text{Text: "Done."}}},
		{Role: llm.RoleUser, Content: []llm.Content{llm.Text{Text: "see"}, llm.Media{Kind: "image", MimeType: "image/png", Data: "iVBORw0KGgo="}, llm.Media{Kind: "image", URL: "https://x/y"}, llm.Media{Kind: "document", MimeType: "application/pdf", Data: "JVBERi0xLjQK"}}},
	}
}

const point = `{"cachePoint":{"type":"default"}}`

func TestRequest(t *testing.T) {
	temperature := 0.5
	req := &llm.Request{
		System: []llm.Block{{Text: "Be brief."}, {Text: " "}, {Text: "Second.", Cache: true}}, Tools: weather, Messages: mixedTurn(),
		Choice: llm.ChoiceRequired, MaxTokens: 50, Temperature: &temperature, Extra: map[string]json.RawMessage{"top_k": json.RawMessage(`7`)},
	}
	history := func(point string) string {
		return `[{"role":"user","content":[{"text":"context"},{"text":"question"}]},
		{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"hm","signature":"SIG=="}}},{"reasoningContent":{"redactedContent":"AAEC"}},{"text":"Let me."},
			{"toolUse":{"toolUseId":"a","name":"f","input":{"z":1.0,"a":12345678901234567890}}},{"toolUse":{"toolUseId":"functions_g_1_7432ef98aa4e164b","name":"g","input":{"invalid_arguments":"nope"}}}]},
		{"role":"user","content":[{"toolResult":{"toolUseId":"a","content":[{"text":"one"}]}},{"toolResult":{"toolUseId":"functions_g_1_7432ef98aa4e164b","content":[{"text":"(empty)"}],"status":"error"}},{"text":"and?"}` + point + `]},
		{"role":"assistant","content":[{"text":"Done."}]},
		{"role":"user","content":[{"text":"see"},{"image":{"format":"png","source":{"bytes":"iVBORw0KGgo="}}},{"text":"[The user attached something of the type image that you cannot be shown.]"},
			{"document":{"format":"pdf","name":"attachment 1","source":{"bytes":"JVBERi0xLjQK"}}}` + point + `]}]`
	}
	const tools = `"toolConfig":{"tools":[{"toolSpec":{"name":"f","description":"does f","inputSchema":{"json":{"type":"object","properties":{"z":{"const":1.0},"a":{}}}}}},
		{"toolSpec":{"name":"g","inputSchema":{"json":{"type":"object","properties":{}}}}}],"toolChoice":{"any":{}}},"inferenceConfig":{"maxTokens":50,"temperature":0.5},"additionalModelRequestFields":{"top_k":7},`
	got := sent(t, bedrock.Config{Model: claude}, req)
	llmtest.SameJSON(t, got, `{"system":[{"text":"Be brief."},{"text":"Second."},`+point+`],`+tools+`"messages":`+history(","+point)+`}`)
	if !strings.Contains(got, `{"type":"object","properties":{"z":{"const":1.0},"a":{}}}`) || !strings.Contains(got, `"input":{"z": 1.0, "a": 12345678901234567890}`) {
		t.Errorf("JSON was not passed on byte for byte: %s", got)
	}
	if got := sent(t, bedrock.Config{Model: "mistral.mistral-large"}, req); strings.Contains(got, "cachePoint") {
		t.Errorf("a model that is not known to cache is told what to: %s", got)
	}
}

// A model that may not call tools is told of earlier calls in words: Bedrock takes no calls in a
// history without tools, and no tools that may not be called.
func TestRequestWithoutTools(t *testing.T) {
	want := `[{"role":"user","content":[{"text":"context"},{"text":"question"}]},
		{"role":"assistant","content":[{"text":"Let me."},{"text":"[The tool f was called with {\"z\": 1.0, \"a\": 12345678901234567890}]"},{"text":"[The tool g was called with {\"invalid_arguments\":\"nope\"}]"}]},
		{"role":"user","content":[{"text":"[The tool f answered: one]"},{"text":"[The tool g answered: (empty)]"},{"text":"and?"}]}]`
	for name, tc := range map[string]struct {
		model string
		req   llm.Request
	}{
		"forbidden":     {"mistral.mistral-large", llm.Request{Tools: weather, Choice: llm.ChoiceNone}},
		"none declared": {"mistral.mistral-large", llm.Request{}},
		"not known":     {"meta.llama3-1-70b-instruct-v1:0", llm.Request{Tools: weather}},
	} {
		tc.req.Messages = mixedTurn()[:5]
		t.Run(name, func(t *testing.T) {
			llmtest.SameJSON(t, sent(t, bedrock.Config{Model: tc.model}, &tc.req), `{"messages":`+want+`}`)
		})
	}
}

func TestRequestBeginsWithTheUser(t *testing.T) {
	req := &llm.Request{Messages: []llm.Message{
		{Role: llm.RoleAssistant, Content: []llm.Content{llm.Text{Text: "a"}, llm.Reasoning{Text: "led to nothing", Opaque: "bedrock:anthropic:signature:x"}}},
		{Role: llm.RoleUser, Content: []llm.Content{llm.Text{Text: " "}}},
		{Role: llm.RoleAssistant, Content: []llm.Content{llm.Text{Text: "b"}}},
		{Role: llm.RoleUser, Content: []llm.Content{llm.Media{Kind: "document", MimeType: "application/pdf", Data: "JVBERi0xLjQK", Name: "a: b.pdf"}}},
	}}
	llmtest.SameJSON(t, sent(t, bedrock.Config{Model: claude}, req), `{"messages":[{"role":"user","content":[{"text":"(The beginning of the conversation is left out.)"}]},
		{"role":"assistant","content":[{"text":"a"}]},{"role":"user","content":[{"text":"(empty)"},`+point+`]},{"role":"assistant","content":[{"text":"b"}]},
		{"role":"user","content":[{"text":"[The user calls attachment 1 “a: b.pdf”.]"},{"document":{"format":"pdf","name":"attachment 1","source":{"bytes":"JVBERi0xLjQK"}}},{"text":"(The user attached this without a word.)"},`+point+`]}]}`)
}

func TestThinking(t *testing.T) {
	temperature := 0.5
	signed := llm.Reasoning{Text: "hm", Opaque: "bedrock:anthropic:signature:x"}
	turn := func(content ...llm.Content) []llm.Message {
		return append(llmtest.Hello.Messages[:1:1], llm.Message{Role: llm.RoleAssistant, Content: append(content, llm.ToolCall{ID: "a", Name: "f"})},
			llm.Message{Role: llm.RoleTool, Content: []llm.Content{llm.ToolResult{ID: "a", Content: llm.Text{Text: "x"}}}})
	}
	for name, tc := range map[string]struct {
		model    string
		req      llm.Request
		want     string // of the model's own fields
		tempered bool
	}{
		"no effort":            {claude, llm.Request{}, ``, true},
		"budget":               {claude, llm.Request{Effort: "low"}, `{"thinking":{"budget_tokens":2048,"type":"enabled"}}`, false},
		"budget below a limit": {claude, llm.Request{Effort: "high", MaxTokens: 4000}, `{"thinking":{"budget_tokens":3000,"type":"enabled"}}`, false},
		"no room":              {claude, llm.Request{Effort: "high", MaxTokens: 1000}, ``, true},
		"must call":            {claude, llm.Request{Effort: "low", Choice: llm.ChoiceRequired}, ``, true},
		"turn with thoughts":   {claude, llm.Request{Effort: "low", Messages: turn(signed)}, `{"thinking":{"budget_tokens":2048,"type":"enabled"}}`, false},
		"turn of another":      {claude, llm.Request{Effort: "low", Messages: turn()}, ``, true},
		"freely":               {"global.anthropic.claude-sonnet-4-6", llm.Request{Effort: "low", Messages: turn()}, `{"output_config":{"effort":"low"},"thinking":{"type":"adaptive"}}`, false},
		"only freely":          {"eu.anthropic.claude-opus-4-8", llm.Request{Effort: "high"}, `{"output_config":{"effort":"high"},"thinking":{"display":"summarized","type":"adaptive"}}`, false},
		"no temperature":       {"eu.anthropic.claude-opus-4-8", llm.Request{}, ``, false},
		"nova":                 {"us.amazon.nova-2-lite-v1:0", llm.Request{Effort: "high"}, `{"reasoningConfig":{"maxReasoningEffort":"high","type":"enabled"}}`, false},
		"open models":          {"openai.gpt-oss-120b-1:0", llm.Request{Effort: "medium"}, `{"reasoning_effort":"medium"}`, false},
		"extra counts more":    {claude, llm.Request{Effort: "low", Extra: map[string]json.RawMessage{"thinking": json.RawMessage(`{"type":"disabled"}`)}}, `{"thinking":{"type":"disabled"}}`, false},
		"never":                {"mistral.mistral-large", llm.Request{Effort: "low"}, ``, true},
	} {
		tc.req.Temperature, tc.req.Tools = &temperature, weather
		if tc.req.Messages == nil {
			tc.req.Messages = llmtest.Hello.Messages
		}
		body := sent(t, bedrock.Config{Model: tc.model}, &tc.req)
		got := must.JSON[struct {
			Own             json.RawMessage `json:"additionalModelRequestFields"`
			InferenceConfig struct{ Temperature *float64 }
		}](t, body)
		if (tc.want == "") != (got.Own == nil) || (got.InferenceConfig.Temperature != nil) != tc.tempered {
			t.Errorf("%s: %s", name, body)
		} else if tc.want != "" {
			llmtest.SameJSON(t, string(got.Own), tc.want)
		}
		must.Be(t, sent(t, bedrock.Config{Model: tc.model}, &tc.req), body, "%s: other bytes the second time", name)
	}
}

func TestInfoAndResolve(t *testing.T) {
	for id, want := range map[string]llm.Info{
		claude:                        {ContextWindow: 200_000, Tools: true, ParallelTools: true, Images: true, PDF: true, Reasoning: true},
		"anthropic.claude-sonnet-4-5": {ContextWindow: 200_000, Tools: true, ParallelTools: true, Images: true, PDF: true, Reasoning: true, StrictTools: true},
		"arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.amazon.nova-pro-v1:0": {ContextWindow: 300_000, Tools: true, ParallelTools: true, Images: true, PDF: true},
		"deepseek.r1-v1:0": {ContextWindow: 128_000, PDF: true},
		"acme.model":       {Tools: true, ParallelTools: true},
	} {
		want.Provider, want.Model = "bedrock", id
		m, err := bedrock.Resolve("bedrock/"+id, func(string) string { return "" })
		if err != nil || m.Info() != want {
			t.Errorf("%s: %v %+v", id, err, m.Info())
		}
	}
	if got := bedrock.New(bedrock.Config{Model: "acme.model", Abilities: llm.Profile{ContextWindow: new(5), Images: new(true)}}).Info(); got.ContextWindow != 5 || !got.Images {
		t.Errorf("got %+v", got)
	}
	for _, name := range []string{"bedrock/", "bedrock", "openai/x"} {
		if _, err := bedrock.Resolve(name, func(string) string { return "" }); err == nil {
			t.Errorf("%s is a model", name)
		}
	}
}

func TestWhereACallGoes(t *testing.T) {
	var got *http.Request
	cfg := bedrock.Config{Model: claude, Region: "eu-west-1", Credentials: keys, HTTPClient: llmtest.Transport(func(r *http.Request) (*http.Response, error) {
		got = r
		return llmtest.Respond(200, nil, strings.NewReader(vendor.Finished))(r)
	})}
	llmtest.Ask(t, t.Context(), bedrock.New(cfg), llmtest.Hello)
	if got.URL.Host != "bedrock-runtime.eu-west-1.amazonaws.com" || !strings.HasSuffix(got.URL.Path, "/converse-stream") || !strings.Contains(got.Header.Get("Authorization"), "AWS4-HMAC-SHA256") {
		t.Errorf("%s %v", got.URL, got.Header)
	}
	cfg.BaseURL = "http://127.0.0.1:9/proxy"
	llmtest.Ask(t, t.Context(), bedrock.New(cfg), llmtest.Hello)
	must.Be(t, got.URL.Host, "127.0.0.1:9", "%s", got.URL)
}

// Right behind a document that it turns into text the service refuses a cache point: it stands
// before, and where the message has nothing else, in an earlier one. What the strict mock takes has
// at most four.
func TestCachePointsBesideDocuments(t *testing.T) {
	const (
		docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
		pdf  = "application/pdf"
	)
	doc := func(mimeType string) llm.Media {
		data := map[string]string{pdf: "JVBERi0xLjQK", docx: "UEsDBBQABgAI"}[mimeType]
		return llm.Media{Kind: "document", MimeType: mimeType, Data: data}
	}
	said := llm.Text{Text: "See."}
	for name, tc := range map[string]struct {
		content []llm.Content
		want    string
	}{
		"text":         {[]llm.Content{doc(docx), said}, "document text cachePoint"},
		"a document":   {[]llm.Content{said, doc(docx)}, "text cachePoint document"},
		"two":          {[]llm.Content{said, doc(docx), doc(docx)}, "text cachePoint document document"},
		"a PDF":        {[]llm.Content{said, doc(docx), doc(pdf)}, "text document document cachePoint"},
		"a PDF before": {[]llm.Content{said, doc(pdf), doc(docx)}, "text document cachePoint document"},
	} {
		body := sent(t, bedrock.Config{Model: claude}, &llm.Request{
			System:   []llm.Block{{Text: "One.", Cache: true}, {Text: "Two.", Cache: true}, {Text: "Three.", Cache: true}},
			Messages: []llm.Message{{Role: llm.RoleUser, Content: tc.content}, {Role: llm.RoleAssistant, Content: []llm.Content{llm.Text{Text: "I see."}}}, {Role: llm.RoleUser, Content: tc.content}},
		})
		must.Be(t, llmtest.Check(llmtest.Bedrock, []byte(body)), nil, "%s", name)
		if n := strings.Count(body, point); n != 4 {
			t.Errorf("%s: %d cache points in %s", name, n, body)
		}
		in := must.JSON[struct {
			Messages []struct{ Content []map[string]any }
		}](t, body)
		for _, m := range []int{0, 2} {
			var kinds []string
			for _, block := range in.Messages[m].Content {
				for kind := range block {
					kinds = append(kinds, kind)
				}
			}
			must.Be(t, strings.Join(kinds, " "), tc.want, "%s: message %d", name, m)
		}
	}
}

func FuzzRequest(f *testing.F) {
	llmtest.FuzzRequest(f, func(t testing.TB, req *llm.Request) string {
		return sent(t, bedrock.Config{Model: claude}, req)
	}, "bedrock:anthropic:signature:x", "bedrock:anthropic:redacted:AAEC")
}
