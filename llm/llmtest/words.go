package llmtest

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"

	"github.com/pageside/pageside/test/must"
)

// Words are what stands for documents of a provider's stream.
type Words map[string][]string

// ReadWords reads a file with a word and a document on each line, which stands for it. In the
// document, $1 and so on are what is said behind the word, the last of them to the end of the line;
// $"1 is the same as a JSON string. A word on several lines is as many documents.
func ReadWords(t *testing.T, file string) Words {
	t.Helper()
	words := Words{}
	for line := range strings.Lines(string(must.Get(os.ReadFile(file))(t))) {
		if word, doc, ok := strings.Cut(strings.TrimSpace(line), " "); ok && word != "#" {
			words[word] = append(words[word], strings.TrimSpace(doc))
		}
	}
	return words
}

var param = regexp.MustCompile(`\$"?[1-9]`)

// Spell returns the documents of a line: those of its word or, if it begins with none, itself.
func (w Words) Spell(line string) (docs []string) {
	word, rest, _ := strings.Cut(line, " ")
	params := 1
	for _, p := range param.FindAllString(strings.Join(w[word], " "), -1) {
		params = max(params, int(p[len(p)-1]-'0'))
	}
	said := fields(rest, params)
	for _, doc := range w[word] {
		docs = append(docs, param.ReplaceAllStringFunc(doc, func(p string) string {
			value := said[p[len(p)-1]-'1']
			if p[1] == '"' {
				return Quoted(value)
			}
			return value
		}))
	}
	if docs == nil {
		return []string{line}
	}
	return docs
}

// Frame writes a document, an object of one member, as Amazon's services frame it.
func Frame(doc string) (string, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(doc), &members); err != nil {
		return "", err
	}
	var out bytes.Buffer
	for kind, payload := range members {
		what := "event"
		if strings.HasSuffix(kind, "Exception") {
			what = "exception"
		}
		frame := eventstream.Message{Payload: payload}
		frame.Headers.Set(":message-type", eventstream.StringValue(what))
		frame.Headers.Set(":"+what+"-type", eventstream.StringValue(kind))
		frame.Headers.Set(":content-type", eventstream.StringValue("application/json"))
		if err := eventstream.NewEncoder().Encode(&out, frame); err != nil {
			return "", err
		}
	}
	return out.String(), nil
}
