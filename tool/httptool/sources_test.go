package httptool_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
	"github.com/pageside/pageside/tool/httptool"
)

func TestSources(t *testing.T) {
	const hits = `{"hits":[{"title":"First","url":"https://example.com/1","snippet":"It worked."},{"name":"Second","at":{"link":"/articles/2"},"title":7}]}`
	for name, tt := range map[string]struct {
		sources      httptool.Sources
		answer, want string
	}{
		"a list":            {httptool.Sources{List: "/hits"}, hits, `[{"title":"First","url":"https://example.com/1","snippet":"It worked."}]`},
		"names of its own":  {httptool.Sources{List: "/hits", Title: "/name", URL: "/at/link"}, hits, `[{"title":"Second","url":"/articles/2"}]`},
		"one":               {httptool.Sources{List: "/hits/0"}, hits, `[{"title":"First","url":"https://example.com/1","snippet":"It worked."}]`},
		"the whole body":    {httptool.Sources{}, `[{"title":"A"}]`, `[{"title":"A"}]`},
		"texts":             {httptool.Sources{}, `["https://example.com/1","A report",7]`, `[{"title":"https://example.com/1","url":"https://example.com/1"},{"title":"A report"}]`},
		"unsafe addresses":  {httptool.Sources{}, `[{"title":"A","url":"javascript:alert(1)"},{"url":"data:text/html,x"},{"title":"B","url":"//evil.example"}]`, `[{"title":"A"},{"title":"B"}]`},
		"no list":           {httptool.Sources{List: "/n"}, `{"n":7}`, `null`},
		"nothing there":     {httptool.Sources{List: "/n"}, `{}`, `null`},
		"null":              {httptool.Sources{List: "/n"}, `{"n":null}`, `null`},
		"no JSON":           {httptool.Sources{}, `hello`, `null`},
		"secrets struck":    {httptool.Sources{}, `[{"title":"Token s3cret-value"}]`, `[{"title":"Token ***"}]`},
		"an answer that is": {httptool.Sources{}, `{"title":"A"}`, `[{"title":"A"}]`},
	} {
		t.Run(name, func(t *testing.T) {
			e := serve(t)
			e.answer = tt.answer
			c := e.config("/v1")
			c.Sources, c.Secrets = &tt.sources, []string{"s3cret-value"}
			res := call(t, c, `{"id":"x"}`)
			if got, _ := json.Marshal(cited(res)); res.IsError || string(got) != tt.want {
				t.Errorf("got %s (%s), want %s", got, res.Text, tt.want)
			}
		})
	}
}

// cited returns the sources of a result as a thread has them.
func cited(res tool.Result) []agui.CitableSource {
	var given []agui.CitableSource
	for _, s := range res.Sources {
		given = append(given, agui.CitableSource(s))
	}
	return agui.CleanSources(given)
}

func TestSourcesAreBounded(t *testing.T) {
	e := serve(t)
	var list []string
	for i := range 200 {
		list = append(list, fmt.Sprintf(`{"title":"%d %s","snippet":"%s"}`, i, strings.Repeat("t", 1000), strings.Repeat("s", 5000)))
	}
	e.answer = "[" + strings.Join(list, ",") + "]"
	c := e.config("/v1")
	c.Sources = &httptool.Sources{}
	got := cited(call(t, c, `{"id":"x"}`))
	if len(got) != tool.MaxSources || len(got[0].Title) > 300 || len(got[0].Snippet) > 1000 {
		t.Errorf("%d sources, the first has %d and %d bytes", len(got), len(got[0].Title), len(got[0].Snippet))
	}
}

// A failure rests on nothing.
func TestErrorsHaveNoSources(t *testing.T) {
	e := serve(t)
	e.status, e.answer = 500, `[{"title":"A"}]`
	c := e.config("/v1")
	c.Sources = &httptool.Sources{}
	if res := call(t, c, `{"id":"x"}`); !res.IsError || res.Sources != nil {
		t.Errorf("%+v", res)
	}
}

func TestSourcesThatAreNoPointers(t *testing.T) {
	for field, s := range map[string]httptool.Sources{
		"list": {List: "hits"}, "title": {Title: "name"}, "url": {URL: "link"}, "snippet": {Snippet: "/a~2"},
	} {
		c := httptool.Config{Name: "x", URL: "https://example.com", Sources: &s}
		must.Fail(t, must.Err(httptool.New(c)), "sources: "+field+": ", "%s: the error", field)
	}
}
