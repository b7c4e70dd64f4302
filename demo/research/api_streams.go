package research

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/pageside/pageside/demo/research/library"
	"github.com/pageside/pageside/demo/rest"
)

type streamHead struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Purpose   string    `json:"purpose"`
	Articles  int       `json:"articles"`
	UpdatedAt time.Time `json:"updatedAt"`
}

func (a *App) getStreams(req *http.Request) (any, error) {
	list := []streamHead{}
	for _, s := range a.streams.all() {
		_, total, err := a.find(req.Context(), s.Retrieval, 0)
		if err != nil {
			return nil, err
		}
		list = append(list, streamHead{s.ID, s.Name, s.Purpose, min(total, s.Retrieval.MaxResults), s.UpdatedAt})
	}
	return map[string]any{"streams": list}, nil
}

func (a *App) getStream(req *http.Request) (any, error) { return a.streams.get(req.PathValue("id")) }

func (a *App) postStream(req *http.Request) (any, error) {
	var s Stream
	if err := rest.Decode(req, &s); err != nil {
		return nil, err
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	made, err := a.streams.add(s)
	return rest.Created{Value: made}, err
}

func (a *App) putStream(req *http.Request) (any, error) {
	var s Stream
	if err := rest.Decode(req, &s); err != nil {
		return nil, err
	}
	if s.ID != "" && s.ID != req.PathValue("id") {
		return nil, rest.BadField("id", "is not that of the address")
	}
	s.ID = req.PathValue("id")
	if err := s.check(); err != nil {
		return nil, err
	}
	return a.streams.put(s)
}

func (a *App) getReports(*http.Request) (any, error) {
	list := []Report{}
	for _, r := range a.reports.sorted() {
		head := *r
		head.Articles = nil
		list = append(list, head)
	}
	return map[string]any{"reports": list}, nil
}

func (a *App) getReport(req *http.Request) (any, error) {
	r, err := a.reports.get(req.PathValue("id"))
	if err != nil {
		return nil, err
	}
	return whole(r), nil
}

// whole is a report with its articles, be there any or none.
func whole(r *Report) any {
	return struct {
		Report
		Articles []library.Brief `json:"articles"`
	}{*r, rest.List(r.Articles)}
}

func (a *App) postReport(req *http.Request) (any, error) {
	var in struct {
		StreamID string `json:"streamId"`
		Name     string `json:"name"`
	}
	if err := rest.Decode(req, &in); err != nil {
		return nil, err
	}
	r, err := a.newReport(req.Context(), in.StreamID, in.Name)
	if err != nil {
		return nil, err
	}
	return rest.Created{Value: whole(r)}, nil
}

// maxJudged is how many rows a column is judged for at once.
const maxJudged = 100

// judgeTimeout bounds how long the model may take for one request.
var judgeTimeout = 90 * time.Second

var errJudgeTimeout = &rest.Error{Status: http.StatusUnprocessableEntity, Code: "judge_timeout", Message: "the model took too long to judge these rows"}

// postJudge has a model judge rows by the criteria of a column.
func (a *App) postJudge(req *http.Request) (any, error) {
	var in struct {
		criterion
		PMIDs []string `json:"pmids"`
		NCTs  []string `json:"ncts"`
	}
	if err := rest.Decode(req, &in); err != nil {
		return nil, err
	}
	if err := in.check(""); err != nil {
		return nil, err
	}
	if len(in.PMIDs)+len(in.NCTs) > maxJudged {
		return nil, rest.BadField("pmids", "and ncts are more than %d", maxJudged)
	}
	rows, err := a.rowsOf(req.Context(), in.PMIDs, in.NCTs)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeoutCause(req.Context(), judgeTimeout, errJudgeTimeout)
	defer stop()
	out, err := a.judge.rows(ctx, in.criterion, rows)
	if err != nil && context.Cause(ctx) == error(errJudgeTimeout) {
		return nil, errJudgeTimeout
	}
	return out, err
}

// rowsOf looks rows up. Those that are not there are left out.
func (a *App) rowsOf(ctx context.Context, pmids, ncts []string) (rows []row, err error) {
	for _, pmid := range pmids {
		if article, err := a.library.Article(ctx, pmid); err == nil {
			rows = append(rows, articleRow(article))
		} else if !errors.Is(err, library.ErrNotFound) {
			return nil, err
		}
	}
	for _, nct := range ncts {
		if t, err := a.library.Trial(ctx, nct); err == nil {
			rows = append(rows, trialRow(t))
		} else if !errors.Is(err, library.ErrNotFound) {
			return nil, err
		}
	}
	return rows, nil
}
