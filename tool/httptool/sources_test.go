package httptool_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
	"github.com/pageside/pageside/tool/httptool"
)

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
