package llmtest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/llm/llmtest/dialects"
	"github.com/pageside/pageside/test/must"
)

// Requests that some provider refuses are sent in another form.
func TestWhatSomeProviderRefusesIsNotSent(t *testing.T) {
	warm := 0.2
	many := []llm.ToolDecl{}
	for i := range 600 {
		many = append(many, llm.ToolDecl{Name: fmt.Sprint("tool", i)})
	}
	says := func(role, text string) llm.Message { return llmtest.Say(role, llm.Text{Text: text}) }
	thought := func(opaque string) []llm.Message {
		list := calling("f", "call_1")
		list[1].Content = append([]llm.Content{llm.Reasoning{Text: "Hm.", Opaque: opaque}}, list[1].Content...)
		return list
	}
	with := func(args string) []llm.Message {
		list := calling("f", "call_1")
		list[1].Content = []llm.Content{llm.ToolCall{ID: "call_1", Name: "f", Args: args}}
		return list
	}
	for name, req := range map[string]llm.Request{
		"a description of 3,000 characters": {Tools: []llm.ToolDecl{{Name: "f", Description: strings.Repeat("ä b", 1000)}}},
		"six hundred tools":                 {Tools: many},
		"a temperature":                     {Temperature: &warm},
		"a temperature and thinking":        {Temperature: &warm, Effort: "high"},
		"five tokens":                       {MaxTokens: 5, Effort: "high"},
		"must call a tool, and think":       {Choice: llm.ChoiceRequired, Effort: "high", Tools: many[:1]},
		"must call, without tools":          {Choice: llm.ChoiceRequired},
		"the assistant begins":              {Messages: []llm.Message{says(llm.RoleAssistant, "Hello!"), says(llm.RoleUser, "Hi.")}},
		"the assistant begins with a call":  {Messages: calling("f", "call_1")[1:], Tools: many[:1]},
		"the assistant was cut off":         {Messages: []llm.Message{says(llm.RoleUser, "q"), says(llm.RoleAssistant, "Half of ")}},
		"the assistant said nothing":        {Messages: []llm.Message{says(llm.RoleUser, "q"), says(llm.RoleAssistant, " \u00a0"), says(llm.RoleUser, "and?")}},
		"half a character":                  {Messages: with(`{"a":"\ud83d","\ude00":"\\ud83d \ud83d\ude00"}`)},
		"deep arguments":                    {Messages: with(strings.Repeat(`{"a":`, 90) + "1" + strings.Repeat("}", 90))},
		"a number beyond all":               {Messages: with(`{"a":1e999}`)},
		"Anthropic's broken signature":      {Messages: thought("anthropic:thinking: ? "), Effort: "low"},
		"Google's broken signature":         {Messages: thought("gemini:thought:AAAAA"), Effort: "low"},
		"OpenAI's broken thought":           {Messages: thought("openai:api.openai.com:items:{"), Effort: "low"},
		"a question after results":          {Messages: calling("f", "call_1"), Tools: many[:1], Effort: "low"},
	} {
		everywhere(t, name, &req)
	}
}

// What is cut says so, and half of an escape stays the text around it.
func TestWhatIsCut(t *testing.T) {
	req := &llm.Request{Messages: calling("f", "call_1"), Tools: []llm.ToolDecl{{Name: "f", Description: strings.Repeat("ä", 2000)}}}
	req.Messages[1].Content = []llm.Content{llm.ToolCall{ID: "call_1", Name: "f", Args: `{"a":"x\ud83dy \ud83d\ude00 \\ud83d"}`}}
	for _, a := range dialects.All {
		body := must.Get(a.Body(req))(t)
		if whole := strings.Contains(string(body), strings.Repeat("ä", 2000)); whole == (a.Dialect == llmtest.Chat) {
			t.Errorf("%s: the whole description: %t", a.Name, whole)
		}
		args := strings.ReplaceAll(string(body), `\\`, `\`)
		must.Have(t, args, `x\ufffdy \ud83d\ude00`, "%s: the arguments: %s", a.Name, body)
	}
}
