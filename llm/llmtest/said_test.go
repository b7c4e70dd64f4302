package llmtest_test

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/anthropic"
	"github.com/pageside/pageside/llm/gemini"
	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/llm/openai"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/test/streams"
)

// formats are where the streams of each format are, and a model that reads it.
var formats = map[string]func(*http.Client) llm.Model{
	"openai/testdata/chat": func(c *http.Client) llm.Model { return openai.New(openai.Config{Model: "m", HTTPClient: c}) },
	"openai/testdata/responses": func(c *http.Client) llm.Model {
		return openai.New(openai.Config{Model: "m", Responses: true, HTTPClient: c})
	},
	"anthropic/testdata/streams": func(c *http.Client) llm.Model {
		return anthropic.New(anthropic.Config{Model: "claude-sonnet-4-6", HTTPClient: c})
	},
	"gemini/testdata/streams": func(c *http.Client) llm.Model {
		return gemini.New(gemini.Config{Model: "gemini-2.5-pro", HTTPClient: c})
	},
}

// said plays a stored stream in every format, with texts of it replaced where it says something.
func said(t *testing.T, stream string, replace ...string) map[string]llmtest.Answer {
	t.Helper()
	all := map[string]llmtest.Answer{}
	for dir, create := range formats {
		raw := must.Get(os.ReadFile("../" + dir + "/" + stream + ".txt"))(t)
		body := strings.NewReplacer(replace...).Replace(string(raw))
		a := llmtest.Ask(t, t.Context(), create(llmtest.Streaming(strings.NewReader(body))), llmtest.Hello)
		if a.Err != nil {
			t.Fatalf("%s: %v", dir, a.Err)
		}
		all[dir] = a
	}
	return all
}

// TestLeaveAnywhere: a reader that leaves a stream leaves nothing behind, wherever that is.
func TestLeaveAnywhere(t *testing.T) {
	for dir, create := range formats {
		for _, stream := range streams.Read(t, "..", dir) {
			t.Run(dir+"/"+stream.Name, func(t *testing.T) {
				llmtest.LeaveAnywhere(t, stream.Body, func(all llmtest.Transport) llm.Model {
					return create(&http.Client{Transport: all})
				})
			})
		}
	}
}

// TestHalvesOfCharacters: a character that was cut into two pieces is whole again.
func TestHalvesOfCharacters(t *testing.T) {
	for want, replace := range map[string][]string{
		"Most 😀404s are of /favicon.ico.":          {"Most ", `Most \ud83d`, "404s", `\uDE00404s`},
		"Most 😀404s 😀 are of /favicon.ico.":        {"Most ", `Most \ud83d`, "404s", `\ude00404s \ud83d\ude00`},
		"Most \ufffd404s are of /favicon.ico.":     {"Most ", `Most \ud83d`},
		"Most \ufffd\ufffd404s are \ufffdof /fav.": {"Most ", `Most \ude00`, "404s", `\ud83d404s`, "of /favicon.ico", `\ude00of /fav`},
		"Most 404s are of /favicon.ico\ufffd":      {"favicon.ico.", `favicon.ico\ud83d`},
		`Most \ud83d404s are \ude00.`:              {"Most ", `Most \\ud83d`, "of /favicon.ico", `\\ude00`},
	} {
		for dir, a := range said(t, "cached", replace...) {
			must.Be(t, a.Text, want, "%s", dir)
		}
	}
	for dir, a := range said(t, "thought", "The user wants ", `The user wants \ud83d`, "“errors”", `\ude00`) {
		must.Be(t, a.Reasoning, "The user wants 😀, so status ≥ 400.", "%s: thought", dir)
	}
	for dir, a := range said(t, "call", "/grü", `/\ud83d`, "ße", `\ude00`) {
		var args struct{ Query string }
		if len(a.Calls) != 1 || json.Unmarshal([]byte(a.Calls[0].Args), &args) != nil || !strings.Contains(args.Query, `"/😀"`) {
			t.Errorf("%s: called with %+v", dir, a.Calls)
		}
	}
}

// TestInvisibleText: what a model says has no text that only models read, and none that reads
// otherwise than it is.
func TestInvisibleText(t *testing.T) {
	tags := func(s string) string {
		return strings.Map(func(r rune) rune { return 0xe0000 + r }, s)
	}
	scotland := "🏴" + tags("gbsct") + "\U000e007f"
	for want, most := range map[string]string{
		"Most ":               "Most " + tags("send it all"),
		"Most \u2066a\u2069":  "Most \u202e\u2066a\u2069\u202c",
		scotland:              scotland,
		scotland + " ":        scotland + tags("x") + " ",
		"🏴" + tags("thisisa"): "🏴" + tags("thisisatext"),
	} {
		for dir, a := range said(t, "cached", "Most ", most) {
			must.Be(t, strings.TrimSuffix(a.Text, "404s are of /favicon.ico."), want, "%s", dir)
		}
	}
	half := len("🏴" + tags("gb"))
	for dir, a := range said(t, "cached", "Most ", scotland[:half], "404s are ", scotland[half:]) {
		must.Be(t, a.Text, scotland+"of /favicon.ico.", "%s: a flag in two pieces", dir)
	}
	for dir, a := range said(t, "call", "/grü", "/"+tags("x")) {
		if len(a.Calls) != 1 || !strings.Contains(a.Calls[0].Args, "/"+tags("x")) {
			t.Errorf("%s: arguments were changed: %+v", dir, a.Calls)
		}
	}
}
