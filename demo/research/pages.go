package research

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"text/template"

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

	// by page: what it shows, in a sentence or two, as a template over the page's context items.
	// That is data: it holds names and titles that people have written.
	Contexts map[string]string
}

func readDefinitions() (d definitions) {
	if err := yaml.Unmarshal(pagesFile, &d); err != nil {
		panic(err) // it is built in
	}
	return d
}

// Pages are the application's pages.
func (a *App) Pages() []page.Page {
	d := readDefinitions()
	for i := range d.Pages {
		p := &d.Pages[i]
		p.Instructions = d.Instructions + "\n" + p.Instructions
		p.Tools = slices.Concat(p.Tools, d.Tools)
		if text := d.Contexts[p.Name]; text != "" {
			p.Context = contextOf(template.Must(template.New(p.Name).Funcs(contextFuncs).Parse(text)))
		}
	}
	return d.Pages
}

// contextFuncs are what the templates of contexts use: get walks into what a page sent and is nil
// where that is missing, len takes what is missing for an empty list, or is a word in its place.
var contextFuncs = template.FuncMap{
	"get": func(v any, path ...string) any {
		for _, key := range path {
			m, _ := v.(map[string]any)
			v = m[key]
		}
		return v
	},
	"len": func(v any) int { list, _ := v.([]any); return len(list) },
	"or": func(v any, otherwise string) any {
		if v == nil || v == "" {
			return otherwise
		}
		return v
	},
}

func contextOf(text *template.Template) func(page.Place, map[string]any) (page.Built, error) {
	return func(at page.Place, values map[string]any) (page.Built, error) {
		var b strings.Builder
		tab := strings.TrimPrefix(at.String(), at.Page+"/")
		if err := text.Execute(&b, map[string]any{"tab": tab, "values": values}); err != nil {
			return page.Built{}, fmt.Errorf("describe page %s: %w", at.Page, err)
		}
		return page.Built{Data: strings.TrimSpace(b.String())}, nil
	}
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
