package llm_test

import (
	"strings"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/test/must"
)

// history reads a history in shorthand: "u" a user message, "a" an assistant message without calls,
// "aX,Y" one with the calls X and Y, "tX,Y" one tool message with their results.
func history(short string) (messages []llm.Message) {
	for word := range strings.FieldsSeq(short) {
		m := llm.Message{Role: map[byte]string{'u': llm.RoleUser, 'a': llm.RoleAssistant, 't': llm.RoleTool, '?': "system"}[word[0]]}
		if word[0] != 't' {
			m.Content = append(m.Content, llm.Text{Text: "text"})
		}
		for id := range strings.SplitSeq(word[1:], ",") {
			switch {
			case id == "":
			case id[0] == '!': // a result
				m.Content = append(m.Content, llm.ToolResult{ID: id[1:]})
			case id[0] == '=':
				m.Content = append(m.Content, llm.Text{Text: id})
			case word[0] == 't':
				m.Content = append(m.Content, llm.ToolResult{ID: id})
			default:
				m.Content = append(m.Content, llm.ToolCall{ID: id, Name: "n"})
			}
		}
		messages = append(messages, m)
	}
	return messages
}

func TestBalance(t *testing.T) {
	for short, want := range map[string]string{
		"":                        "",
		"u":                       "",
		"u a u a":                 "",
		"u aX tX a":               "",
		"u aX tX":                 "",
		"u aX,Y tX,Y":             "",
		"u aX,Y tY tX u":          "",
		"u aX tX aX tX":           "", // the same id again in another turn
		"u aX":                    `end of messages: tool call "X" has no result`,
		"u aX u":                  `messages[2] (user): tool call "X" has no result`,
		"u aX,Y tX a":             `messages[3] (assistant): tool call "Y" has no result`,
		"u aX,Y tX u tY":          `messages[3] (user): tool call "Y" has no result`,
		"u tX":                    `messages[1] (tool): tool result "X" answers no call`,
		"u aX tX tX":              `messages[3] (tool): tool call "X" is answered twice`,
		"u aX tX a tX":            `messages[4] (tool): tool result "X" answers no call`,
		"u aX,X tX":               `messages[1] (assistant): tool call "X" appears twice`,
		"uX":                      `messages[0] (user): tool call "X" outside an assistant message`,
		"u aX,!X":                 `messages[1] (assistant): tool result "X" outside a tool message`,
		"u aX tX,=text":           `messages[2] (tool): holds llm.Text`,
		"? u":                     `messages[0] (system): unknown role`,
		"u aX tX u aX,Y tY,X a u": "",
	} {
		err := llm.Balance(history(short))
		if got := ""; err != nil {
			got = err.Error()
			if want == "" || !strings.Contains(got, want) {
				t.Errorf("%q: got %q, want %q", short, got, want)
			}
		} else if want != "" {
			t.Errorf("%q: no error, want %q", short, want)
		}
	}
	nameless := []llm.Message{{Role: llm.RoleAssistant, Content: []llm.Content{llm.ToolCall{ID: "X"}}}}
	if err := llm.Balance(nameless); err == nil {
		t.Error("a call without a name passes")
	}
}

func TestTextString(t *testing.T) {
	for _, tc := range []struct {
		text llm.Text
		want string
	}{
		{llm.Text{Text: "a"}, "a"},
		{llm.Text{Text: "a", Quoted: []byte(`"b"`)}, "a"},
		{llm.Text{Quoted: []byte(`"a\n\"b\" \u00e9"`)}, "a\n\"b\" é"},
		{llm.Text{Quoted: []byte(`broken`)}, ""},
		{llm.Text{}, ""},
	} {
		must.Be(t, tc.text.String(), tc.want, "%v", tc.text)
	}
}
