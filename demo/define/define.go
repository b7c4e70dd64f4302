// Package define reads what an application of the demo tells its assistant: its pages and payload
// types, and what its backend tools are, which is all in a file.
//
//	app := define.Read(files) // with pages.yaml and schemas/NAME.json
//	fetch := define.Tool(app, "fetch_article", a.fetchArticle)
package define

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"text/template"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/payload"
)

// Application is what pages.yaml holds.
type Application struct {
	Assistant    string   // the first block of the system prompt for a real model
	Instructions string   // of every page
	Tools        []string // of every page
	Pages        []page.Page
	Payloads     []*payload.Type

	Samples []string // questions that the page offers; the scripted model can answer all of them

	// by page: what it shows, in a sentence or two, as a template over the page's context items.
	// That is data: it holds names and titles that people have written.
	Contexts map[string]string

	Backend  map[string]yaml.Node // what tools are, as tool.Tool has it: see Tool
	Category string               // of these tools
	Timeout  time.Duration        // of these tools, where they have no other
}

// Read reads pages.yaml and the schemas of its payload types. The files are built in: it panics on
// what is wrong in them.
func Read(files embed.FS) *Application {
	app := &Application{}
	if err := yaml.Unmarshal(read(files, "pages.yaml"), app); err != nil {
		panic(err)
	}
	for i := range app.Pages {
		p := &app.Pages[i]
		p.Instructions = strings.TrimSpace(app.Instructions + "\n" + p.Instructions)
		p.Tools = slices.Concat(p.Tools, app.Tools)
		if text := app.Contexts[p.Name]; text != "" {
			p.Context = contextOf(template.Must(template.New(p.Name).Funcs(contextFuncs).Parse(text)))
		}
	}
	for _, t := range app.Payloads {
		t.Schema = read(files, "schemas/"+t.Name+".json")
	}
	return app
}

func read(files embed.FS, name string) []byte {
	file, err := files.ReadFile(name)
	if err != nil {
		panic(err)
	}
	return file
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

func contextOf(text *template.Template) page.ContextBuilder {
	return func(at page.Place, values map[string]any) (page.Built, error) {
		var b strings.Builder
		tab := strings.TrimPrefix(at.String(), at.Page+"/")
		if err := text.Execute(&b, map[string]any{"tab": tab, "values": values}); err != nil {
			return page.Built{}, fmt.Errorf("describe page %s: %w", at.Page, err)
		}
		return page.Built{Data: strings.TrimSpace(b.String())}, nil
	}
}
