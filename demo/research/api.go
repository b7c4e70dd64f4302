package research

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pageside/pageside/demo/research/library"
	"github.com/pageside/pageside/demo/research/pubmed"
	"github.com/pageside/pageside/internal/strict"
)

// requestError is a refused request.
type requestError struct {
	status  int
	code    string
	message string
	details any
}

func (e *requestError) Error() string { return e.message }

// badField is the error for a field of a request.
func badField(field, format string, args ...any) *requestError {
	return &requestError{http.StatusBadRequest, "invalid_request", field + " " + fmt.Sprintf(format, args...), map[string]string{"field": field}}
}

// clip shortens text to n bytes or a little less.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "") + "…"
}

const base = "/demo/research/"

func (a *App) routes() http.Handler {
	mux := http.NewServeMux()
	routes := []struct {
		path    string
		methods map[string]func(*http.Request) (any, error)
	}{
		{"info", handlers{"GET": a.getInfo}},
		{"streams", handlers{"GET": a.getStreams, "POST": a.postStream}},
		{"streams/{id}", handlers{"GET": a.getStream, "PUT": a.putStream}},
		{"streams/{id}/validate", handlers{"POST": a.postValidate}},
		{"articles/search", handlers{"POST": a.postArticleSearch}},
		{"articles/{pmid}", handlers{"GET": a.getArticle}},
		{"reports", handlers{"GET": a.getReports, "POST": a.postReport}},
		{"reports/{id}", handlers{"GET": a.getReport}},
		{"trials/search", handlers{"POST": a.postTrialSearch}},
		{"trials/{nct}", handlers{"GET": a.getTrial}},
		{"columns/preview", handlers{"POST": a.postPreview}},
		{"scenarios", handlers{"GET": a.getScenarios}},
	}
	for _, r := range routes {
		allowed := strings.Join(slices.Sorted(maps.Keys(r.methods)), ", ")
		mux.HandleFunc(base+r.path, func(w http.ResponseWriter, req *http.Request) {
			handle, ok := r.methods[req.Method]
			if !ok {
				w.Header().Set("Allow", allowed)
				writeError(w, &requestError{http.StatusMethodNotAllowed, "method_not_allowed", "use " + allowed, nil})
				return
			}
			respond(w, req, handle)
		})
	}
	mux.HandleFunc(base, func(w http.ResponseWriter, req *http.Request) {
		writeError(w, &requestError{http.StatusNotFound, "not_found", "there is nothing at " + strconv.QuoteToASCII(clip(req.URL.Path, 200)), nil})
	})
	return mux
}

type handlers = map[string]func(*http.Request) (any, error)

// created is an answer with status 201.
type created struct{ value any }

// requestTimeout bounds what one request may cost. It is variable for tests.
var requestTimeout = 10 * time.Second

// errTimeout is the cause of a context that ended because a request took too long.
var errTimeout = &requestError{http.StatusUnprocessableEntity, "query_timeout", "the search took too long; make it narrower", nil}

func respond(w http.ResponseWriter, req *http.Request, handle func(*http.Request) (any, error)) {
	ctx, cancel := context.WithTimeoutCause(req.Context(), requestTimeout, errTimeout)
	defer cancel()
	answer, err := handle(req.WithContext(ctx))
	if err != nil && context.Cause(ctx) == errTimeout {
		err = errTimeout // all that the database says is that it was interrupted
	}
	if err != nil {
		writeError(w, refusal(err))
		return
	}
	status := http.StatusOK
	if c, isNew := answer.(created); isNew {
		answer, status = c.value, http.StatusCreated
	}
	writeJSON(w, status, answer)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		slog.Error("demo answer cannot be encoded", "err", err)
		status, body = http.StatusInternalServerError, *bytes.NewBufferString(`{"error":{"code":"internal","message":"the request failed on the server","details":{}}}`)
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes()) // the client is gone: nobody to tell
}

