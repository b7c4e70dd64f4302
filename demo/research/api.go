package research

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/pageside/pageside/demo/refuse"
	"github.com/pageside/pageside/demo/research/library"
	"github.com/pageside/pageside/demo/rest"
)

// requestTimeout bounds what one request may cost, judgeTimeout how long the model may take for
// one. They are variable for tests.
var (
	requestTimeout = 10 * time.Second
	judgeTimeout   = 90 * time.Second
)

// Handler serves the API below /demo/research/.
func (a *App) Handler() http.Handler {
	api := rest.API{Timeout: requestTimeout, Log: a.config.Log}
	const base = " /demo/research/"
	slow := api // it waits for a model
	slow.Timeout += judgeTimeout
	mux := http.NewServeMux()
	mux.Handle("POST"+base+"columns/judge", slow.Handler(map[string]rest.Handler{"/": rest.Body(a.postJudge)}))
	mux.Handle("/", api.Handler(map[string]rest.Handler{
		"GET" + base + "info":             a.getInfo,
		"GET" + base + "streams":          a.getStreams,
		"POST" + base + "streams":         rest.Body(a.postStream),
		"GET" + base + "streams/{id}":     func(req *http.Request) (any, error) { return a.streams.Get(req.PathValue("id")) },
		"PUT" + base + "streams/{id}":     rest.Body(a.replaceStream),
		"POST" + base + "articles/search": rest.Body(a.postArticleSearch),
		"GET" + base + "articles/{pmid}":  a.getArticle,
		"GET" + base + "reports":          a.getReports,
		"POST" + base + "reports":         rest.Body(a.postReport),
		"GET" + base + "reports/{id}":     a.getReport,
		"POST" + base + "trials/search":   rest.Body(a.postTrialSearch),
		"GET" + base + "trials/{nct}":     a.getTrial,
		"GET" + base + "scenarios":        func(*http.Request) (any, error) { return map[string]any{"scenarios": Scenarios()}, nil },
	}))
	return mux
}

// paging is which part of a result is asked for, and in which order.
type paging struct {
	Sort     string `json:"sort"`
	Dir      string `json:"dir"`
	Page     int    `json:"page"`
	PageSize int    `json:"pageSize"`
}

// check fills in what may be left out.
func (p *paging) check(most int, sorts ...string) (err error) {
	p.Page, p.PageSize = cmp.Or(p.Page, 1), cmp.Or(p.PageSize, 20)
	switch {
	case p.Page < 1 || p.Page > 100_000:
		err = refuse.BadField("page", "must be 1 or more")
	case p.PageSize < 1 || p.PageSize > most:
		err = refuse.BadField("pageSize", "must be 1 to %d", most)
	}
	return errors.Join(err, refuse.OneOf("sort", p.Sort, sorts...), refuse.OneOf("dir", p.Dir, "asc", "desc"))
}

func (p *paging) offset() int { return (p.Page - 1) * p.PageSize }

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

var (
	//go:embed script*.yaml
	scripts embed.FS
	// the words that say nothing of what to look for
	//
	//go:embed stopwords.txt
	stopWords string

	// scenarios are things to try with the assistant: where to be, what is set there, and what to
	// say. They are the rows of the table "guide or enhance", and more, and work with any library
	// on the subject, the generated one included.
	//
	//go:embed scenarios.json
	scenarios json.RawMessage
)

// Scenarios returns the scenarios as a list of JSON; web/apps/demo has its type.
func Scenarios() json.RawMessage { return scenarios }

// ScriptRules are the scripted model's rules for the pages of Research: the items of the list in a
// rules file. Each of them asks for a context item that only Research sends.
func ScriptRules() (all []byte) {
	for _, name := range []string{"script.yaml", "script-articles.yaml", "script-facts.yaml", "script-streams.yaml"} {
		file, err := scripts.ReadFile(name)
		if err != nil {
			panic(err) // it is built in
		}
		_, rules, _ := bytes.Cut(file, []byte("\nrules:\n"))
		all = append(append(all, rules...), '\n')
	}
	return bytes.ReplaceAll(all, []byte("STOP_WORDS"), []byte(strings.Join(strings.Fields(stopWords), "|")))
}

type articleSearch struct {
	paging
	Query   string          `json:"query"`
	Filters library.Filters `json:"filters"`
}

func (a *App) postArticleSearch(req *http.Request, in *articleSearch) (any, error) {
	start := time.Now()
	if err := in.check(200, "date", "relevance"); err != nil {
		return nil, err
	}
	read, found, total, err := a.search(req.Context(), in.Query, library.ArticleQuery{
		Filters: in.Filters, Relevance: in.Sort == "relevance", Ascending: in.Dir == "asc", Offset: in.offset(), Limit: in.PageSize,
	})
	if err != nil {
		return nil, err
	}
	return map[string]any{"total": total, "interpreted": read, "articles": briefs(found, len(found)), "tookMs": time.Since(start).Milliseconds()}, nil
}

