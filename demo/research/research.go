package research

import (
	"cmp"
	"context"
	"embed"
	"log/slog"

	"github.com/pageside/pageside/demo/define"
	"github.com/pageside/pageside/demo/research/library"
	"github.com/pageside/pageside/demo/saved"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/payload"
	"github.com/pageside/pageside/tool"
)

// Config says what the application shows.
type Config struct {
	ArticleFile string // JSON lines, plain or gz; empty means the generated library
	TrialFile   string // ClinicalTrials.gov's CSV, plain or gz; empty means the generated trials

	// Saved is where streams and reports are saved, for the same articles; nil keeps them in
	// memory.
	Saved *saved.Store

	Log *slog.Logger // of failures; nil is slog.Default
}

// App is the running application. It is safe for concurrent use.
type App struct {
	config  Config
	library *library.Library
	streams *saved.List[Stream]
	reports *saved.List[Report]
	judge   *judge
}

// New loads the library, and the streams and reports that were saved: at first, those that the
// application starts with.
func New(ctx context.Context, config Config) (*App, error) {
	lib, err := library.Open(library.Files{Articles: config.ArticleFile, Trials: config.TrialFile})
	if err != nil {
		return nil, err
	}
	config.Log = cmp.Or(config.Log, slog.Default())
	a := &App{config: config, library: lib, judge: newJudge()}
	about := saved.About(config.ArticleFile)
	a.streams, err = saved.Load(config.Saved, about, "stream", streamID, func() ([]Stream, error) { return a.firstStreams(ctx) })
	if err == nil {
		a.reports, err = saved.Load(config.Saved, about, "report", reportID, func() ([]Report, error) { return a.firstReports(ctx) })
	}
	return a, err
}

// Stats says what was loaded.
func (a *App) Stats() (articles, trials library.Source) { return a.library.Articles, a.library.Trials }

// files describe the application's pages, payload types and tools.
//
//go:embed pages.yaml schemas
var files embed.FS

// Pages are the application's pages.
func (a *App) Pages() []page.Page { return define.Read(files).Pages }

// Payloads are the application's payload types, but for chart, which run_analysis shows and the
// demo defines for all its applications.
func (a *App) Payloads() []*payload.Type { return define.Read(files).Payloads }

// Tools are the application's backend tools.
func (a *App) Tools() []*tool.Tool {
	app := define.Read(files)
	updates := define.Tool(app, "update_stream_schema", a.updateStreamSchema)
	updates.Policy.Summary = define.Summary(a.summarizeSchema)
	return []*tool.Tool{
		define.Tool(app, "search_pubmed", a.searchPubMed), define.Tool(app, "fetch_article", a.fetchArticle),
		define.Tool(app, "search_trials", a.searchTrials), define.Tool(app, "count_library", a.countLibrary),
		define.Tool(app, "validate_stream", a.validateStream), updates,
		define.Tool(app, "compare_reports", a.compareReports), define.Tool(app, "run_analysis", a.runAnalysis),
	}
}

// Instructions are what is stored at first for a scope of the kind "stream": the stream's id and
// the text.
func (a *App) Instructions() map[string]string {
	return map[string]string{"1": `When discussing articles in this stream:
- Focus on clinical trial methodology and on outcomes of patients
- Say which population was studied: newly diagnosed, or relapsed and refractory
- Name biomarkers and genetic targets where they are mentioned`}
}
