package research

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/payload"
)

var (
	//go:embed pages.yaml
	pagesFile []byte
	//go:embed schemas
	schemas embed.FS
)

// definitions are the pages and payload types of pages.yaml.
type definitions struct {
	Instructions string   // of every page
	Tools        []string // of every page
	Pages        []page.Page
	Payloads     []*payload.Type
}

func readDefinitions() (d definitions) {
	if err := yaml.Unmarshal(pagesFile, &d); err != nil {
		panic(err) // it is built in
	}
	return d
}

// contexts say in a sentence or two what a page shows, for the prompt. What they say is data: it
// holds names and titles that people have written.
var contexts = map[string]func(page.Place, map[string]any) string{
	"streams": describeStreams, "edit_research_stream": describeStream, "reports": describeReports, "article": describeArticle, "trials": describeTrials,
}

// Pages are the application's pages.
func (a *App) Pages() []page.Page {
	d := readDefinitions()
	for i := range d.Pages {
		p := &d.Pages[i]
		p.Instructions = d.Instructions + "\n" + p.Instructions
		p.Tools = slices.Concat(p.Tools, d.Tools)
		if describe := contexts[p.Name]; describe != nil {
			p.Context = func(at page.Place, values map[string]any) (page.Built, error) {
				return page.Built{Data: describe(at, values)}, nil
			}
		}
	}
	return d.Pages
}

// Payloads are the application's payload types, but for chart, which run_analysis shows and the
// demo defines for all its applications.
func (a *App) Payloads() []*payload.Type {
	d := readDefinitions()
	for _, t := range d.Payloads {
		var err error
		if t.Schema, err = schemas.ReadFile("schemas/" + t.Name + ".json"); err != nil {
			panic(err) // it is built in
		}
	}
	return d.Payloads
}

// value walks into what a page sent; nil where it is missing.
func value(v any, path ...string) any {
	for _, key := range path {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[key]
	}
	return v
}

func length(v any) int { list, _ := v.([]any); return len(list) }

// or is what a page sent, or a word where it sent nothing.
func or(v any, otherwise string) any {
	if v == nil || v == "" {
		return otherwise
	}
	return v
}

func describeStreams(_ page.Place, values map[string]any) string {
	return fmt.Sprintf("The list shows %d research streams.", length(value(values["Research: streams"], "streams")))
}

func describeStream(at page.Place, values map[string]any) string {
	s := values["Research: stream"]
	if s == nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "The user edits the stream %q (id %v, version %v), tab %s. ", or(value(s, "name"), "without a name"), value(s, "id"), value(s, "version"), strings.TrimPrefix(at.String(), at.Page+"/"))
	if value(s, "dirty") == true {
		b.WriteString("There are changes that are not saved. ")
	}
	fmt.Fprintf(&b, "Its schema has %d fields.", length(value(s, "schema", "fields")))
	if search := values["Research: article search"]; search != nil {
		fmt.Fprintf(&b, " The search %q finds %v articles, %v of them are on screen.", or(value(search, "query"), "for everything"), or(value(search, "total"), "an unknown number of"), or(value(search, "shown"), "none"))
		if message := value(search, "error", "message"); message != nil {
			fmt.Fprintf(&b, " It was refused: %v.", message)
		}
	}
	return b.String()
}

func describeReports(_ page.Place, values map[string]any) string {
	r := values["Research: reports"]
	text := fmt.Sprintf("The list shows %d reports, %d of them are selected.", length(value(r, "reports")), length(value(r, "selected")))
	if open := value(r, "open"); open != nil {
		text += fmt.Sprintf(" Open is %v with %v articles.", value(open, "name"), value(open, "total"))
	}
	return text
}

func describeArticle(_ page.Place, values map[string]any) string {
	if a := values["Research: article"]; a != nil {
		return fmt.Sprintf("The user reads PMID %v: %v", value(a, "pmid"), value(a, "title"))
	}
	return ""
}

func describeTrials(_ page.Place, values map[string]any) string {
	t := values["Research: trial search"]
	if t == nil {
		return ""
	}
	return fmt.Sprintf("The search finds %v trials; %v are loaded, of which the context may show fewer.", or(value(t, "total"), "no"), or(value(t, "loaded"), "none"))
}
