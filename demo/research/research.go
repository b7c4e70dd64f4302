package research

import (
	"cmp"
	"context"
	"log/slog"

	"github.com/pageside/pageside/demo/research/library"
	"github.com/pageside/pageside/demo/saved"
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

// Tools are the application's backend tools.
func (a *App) Tools() []*tool.Tool {
	return []*tool.Tool{
		a.searchPubMed(), a.fetchArticle(), a.searchTrials(), a.countLibrary(), a.validateStream(),
		a.updateStreamSchema(), a.compareReports(), a.runAnalysis(),
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