func (a *App) getArticle(req *http.Request) (any, error) {
	article, err := a.library.Article(req.PathValue("pmid"))
	if err != nil {
		return nil, err
	}
	detail := struct {
		library.Article
		Trial map[string]string `json:"trial,omitempty"`
	}{Article: article}
	if t, err := a.library.Trial(article.NCT); err == nil {
		detail.Trial = map[string]string{"nct": t.NCT, "title": t.Title}
	}
	return detail, nil
}

type trialSearch struct {
	paging
	library.TrialForm
}

func (a *App) postTrialSearch(req *http.Request, in *trialSearch) (any, error) {
	start := time.Now()
	if err := in.check(250, trialSorts...); err != nil {
		return nil, err
	}
	q := library.TrialQuery{TrialForm: in.TrialForm, Sort: in.Sort, Offset: in.offset(), Limit: in.PageSize}
	q.Ascending = in.Dir == "asc" || in.Dir == "" && (in.Sort == "title" || in.Sort == "status")
	hits, err := a.searchForm(req.Context(), q)
	if err != nil {
		return nil, err
	}
	facets := map[string]any{"phases": hits.Phases, "statuses": hits.Statuses}
	return map[string]any{"total": hits.Total, "facets": facets, "trials": trialBriefs(hits.Trials), "tookMs": time.Since(start).Milliseconds()}, nil
}

func trialBriefs(trials []library.Trial) []library.TrialBrief {
	list := make([]library.TrialBrief, len(trials))
	for i := range trials {
		list[i] = trials[i].TrialBrief
	}
	return list
}

func (a *App) getTrial(req *http.Request) (any, error) {
	t, err := a.library.Trial(req.PathValue("nct"))
	if err != nil {
		return nil, err
	}
	return struct {
		library.Trial
		Articles []library.Brief `json:"articles"`
	}{t, briefs(a.library.ArticlesOf(t.NCT), 50)}, nil
}

func (a *App) getStreams(req *http.Request) (any, error) {
	list := []map[string]any{}
	for _, s := range a.streams.All() {
		_, total, err := a.find(req.Context(), s.Retrieval, 0)
		if err != nil {
			return nil, err
		}
		list = append(list, map[string]any{
			"id": s.ID, "name": s.Name, "purpose": s.Purpose, "updatedAt": s.UpdatedAt,
			"articles": min(total, s.Retrieval.MaxResults),
		})
	}
	return map[string]any{"streams": list}, nil
}

func (a *App) postStream(_ *http.Request, s *Stream) (any, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	made, err := a.addStream(*s)
	return rest.Created{Value: made}, err
}

func (a *App) replaceStream(req *http.Request, s *Stream) (any, error) {
	if s.ID != "" && s.ID != req.PathValue("id") {
		return nil, refuse.BadField("id", "is not that of the address")
	}
	s.ID = req.PathValue("id")
	if err := s.check(); err != nil {
		return nil, err
	}
	return a.putStream(*s)
}

func (a *App) getReports(*http.Request) (any, error) {
	list := a.sortedReports()
	for i := range list {
		list[i].Full = nil
	}
	return map[string]any{"reports": refuse.List(list)}, nil
}

func (a *App) getReport(req *http.Request) (any, error) {
	r, err := a.reports.Get(req.PathValue("id"))
	return whole(r), err
}

// whole is a report with its articles in brief.
func whole(r Report) any {
	articles := briefs(r.Full, len(r.Full))
	r.Full = nil
	return struct {
		Report
		Articles []library.Brief `json:"articles"`
	}{r, articles}
}

type reportWish struct {
	StreamID string `json:"streamId"`
	Name     string `json:"name"`
}

func (a *App) postReport(req *http.Request, in *reportWish) (any, error) {
	r, err := a.newReport(req.Context(), in.StreamID, in.Name)
	return rest.Created{Value: whole(r)}, err
}

// maxJudged is how many rows a column is judged for at once.
const maxJudged = 100

var errJudgeTimeout = &refuse.Error{Status: http.StatusUnprocessableEntity, Code: "judge_timeout", Message: "the model took too long to judge these rows"}

type judgeWish struct {
	criterion
	PMIDs []string `json:"pmids"`
	NCTs  []string `json:"ncts"`
}

// postJudge has a model judge rows by the criteria of a column.
func (a *App) postJudge(req *http.Request, in *judgeWish) (any, error) {
	if err := errors.Join(in.check(""), refuse.Count("pmids", len(in.PMIDs)+len(in.NCTs), maxJudged)); err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeoutCause(req.Context(), judgeTimeout, errJudgeTimeout)
	defer stop()
	out, err := a.judge.rows(ctx, in.criterion, a.rowsOf(in.PMIDs, in.NCTs))
	if err != nil && context.Cause(ctx) == error(errJudgeTimeout) {
		return nil, errJudgeTimeout
	}
	return out, err
}

// rowsOf looks rows up. Those that are not there are left out.
func (a *App) rowsOf(pmids, ncts []string) (rows []row) {
	for _, pmid := range pmids {
		if article, err := a.library.Article(pmid); err == nil {
			rows = append(rows, articleRow(article))
		}
	}
	for _, nct := range ncts {
		if trial, err := a.library.Trial(nct); err == nil {
			rows = append(rows, trialRow(trial))
		}
	}
	return rows
}
