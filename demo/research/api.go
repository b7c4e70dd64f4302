package research

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/pageside/pageside/demo/research/library"
	"github.com/pageside/pageside/demo/research/pubmed"
	"github.com/pageside/pageside/demo/research/talk"
	"github.com/pageside/pageside/demo/rest"
	"github.com/pageside/pageside/llm"
)

// requestTimeout bounds what one request may cost. It is variable for tests.
var requestTimeout = 10 * time.Second

// Handler serves the API below /demo/research/.
func (a *App) Handler() http.Handler {
	api := rest.API{Timeout: requestTimeout, Explain: explain, Log: a.config.Log}
	const base = " /demo/research/"
	// it waits for a model
	slow := rest.API{Timeout: judgeTimeout + requestTimeout, Explain: explain, Log: a.config.Log}
	mux := http.NewServeMux()
	mux.Handle("POST"+base+"columns/judge", slow.Handler(map[string]rest.Handler{"POST" + base + "columns/judge": a.postJudge}))
	mux.Handle("/", api.Handler(map[string]rest.Handler{
		"GET" + base + "info":             a.getInfo,
		"GET" + base + "streams":          a.getStreams,
		"POST" + base + "streams":         a.postStream,
		"GET" + base + "streams/{id}":     a.getStream,
		"PUT" + base + "streams/{id}":     a.putStream,
		"POST" + base + "articles/search": a.postArticleSearch,
		"GET" + base + "articles/{pmid}":  a.getArticle,
		"GET" + base + "reports":          a.getReports,
		"POST" + base + "reports":         a.postReport,
		"GET" + base + "reports/{id}":     a.getReport,
		"POST" + base + "trials/search":   a.postTrialSearch,
		"GET" + base + "trials/{nct}":     a.getTrial,
		"GET" + base + "scenarios":        a.getScenarios,
	}))
	return mux
}

// explain is an error as the client sees it; nil is our fault.
func explain(err error) *rest.Error {
	if e, ok := errors.AsType[*pubmed.Error](err); ok {
		return &rest.Error{Status: http.StatusUnprocessableEntity, Code: "pubmed_error", Message: e.Message,
			Details: map[string]any{"position": e.Position, "length": e.Length, "expected": rest.List(e.Expected)}}
	}
	if c, ok := errors.AsType[*conflictError](err); ok {
		return &rest.Error{Status: http.StatusConflict, Code: "version_conflict", Message: c.Error(), Details: map[string]any{"version": c.version}}
	}
	if e, ok := errors.AsType[*llm.Error](err); ok {
		return &rest.Error{Status: http.StatusBadGateway, Code: "model_failed", Message: e.Error()}
	}
	if errors.Is(err, library.ErrNotFound) {
		return rest.NotFound(err.Error())
	}
	return nil
}

// paging checks which part of a result is asked for.
func paging(page, size *int, most int) (offset int, err error) {
	*page, *size = cmp.Or(*page, 1), cmp.Or(*size, 20)
	switch {
	case *page < 1 || *page > 100_000:
		return 0, rest.BadField("page", "must be 1 or more")
	case *size < 1 || *size > most:
		return 0, rest.BadField("pageSize", "must be 1 to %d", most)
	}
	return (*page - 1) * *size, nil
}

// oneOf checks a word of a request; empty is the default.
func oneOf(field, value string, allowed ...string) error {
	if value != "" && !slices.Contains(allowed, value) {
		return rest.BadField(field, "must be one of %s", strings.Join(allowed, ", "))
	}
	return nil
}

func (a *App) getInfo(*http.Request) (any, error) {
	articles, trials := a.library.Articles, a.library.Trials
	first := func(kind string, n int) []library.Count {
		return a.library.Top[kind][:min(n, len(a.library.Top[kind]))]
	}
	return map[string]any{
		"library": map[string]any{"articles": articles.Count, "generated": articles.Generated, "label": articles.Label, "from": a.library.From, "to": a.library.To},
		"trials":  map[string]any{"count": trials.Count, "generated": trials.Generated, "label": trials.Label},
		"mesh":    first("mh", 40), "journals": first("ta", 20), "types": first("pt", 30),
	}, nil
}

func (a *App) getScenarios(*http.Request) (any, error) {
	return map[string]any{"scenarios": Scenarios()}, nil
}

var (
	//go:embed script.yaml
	firstRules []byte
	//go:embed script-articles.yaml
	articleRules []byte
	//go:embed script-facts.yaml
	factRules []byte
	//go:embed script-streams.yaml
	lastRules []byte
)

// ScriptRules are the scripted model's rules for the pages of Research: the items of the list in a
// rules file. Each of them asks for a context item that only Research sends. The words that say
// nothing of what to look for are those of package talk.
func ScriptRules() []byte {
	var all []byte
	for _, file := range [][]byte{firstRules, articleRules, factRules, lastRules} {
		_, rules, _ := bytes.Cut(file, []byte("\nrules:\n"))
		all = append(append(all, rules...), '\n')
	}
	return bytes.ReplaceAll(all, []byte("STOP_WORDS"), []byte(strings.Join(talk.StopWords(), "|")))
}

