package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"text/template"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/config"
	"github.com/pageside/pageside/llm/catalog"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/tool/mcptool"
)

// check validates a configuration and prints what each place resolves to. It opens models and
// connects to MCP servers as serve does, but calls no model and approves no tool. A server that
// cannot be started or reached is a failure.
func (a *app) check(ctx context.Context, args []string) error {
	flags := flagSet("check")
	file := flags.String("config", "pageside.yaml", "the configuration `FILE`")
	model := flags.String("model", "",
		"`provider/name` of a model that replaces those of the file, whose keys are then not needed")
	asJSON := flags.Bool("json", false, "print JSON")
	prompts := flags.Bool("prompts", false, "print the text of the prompt sections too")
	offline := flags.Bool("offline", false,
		"start and reach no MCP server: check their entries only, and list the tools that the pin file knows")
	schema := flags.Bool("schema", false, "print the file's JSON Schema, for editors, and exit")
	if err := a.parse(flags, args); err != nil {
		return err
	}
	if *schema {
		raw, err := config.Schema()
		if err == nil {
			_, err = fmt.Fprintf(a.stdout, "%s\n", raw)
		}
		return err
	}
	log := slog.New(slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	options := a.options(log, *model)
	options.Look, options.Offline = true, *offline
	source, err := load(*file, options)
	if err != nil {
		return err
	}
	built, err := config.Build(ctx, source, options)
	if err != nil {
		return err
	}
	defer built.Close()
	report := reportOf(built)
	if *asJSON {
		err = writeJSON(a.stdout, report)
	} else {
		err = report.print(a.stdout, *file, *prompts, *offline)
	}
	if err != nil || *offline {
		return err
	}
	return report.unreached()
}

// unreached names the MCP servers that could not be started or reached, and what to do.
func (r checkReport) unreached() error {
	var names []string
	for _, s := range r.MCP {
		if !s.Connected {
			names = append(names, fmt.Sprintf("%q: %s", s.Server, cmp.Or(s.Problem, "it did not answer")))
		}
	}
	if len(names) == 0 {
		return nil
	}
	return fmt.Errorf("MCP server %s; correct its entry under mcp, or raise its startTimeout if it is slow to start; --offline checks the rest without it",
		strings.Join(names, "; MCP server "))
}

// checkReport is the result of check.
type checkReport struct {
	Agents    []agentReport    `json:"agents"`
	MCP       []mcptool.Status `json:"mcp,omitempty"`
	PageTools []pageToolReport `json:"pageTools,omitempty"`
	// Permissions says in one line which rules apply; "" if none do.
	Permissions string `json:"permissions,omitempty"`
}

type agentReport struct {
	ID    string `json:"id"`
	Model string `json:"model"`
	// in tokens; 0 means unknown. Assumed until a local model's server has said how large it is
	Window        int  `json:"window,omitempty"`
	WindowAssumed bool `json:"windowAssumed,omitempty"`
	// the known model that was probably meant, where nothing is known of this one
	Meant string `json:"meant,omitempty"`
	// null for an agent that is somewhere else
	Places []placeReport `json:"places"`
}

type placeReport struct {
	Place string `json:"place"` // page/tab/subtab; "" for anywhere else
	agent.Description
}

func reportOf(built *config.Site) checkReport {
	report := checkReport{Permissions: built.PermissionNote(), PageTools: pageTools(built.Source.File.PageTools)}
	if built.MCP != nil {
		report.MCP = built.MCP.Status()
	}
	for _, a := range built.Agents {
		if host := built.Remote(a.ID); host != "" {
			// It is shown the page, not tools and prompts of the server.
			report.Agents = append(report.Agents, agentReport{ID: a.ID, Model: "the agent at " + host})
			continue
		}
		model := a.Model.Info()
		r := agentReport{
			ID: a.ID, Model: model.Name(), Window: model.ContextWindow, WindowAssumed: model.WindowAssumed,
			Meant: meantModel(model.Name()),
		}
		for _, at := range places(built.Pages) {
			r.Places = append(r.Places, placeReport{at.String(), a.Describe(at, nil)})
		}
		report.Agents = append(report.Agents, r)
	}
	return report
}

// meantModel returns the known model that is almost called so, "" if there is none.
func meantModel(name string) string {
	provider, rest, _ := strings.Cut(name, "/")
	p, ok := catalog.ProviderOf(provider)
	if !ok || p.Local {
		return ""
	}
	return catalog.Meant(p.API, rest)
}

// places returns every place of the configuration, preceded by an unknown one.
func places(pages *page.Registry) []page.Place {
	list := []page.Place{{}}
	for p := range pages.All() {
		list = append(list, page.Place{Page: p.Name})
		for _, t := range p.Tabs {
			list = append(list, page.Place{Page: p.Name, Tab: t.Name})
			for _, sub := range t.Subtabs {
				list = append(list, page.Place{Page: p.Name, Tab: t.Name, Subtab: sub.Name})
			}
		}
	}
	return list
}

// reportText is the report for people. Tabs begin the columns of tables.
const reportText = `{{.File}} is valid{{.But}}.
{{with .Permissions}}Permissions: {{.}}.
{{end}}{{with .PageTools}}
Tools of pages
{{range .}}  {{.Name}}	{{or .Effect "no effect here: the page's, or approvals.pageTools"}}, approval {{or .Approval "policy"}}
{{end}}{{end}}{{range .MCP}}
MCP server {{.Server}}{{if not .Connected}}, not {{with .Problem}}reached: {{.}}{{else}}started{{end}}{{end}}
{{range ranked .Tools}}  {{.State}}	{{.Tool}}{{with .Reason}}	{{.}}{{end}}
{{end}}{{end}}{{range .Agents}}
Agent {{.ID}}, answered by {{.Model}}{{if .Meant}}
  nothing is known of this model; did you mean {{.Meant}}?{{else if .WindowAssumed}}
  window of {{.Window}} tokens assumed until the model is loaded: contextWindow states it{{end}}
{{range .Places}}
  {{or .Place "(anywhere else)"}}: about {{.Tokens}} tokens
{{range .Tools}}    tool	{{.Name}}	{{about .}}	{{.Tokens}}
{{end}}{{range .Payloads}}    payload	{{.Name}}	from {{.Source}} {{.Marker}}	{{""}}
{{end}}{{range .Actions}}    action	{{.Name}}	{{.Handler}}	{{""}}
{{end}}{{range .Suggestions}}    suggestion	{{.Label}}		{{""}}
{{end}}{{range .Sections}}    prompt	{{.Name}}	{{firstLine .Text}}	{{.Tokens}}
{{if $.Prompts}}{{indented .Text}}
{{end}}{{end}}{{end}}{{end}}`

var reportTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("report").Funcs(template.FuncMap{
		"about": aboutTool, "firstLine": firstLine, "indented": indented, "ranked": ranked,
	}).Parse(reportText))
})

