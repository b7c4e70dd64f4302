package research

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/pageside/pageside/demo/keep"
	"github.com/pageside/pageside/demo/research/library"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/payload"
	"github.com/pageside/pageside/tool"
)

// Config says what the application shows.
type Config struct {
	// JSON lines, PubMed's CSV or its XML, plain or gz; empty means the generated library
	ArticleFile string
	TrialFile   string // ClinicalTrials.gov's CSV, plain or gz; empty means the generated trials
	Model       llm.Info
	// Network lets search_pubmed ask PubMed itself, at the E-utilities of the NCBI. Off, nothing
	// here ever leaves the machine.
	Network bool
	// Keep is where streams and reports are kept, for the same articles; nil keeps them in memory.
	Keep *keep.Shelf

	eutils string           // for tests: another address than NCBI's
	client httpDoer         // for tests
	now    func() time.Time // for tests
}

type httpDoer interface {
	Do(*http.Request) (*http.Response, error)
}

// App is the running application. It is safe for concurrent use.
type App struct {
	config  Config
	library *library.Library
	streams *streams
	reports *reports
	pubmed  *eutils // nil without the network
}

// New loads the library. Close releases it.
func New(ctx context.Context, config Config) (*App, error) {
	lib, err := library.Open(ctx, library.Files{Articles: config.ArticleFile, Trials: config.TrialFile})
	if err != nil {
		return nil, err
	}
	if config.now == nil {
		config.now = time.Now
	}
	a := &App{config: config, library: lib}
	if err := a.begin(ctx); err != nil {
		return nil, errors.Join(err, lib.Close())
	}
	return a, nil
}

// begin makes the streams and reports that the application starts with.
func (a *App) begin(ctx context.Context) error {
	var err error
	if a.config.Network {
		if a.pubmed, err = newEutils(a.config); err != nil {
			return err
		}
	}
	if a.streams, err = a.loadStreams(ctx); err != nil {
		return err
	}
	a.reports, err = a.loadReports(ctx)
	return err
}

func (a *App) drawer(kind string) *keep.Drawer {
	return a.config.Keep.Drawer(keep.About(a.config.ArticleFile), kind)
}

// Close removes the library's index.
func (a *App) Close() error { return a.library.Close() }

// Stats says what was loaded.
func (a *App) Stats() (articles, trials library.Source) { return a.library.Articles, a.library.Trials }

// Handler serves the API below /demo/research/.
func (a *App) Handler() http.Handler { return a.routes() }

// Tools are the application's backend tools.
func (a *App) Tools() []*tool.Tool {
	return []*tool.Tool{a.searchPubMed(), a.fetchArticle(), a.searchTrials(), a.validateStream(), a.updateStreamSchema(), a.compareReports(), a.runAnalysis()}
}

// Payloads are the application's card types, but for chart, which run_analysis shows and the demo
// defines for all its applications: {"type": "bar", "title", "data": [{"label", "value"}], "unit"}.
func (a *App) Payloads() []*payload.Type { return PayloadTypes() }

// Instructions are what is stored at first for a scope of the kind "stream": the stream's id and
// the text.
func (a *App) Instructions() map[string]string {
	return map[string]string{firstStream: streamInstructions}
}

const firstStream = "1"

const streamInstructions = `When discussing articles in this stream:
- Focus on clinical trial methodology and on outcomes of patients
- Say which population was studied: newly diagnosed, or relapsed and refractory
- Name biomarkers and genetic targets where they are mentioned`