type articleSearch struct {
	Query    string          `json:"query"`
	Filters  library.Filters `json:"filters"`
	Sort     string          `json:"sort"`
	Dir      string          `json:"dir"`
	Page     int             `json:"page"`
	PageSize int             `json:"pageSize"`
}

func (a *App) postArticleSearch(req *http.Request) (any, error) {
	start := time.Now()
	var in articleSearch
	if err := rest.Decode(req, &in); err != nil {
		return nil, err
	}
	offset, err := paging(&in.Page, &in.PageSize, 200)
	if err = errors.Join(err, oneOf("sort", in.Sort, "date", "relevance"), oneOf("dir", in.Dir, "asc", "desc"), checkFilters("filters", in.Filters)); err != nil {
		return nil, err
	}
	q, err := pubmed.Parse(in.Query)
	if err != nil {
		return nil, err
	}
	found, total, err := a.library.Search(req.Context(), library.ArticleQuery{Text: q, Filters: in.Filters, Relevance: in.Sort == "relevance", Ascending: in.Dir == "asc", Offset: offset, Limit: in.PageSize})
	if err != nil {
		return nil, err
	}
	return map[string]any{"total": total, "interpreted": q.String(), "articles": briefs(found, len(found)), "tookMs": time.Since(start).Milliseconds()}, nil
}

// articleDetail is one article with the trial it is about.
type articleDetail struct {
	library.Article
	Trial *trialLink `json:"trial,omitempty"`
}

type trialLink struct {
	NCT   string `json:"nct"`
	Title string `json:"title"`
}

func (a *App) getArticle(req *http.Request) (any, error) {
	article, err := a.library.Article(req.Context(), req.PathValue("pmid"))
	if err != nil {
		return nil, err
	}
	detail := articleDetail{Article: *article}
	if article.NCT != "" {
		if t, err := a.library.Trial(req.Context(), article.NCT); err == nil {
			detail.Trial = &trialLink{t.NCT, t.Title}
		}
	}
	return detail, nil
}

// checkForm says what is wrong with a trial search.
func checkForm(f library.TrialForm) error {
	for name, date := range map[string]string{"startFrom": f.StartFrom, "startTo": f.StartTo} {
		if date != "" && pubmed.Day(date) == 0 {
			return rest.BadField(name, "must be a date such as 2024, 2024-05 or 2024-05-17")
		}
	}
	for name, text := range map[string]string{"condition": f.Condition, "intervention": f.Intervention, "sponsor": f.Sponsor, "text": f.Text} {
		if len(text) > maxText {
			return rest.BadField(name, "is longer than %d bytes", maxText)
		}
	}
	if len(f.Phases) > maxListValues || len(f.Statuses) > maxListValues {
		return rest.BadField("phases", "and statuses take at most %d values", maxListValues)
	}
	return nil
}

type trialSearch struct {
	library.TrialForm
	Sort     string `json:"sort"`
	Dir      string `json:"dir"`
	Page     int    `json:"page"`
	PageSize int    `json:"pageSize"`
}

func (a *App) postTrialSearch(req *http.Request) (any, error) {
	start := time.Now()
	var in trialSearch
	if err := rest.Decode(req, &in); err != nil {
		return nil, err
	}
	offset, err := paging(&in.Page, &in.PageSize, 250)
	if err = errors.Join(err, oneOf("sort", in.Sort, "start", "title", "status", "phase"), oneOf("dir", in.Dir, "asc", "desc")); err != nil {
		return nil, err
	}
	if err := checkForm(in.TrialForm); err != nil {
		return nil, err
	}
	q := library.TrialQuery{TrialForm: in.TrialForm, Sort: in.Sort, Offset: offset, Limit: in.PageSize}
	q.Ascending = in.Dir == "asc" || in.Dir == "" && (in.Sort == "title" || in.Sort == "status")
	hits, err := a.library.SearchTrials(req.Context(), q)
	if err != nil {
		return nil, err
	}
	return map[string]any{"total": hits.Total, "facets": map[string]any{"phases": hits.Phases, "statuses": hits.Statuses}, "trials": trialBriefs(hits.Trials), "tookMs": time.Since(start).Milliseconds()}, nil
}

func trialBriefs(trials []library.Trial) []library.TrialBrief {
	list := make([]library.TrialBrief, len(trials))
	for i := range trials {
		list[i] = trials[i].TrialBrief
	}
	return list
}

func (a *App) getTrial(req *http.Request) (any, error) {
	t, err := a.library.Trial(req.Context(), req.PathValue("nct"))
	if err != nil {
		return nil, err
	}
	articles, err := a.library.ArticlesOf(req.Context(), t.NCT)
	if err != nil {
		return nil, err
	}
	return struct {
		library.Trial
		Articles []library.Brief `json:"articles"`
	}{*t, briefs(articles, 50)}, nil
}