func (r checkReport) print(w io.Writer, file string, prompts, offline bool) error {
	but := ""
	switch {
	case offline && len(r.MCP) > 0:
		but = "; its MCP servers were not started"
	case slices.ContainsFunc(r.MCP, func(s mcptool.Status) bool { return !s.Connected }):
		but = ", but not every MCP server can be reached"
	}
	var text bytes.Buffer
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	err := reportTemplate().Execute(table, struct {
		checkReport
		File, But string
		Prompts   bool
	}{r, file, but, prompts})
	if err = errors.Join(err, table.Flush()); err != nil {
		return err
	}
	for line := range strings.Lines(text.String()) { // empty cells at the end of a line are padded
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}

// ranked returns the tools of an MCP server, those that need attention first.
func ranked(tools []mcptool.ToolStatus) []mcptool.ToolStatus {
	return slices.SortedStableFunc(slices.Values(tools), func(a, b mcptool.ToolStatus) int {
		return cmp.Compare(rank(a.State), rank(b.State))
	})
}

func rank(s mcptool.ToolState) int {
	return slices.Index([]mcptool.ToolState{
		mcptool.ToolChanged, mcptool.ToolNew, mcptool.ToolRefused, mcptool.ToolGone, mcptool.ToolUnknown,
		mcptool.ToolReady, mcptool.ToolHidden,
	}, s)
}

func aboutTool(t agent.ToolDescription) string {
	about := fmt.Sprintf("%s, approval %s", t.Effect, t.Approval)
	if t.BuiltIn {
		about = "built in"
	}
	if t.When != "" {
		about += ", when " + t.When
	}
	return about
}

// firstLine returns the start of a text, enough to recognise it.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if runes := []rune(line); len(runes) > 60 {
		line = string(runes[:60]) + "…"
	}
	return line
}

func indented(text string) string {
	return "        | " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n        | ")
}