func writeError(w http.ResponseWriter, e *requestError) {
	details := e.details
	if details == nil {
		details = map[string]any{}
	}
	writeJSON(w, e.status, map[string]any{"error": map[string]any{"code": e.code, "message": e.message, "details": details}})
}

// refusal is err as the client sees it. What is our fault is logged and not told.
func refusal(err error) *requestError {
	if r, ok := errors.AsType[*requestError](err); ok {
		return r
	}
	if e, ok := errors.AsType[*pubmed.Error](err); ok {
		return &requestError{http.StatusUnprocessableEntity, "pubmed_error", e.Message, map[string]any{"position": e.Position, "length": e.Length, "expected": nonNil(e.Expected)}}
	}
	if c, ok := errors.AsType[*conflictError](err); ok {
		return &requestError{http.StatusConflict, "version_conflict", c.Error(), map[string]any{"version": c.version}}
	}
	for _, missing := range []error{errNoStream, errNoReport, library.ErrNotFound} {
		if errors.Is(err, missing) {
			return &requestError{http.StatusNotFound, "not_found", err.Error(), nil}
		}
	}
	slog.Error("demo request failed", "err", err)
	return &requestError{http.StatusInternalServerError, "internal", "the request failed on the server", nil}
}

// maxBody is the largest request body that is read, in bytes.
const maxBody = 256 << 10

// decode reads a request's body: unknown, repeated and case-folded names, wrong types and invalid
// UTF-8 are refused by name.
func decode(req *http.Request, into any) error {
	if kind, _, err := mime.ParseMediaType(req.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return &requestError{http.StatusUnsupportedMediaType, "unsupported_media_type", "the content type must be application/json", nil}
	}
	raw, err := io.ReadAll(io.LimitReader(req.Body, maxBody+1))
	if err != nil {
		return badField("body", "could not be read")
	}
	if len(raw) > maxBody {
		return &requestError{http.StatusRequestEntityTooLarge, "too_large", "the body is larger than 256 KiB", map[string]string{"field": "body"}}
	}
	if e, ok := errors.AsType[*strict.Error](strict.Decode(raw, into)); ok {
		if e.Field == "" {
			e.Field = "body"
		}
		return badField(e.Field, "%s", e.Reason)
	}
	return nil
}

// paging checks which part of a result is asked for.
func paging(page, size *int, defaultSize, maxSize int) (offset int, err error) {
	if *page == 0 {
		*page = 1
	}
	if *size == 0 {
		*size = defaultSize
	}
	switch {
	case *page < 1 || *page > 100_000:
		return 0, badField("page", "must be 1 or more")
	case *size < 1 || *size > maxSize:
		return 0, badField("pageSize", "must be 1 to %d", maxSize)
	}
	return (*page - 1) * *size, nil
}

// oneOf checks a word of a request; empty is the default.
func oneOf(field, value string, allowed ...string) error {
	if value != "" && !slices.Contains(allowed, value) {
		return badField(field, "must be one of %s", strings.Join(allowed, ", "))
	}
	return nil
}

func (a *App) getInfo(*http.Request) (any, error) {
	articles, trials := a.library.Articles, a.library.Trials
	first := func(kind string, n int) []library.Count {
		return a.library.Top[kind][:min(n, len(a.library.Top[kind]))]
	}
	return map[string]any{
		"library": map[string]any{"articles": articles.Count, "generated": articles.Generated, "label": articles.Label, "from": a.library.From, "to": a.library.To, "bad": articles.Bad},
		"trials":  map[string]any{"count": trials.Count, "generated": trials.Generated, "label": trials.Label, "bad": trials.Bad},
		"model":   map[string]any{"name": a.config.Model.Name(), "scripted": a.config.Model.Scripted},
		"network": a.config.Network,
		"mesh":    first("mh", 40), "journals": first("ta", 20), "types": first("pt", 30),
	}, nil
}

func (a *App) getScenarios(*http.Request) (any, error) {
	return map[string]any{"scenarios": Scenarios()}, nil
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
	if err := decode(req, &in); err != nil {
		return nil, err
	}
	offset, err := paging(&in.Page, &in.PageSize, 20, 200)
	if err = errors.Join(err, oneOf("sort", in.Sort, "date", "relevance"), oneOf("dir", in.Dir, "asc", "desc"), checkFilters("filters", in.Filters)); err != nil {
		return nil, err
	}
	q, err := a.parse(in.Query)
	if err != nil {
		return nil, err
	}
	found, total, err := a.library.Search(req.Context(), library.ArticleQuery{Text: q, Filters: in.Filters, Relevance: in.Sort == "relevance", Ascending: in.Dir == "asc", Offset: offset, Limit: in.PageSize})
	if err != nil {
		return nil, err
	}
	return map[string]any{"total": total, "interpreted": q.String(), "notes": nonNil(q.Notes()), "articles": briefs(found, len(found)), "tookMs": time.Since(start).Milliseconds()}, nil
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

// trialForm is what the trial search form holds.
type trialForm struct {
	Condition    string   `json:"condition,omitempty" jsonschema:"words of the condition or title, such as: acute myeloid leukemia"`
	Intervention string   `json:"intervention,omitempty" jsonschema:"words of the intervention or title"`
	Phases       []string `json:"phases,omitempty" jsonschema:"EARLY_PHASE1, PHASE1, PHASE2, PHASE3, PHASE4 or NA; several are alternatives"`
	Statuses     []string `json:"statuses,omitempty" jsonschema:"such as RECRUITING, NOT_YET_RECRUITING, ACTIVE_NOT_RECRUITING, COMPLETED, TERMINATED; several are alternatives"`
	Sponsor      string   `json:"sponsor,omitempty"`
	Text         string   `json:"text,omitempty" jsonschema:"words of anything in the trial"`
	StartFrom    string   `json:"startFrom,omitempty" jsonschema:"earliest start: 2020, 2020-05 or 2020-05-17"`
	StartTo      string   `json:"startTo,omitempty"`
}

func (f trialForm) query() (library.TrialQuery, error) {
	for name, date := range map[string]string{"startFrom": f.StartFrom, "startTo": f.StartTo} {
		if date != "" && pubmed.Day(date) == 0 {
			return library.TrialQuery{}, badField(name, "must be a date such as 2024, 2024-05 or 2024-05-17")
		}
	}
	for name, text := range map[string]string{"condition": f.Condition, "intervention": f.Intervention, "sponsor": f.Sponsor, "text": f.Text} {
		if len(text) > maxText {
			return library.TrialQuery{}, badField(name, "is longer than %d bytes", maxText)
		}
	}
	if len(f.Phases) > maxListValues || len(f.Statuses) > maxListValues {
		return library.TrialQuery{}, badField("phases", "and statuses take at most %d values", maxListValues)
	}
	return library.TrialQuery{Condition: f.Condition, Intervention: f.Intervention, Sponsor: f.Sponsor, Text: f.Text, Phases: f.Phases, Statuses: f.Statuses, StartFrom: f.StartFrom, StartTo: f.StartTo}, nil
}

type trialSearch struct {
	trialForm
	Sort     string `json:"sort"`
	Dir      string `json:"dir"`
	Page     int    `json:"page"`
	PageSize int    `json:"pageSize"`
}

func (a *App) postTrialSearch(req *http.Request) (any, error) {
	start := time.Now()
	var in trialSearch
	if err := decode(req, &in); err != nil {
		return nil, err
	}
	offset, err := paging(&in.Page, &in.PageSize, 20, 250)
	if err = errors.Join(err, oneOf("sort", in.Sort, "start", "title", "status", "phase", "relevance"), oneOf("dir", in.Dir, "asc", "desc")); err != nil {
		return nil, err
	}
	q, err := in.query()
	if err != nil {
		return nil, err
	}
	q.Sort, q.Ascending, q.Offset, q.Limit = in.Sort, in.Dir == "asc" || in.Dir == "" && (in.Sort == "title" || in.Sort == "status"), offset, in.PageSize
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
